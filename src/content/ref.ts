// A ContentRef is an immutable name. Verification uses only this name, never the claims of a source.
import { equalBytes, toBareHex } from '../base/hex.ts'

/** `store`: local lookup. `source`: request to a source. `verify`: hashing of the reply. */
export type ReadStep = 'store' | 'source' | 'verify'

/** Call at the end of the step, with its outcome as one word; only the first call counts. */
export type EndOfStep = (outcome: string) => void

/** A step starts. `name`: the source; empty for local steps. Must not throw. */
export type ReadTrace = (step: ReadStep, name: string) => EndOfStep

/** The same for the traces of all waiting callers. */
export function watchAll(
  waiting: readonly { readonly watch?: ReadTrace }[],
  step: ReadStep,
  name: string,
): EndOfStep {
  if (!waiting.some(({ watch }) => watch !== undefined)) return untraced
  // One reader may wait twice for the same bytes.
  const watches = new Set(waiting.flatMap(({ watch }) => watch ?? []))
  let ends = [...watches].map((watch) => watch(step, name))
  return (outcome) => {
    for (const end of ends) end(outcome)
    ends = []
  }
}

const untraced: EndOfStep = () => {}

/**
 * - `header`, `trie-node`, `code`, `uncles`: `hash` = keccak256(bytes), 32 bytes.
 * - `transactions`, `receipts`, `withdrawals`: `hash` = ordered-trie root of the list, 32 bytes.
 * - `dag-block`: `hash` = the multihash of the block (code, length, digest), never the CID.
 */
export type ContentKind =
  | 'header'
  | 'transactions'
  | 'receipts'
  | 'uncles'
  | 'withdrawals'
  | 'trie-node'
  | 'code'
  | 'dag-block'

export type ContentRef = { readonly kind: ContentKind; readonly hash: Uint8Array }

/** Bytes that claim to be what `ref` names; not trusted until `verify` has run. */
export type UnverifiedItem = { readonly ref: ContentRef; readonly bytes: Uint8Array }

/** The ref as one string: two refs are equal exactly when their keys are. */
export function refKey(ref: ContentRef): string {
  return `${ref.kind}:${toBareHex(ref.hash)}`
}

/** The same without making strings. */
export function isSameRef(one: ContentRef, other: ContentRef): boolean {
  return one.kind === other.kind && equalBytes(one.hash, other.hash)
}

/** Where to look, never what is asked. No part of it takes part in verification. */
export type FetchContext = {
  readonly network?: string
  readonly blockHash?: Uint8Array
  /** Position in that block: how deep the reply lies, and the request to repeat if a hash is refused. */
  readonly blockNumber?: bigint
  /** State root of that block, address, 32-byte positions: the parameters of the proof request. */
  readonly stateRoot?: Uint8Array
  readonly address?: Uint8Array
  readonly slots?: readonly Uint8Array[]
  /** Of the CID that a dag-block is asked by; not given: raw. */
  readonly codec?: number
  /**
   * The IPFS network may be searched, for this account: `root` is the multihash of the root that the read began at, by which
   * providers are looked up; `origins`: multiaddrs of peers that are asked too. Absent: it is not searched.
   */
  readonly session?: {
    readonly root: Uint8Array
    readonly account: string
    readonly origins?: readonly string[]
  }
  /** Do not request sources: return from the store or fail immediately. */
  readonly offline?: boolean
  /** How long sources may take, milliseconds. */
  readonly patienceMs?: number
  /** Receives the steps of the read. */
  readonly watch?: ReadTrace
}

/** Pure. Throws Fault `unverified` when `bytes` are not what `ref` names. */
export type Verify = (ref: ContentRef, bytes: Uint8Array) => void

/** Pure. The hash that names `bytes`, which are well formed as that kind. Throws Fault `unverified`. */
export type NameOf = (kind: 'header' | 'trie-node' | 'code', bytes: Uint8Array) => Uint8Array

/**
 * Finds or fetches content and verifies it on every call. Throws `not_found` if neither the store nor any source has
 * it, `unverified` if all copies are invalid, `deadline` if `signal` or the timeout of the fetch context ends first. A
 * caller that aborts leaves; others waiting for the ref continue.
 */
export type Obtain = (
  ref: ContentRef,
  context: FetchContext,
  signal: AbortSignal,
) => Promise<Uint8Array>

/**
 * Synchronous lookup: memory, then the store. Null if it is not local or its copy is corrupt; then call `obtain` for
 * the details. Do not write to the array: it is shared.
 */
export type Peek = (ref: ContentRef) => Uint8Array | null

/** As `Peek`, of the trie node whose hash of 32 bytes stands in `from` at `at`: a step of a walk makes no ref. */
export type PeekNode = (from: Uint8Array, at: number) => Uint8Array | null
