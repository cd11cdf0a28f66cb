// Verifies all Ethereum content against its hash. The hash is compared before the bytes are parsed, and the requested kind, not
// the content, determines how they are parsed.
import { Fault } from '../../base/fault.ts'
import { equalBytes, toHex } from '../../base/hex.ts'
import { Malformed, decodeRlp, listField, splitList } from '../ethereum/rlp.ts'
import { decodeHeader, headerOf } from '../ethereum/header.ts'
import { keccak256 } from './keccak.ts'
import { decodeEntries } from '../ethereum/list.ts'
import { orderedRoot } from '../ethereum/ordered-trie.ts'
import { decodeTrieNode, isPlainNode } from '../ethereum/trie-node.ts'

/** Content named by a keccak hash or by an ordered-trie root; `hash` is 32 bytes. */
export type KeccakRef = {
  readonly kind:
    | 'header'
    | 'transactions'
    | 'receipts'
    | 'uncles'
    | 'withdrawals'
    | 'trie-node'
    | 'code'
  readonly hash: Uint8Array
}

/** Pure. Throws Fault `unverified`, with the mismatch in its message or the `Malformed` as its cause. */
export function verifyKeccakKinds(ref: KeccakRef, bytes: Uint8Array): void {
  try {
    verifyKind(ref, bytes)
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    const detail = `${ref.kind} ${toHex(ref.hash)} is ${cause.message}`
    throw new Fault('unverified', { detail, cause })
  }
}

/**
 * The hash of `bytes`, after they were validated as content of that kind. Pure. Throws Fault `unverified` with the
 * `Malformed` as its cause.
 */
export function nameKeccakKinds(
  kind: 'header' | 'trie-node' | 'code',
  bytes: Uint8Array,
): Uint8Array {
  try {
    if (kind === 'header') decodeHeader(bytes)
    else if (kind === 'trie-node') checkTrieNode(bytes)
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    throw new Fault('unverified', { detail: `a ${kind} is ${cause.message}`, cause })
  }
  return keccak256(bytes)
}

function verifyKind(ref: KeccakRef, bytes: Uint8Array): void {
  switch (ref.kind) {
    case 'header':
      compare(ref, keccak256(bytes))
      decodeHeader(bytes)
      return
    case 'uncles':
      compare(ref, keccak256(bytes))
      listField(decodeRlp(bytes), 'uncles').forEach(headerOf)
      return
    case 'trie-node':
      compare(ref, keccak256(bytes))
      return checkTrieNode(bytes)
    case 'code':
      return compare(ref, keccak256(bytes))
    case 'transactions': {
      const entries = decodeEntries(bytes)
      compare(ref, orderedRoot(entries))
      return entries.forEach(refuseSidecar)
    }
    case 'receipts':
    case 'withdrawals':
      return compare(ref, orderedRoot(decodeEntries(bytes)))
  }
}

function checkTrieNode(bytes: Uint8Array): void {
  if (!isPlainNode(bytes)) decodeTrieNode(bytes)
}

function compare(ref: KeccakRef, computed: Uint8Array): void {
  if (equalBytes(ref.hash, computed)) return
  throw new Fault('unverified', {
    detail: `${ref.kind} ${toHex(ref.hash)} does not match its bytes, which give ${toHex(computed)}`,
  })
}

/** EIP-4844: blobs are sent next to a block, not in it. Some nodes include them nevertheless. */
function refuseSidecar(entry: Uint8Array): void {
  if (entry[0] !== 3) return
  const first = splitList(entry.subarray(1))[0]
  if (first !== undefined && (first[0] ?? 0) >= 0xc0) {
    throw new Malformed('a blob transaction without its sidecar')
  }
}
