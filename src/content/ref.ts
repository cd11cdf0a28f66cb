// A ContentRef is an immutable name: what verification uses comes from it alone, never from a source.
import { equalBytes, toBareHex } from '../base/hex.ts'
import type { ReadTrace } from './read-trace.ts'

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
  /** Of that block: how deep the reply lies, and what to ask where a hash is refused. */
  readonly blockNumber?: bigint
  /** State root of that block, address, 32-byte positions: which proof to ask for. */
  readonly stateRoot?: Uint8Array
  readonly address?: Uint8Array
  readonly slots?: readonly Uint8Array[]
  /** Of the CID that a dag-block is asked by; not given: raw. */
  readonly codec?: number
  /** Do not ask sources: answer from the store or fail at once. */
  readonly offline?: boolean
  /** How long sources may take, milliseconds. */
  readonly patienceMs?: number
  /** Told what the read took. */
  readonly watch?: ReadTrace
}

/** Pure. Throws Fault `unverified` when `bytes` are not what `ref` names. */
export type Verify = (ref: ContentRef, bytes: Uint8Array) => void

/** Pure. The hash that names `bytes`, which are well formed as that kind. Throws Fault `unverified`. */
export type NameOf = (kind: 'header' | 'trie-node' | 'code', bytes: Uint8Array) => Uint8Array

/**
 * Finds or fetches, verified in this process on every call. Throws `not_found` when neither the store
 * nor any source has it, `unverified` when all they have is wrong, `deadline` when `signal` or the
 * hint's patience ends first. A caller whose signal aborts leaves; others waiting for the ref go on.
 */
export type Obtain = (
  ref: ContentRef,
  hint: FetchContext,
  signal: AbortSignal,
) => Promise<Uint8Array>

/**
 * The same for what is at hand, without a wait: memory, then the store. Null when it is not here or its copy
 * is bad; then `obtain` finds out more. Do not write to the array: others hold it too.
 */
export type Peek = (ref: ContentRef) => Uint8Array | null

/** As `Peek`, of the trie node whose hash of 32 bytes stands in `from` at `at`: a step of a walk makes no ref. */
export type PeekNode = (from: Uint8Array, at: number) => Uint8Array | null
