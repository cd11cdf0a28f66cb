// A ContentRef is an immutable name. Verification uses only this name, never the claims of a source.
import { equalBytes, toBareHex } from '../base/hex.ts'

/** `store`: local lookup. `source`: request to a source. `verify`: hashing of the reply. */
export type ReadStep = 'store' | 'source' | 'verify'

/** Called at the end of the step, with its outcome as one word; only the first call counts. */
export type EndOfStep = (outcome: string) => void

/** Called when a step starts. `name`: the source; empty for local steps. Must not throw. */
export type ReadTrace = (step: ReadStep, name: string) => EndOfStep

/** The same for the traces of all waiting callers. */
export function watchAll(
  callers: readonly { readonly watch?: ReadTrace }[],
  step: ReadStep,
  name: string,
): EndOfStep {
  if (!callers.some(({ watch }) => watch !== undefined)) return untraced
  // One reader may wait twice for the same bytes.
  const watches = new Set(callers.flatMap(({ watch }) => watch ?? []))
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

/** Bytes that are claimed to match `ref`; not trusted until `verify` has run. */
export type UnverifiedItem = { readonly ref: ContentRef; readonly bytes: Uint8Array }

/** The ref as a string: two refs are equal exactly when their keys are. */
export function refKey(ref: ContentRef): string {
  return `${ref.kind}:${toBareHex(ref.hash)}`
}

/** Compares two refs without creating strings. */
export function isSameRef(one: ContentRef, other: ContentRef): boolean {
  return one.kind === other.kind && equalBytes(one.hash, other.hash)
}

/** Where to look for content; it never determines what is requested, and is not used for verification. */
export type FetchContext = {
  readonly network?: string
  readonly blockHash?: Uint8Array
  /** Position in that block: indicates how old the requested state is, and the request to repeat if a hash is refused. */
  readonly blockNumber?: bigint
  /** State root of that block, address, 32-byte positions: the parameters of the proof request. */
  readonly stateRoot?: Uint8Array
  readonly address?: Uint8Array
  readonly slots?: readonly Uint8Array[]
  /** Codec of the CID that requests a dag-block; absent: raw. */
  readonly codec?: number
  /**
   * Permits searching the IPFS network for this account. `root`: multihash of the root at which the read began, whose providers are
   * looked up; `origins`: multiaddrs of additional peers to query. Absent: the network is not searched.
   */
  readonly session?: {
    readonly root: Uint8Array
    readonly account: string
    readonly origins?: readonly string[]
  }
  /** Do not request sources: return from the store or fail immediately. */
  readonly offline?: boolean
  /** Time limit of sources in milliseconds. */
  readonly patienceMs?: number
  /** Called for the steps of the read. */
  readonly watch?: ReadTrace
}

/** Pure. Throws Fault `unverified` if `bytes` do not match `ref`. */
export type Verify = (ref: ContentRef, bytes: Uint8Array) => void

/** Pure. Computes the hash of `bytes`, which must be well formed for that kind. Throws Fault `unverified`. */
export type NameOf = (kind: 'header' | 'trie-node' | 'code', bytes: Uint8Array) => Uint8Array

/**
 * Finds or fetches content and verifies it on every call. Throws `not_found` if neither the store nor any source has it,
 * `unverified` if all copies are invalid, `deadline` if `signal` or the timeout of the fetch context ends first. If one caller
 * aborts, others waiting for the ref continue.
 */
export type Obtain = (
  ref: ContentRef,
  context: FetchContext,
  signal: AbortSignal,
) => Promise<Uint8Array>

/**
 * Synchronous lookup in memory, then in the store. Null if the content is not local or its copy is corrupt; then call `obtain` for
 * the details. Do not write to the array, which is shared.
 */
export type Peek = (ref: ContentRef) => Uint8Array | null

/** As `Peek`, for the trie node whose 32-byte hash is at offset `at` of `from`, so that a walk creates no ref per step. */
export type PeekNode = (from: Uint8Array, at: number) => Uint8Array | null
