// A Network made of one header and some nodes: its reads return proved data, and throw if nodes are missing. The caller supplies
// the block hash; nothing else in the proof data is trusted.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { Fault } from '../base/fault.ts'
import { equalBytes, toBareHex, toHex } from '../base/hex.ts'
import type { KnownNetwork } from '../base/known-network.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeEntries, entriesMax } from '../codec/ethereum/list.ts'
import { Malformed } from '../codec/ethereum/rlp.ts'
import { listSettings, orderedKey } from '../codec/ethereum/ordered-trie.ts'
import { decodeTrieNode } from '../codec/ethereum/trie-node.ts'
import { transactionHash } from '../codec/ethereum/transaction.ts'
import { verifyKeccakKinds } from '../codec/hash/verify-keccak.ts'
import { walkProof } from '../codec/ethereum/trie-walk.ts'
import type { ContentRef } from '../content/ref.ts'
import { emptyPool } from './transaction-pool.ts'
import type { BlockRef, Head } from './head.ts'
import type { EntryKind } from './entry-reader.ts'
import type { Network, ProvedCalls } from './network.ts'
import type { ProvedHeader } from './proved-memory.ts'
import { resolvedRead } from './read.ts'

export type ProofData = {
  /** The header whose keccak256 is the block hash that the reader trusts. */
  readonly block: ProvedHeader
  /** Nodes, other headers, code: in any order, complete or not. */
  readonly pieces: readonly Uint8Array[]
  /** Named by the reader, because no hash commits to it. Absent: members that depend on its rules are omitted. */
  readonly known?: KnownNetwork
  /** No hash commits to the fork schedule: null omits the values that depend on it (`blobGasPrice`). */
  blobFeeFraction(timestamp: bigint): bigint | null
  /** Executes calls by the fork schedule that the reader supplies. Absent: calls are not answered. */
  readonly calls?: ProvedCalls | undefined
}

/** `nodes`: trie nodes, other blocks' headers and lists of uncles; `codes`: contracts' code. */
export type UsedPieces = {
  readonly nodes: readonly Uint8Array[]
  readonly codes: readonly Uint8Array[]
}

export type ProofDataNetwork = {
  /** Reads throw `unverified` with the missing item. The head has one block; the pool is empty. */
  readonly network: Network
  /** The pieces that were read, each once, in the order of the walks. */
  used(): UsedPieces
}

export function createProofDataNetwork(evidence: ProofData): ProofDataNetwork {
  const { block } = evidence
  const pieces = new Map(evidence.pieces.map((bytes) => [toBareHex(keccak256(bytes)), bytes]))
  const used = new Map<string, Uint8Array>()
  const accepted = new Set<string>()
  const codes = new Map<string, Uint8Array>()

  /** Returns a piece by its hash. A trie node was checked once, when it was stored under that hash. */
  function findNode(hash: Uint8Array): Uint8Array | null {
    const name = toBareHex(hash)
    const bytes = pieces.get(name) ?? null
    if (bytes === null || accepted.has(name)) return bytes
    decodeTrieNode(bytes)
    accepted.add(name)
    return bytes
  }

  function useNode(hash: Uint8Array): Uint8Array | null {
    const bytes = findNode(hash)
    if (bytes !== null) used.set(toBareHex(hash), bytes)
    return bytes
  }

  function readEntry(root: Uint8Array, index: number): Uint8Array | null {
    const end = decode(() => walkProof(root, orderedKey(index), useNode))
    if (end === 'absent') return null
    if ('missing' in end) throw lacking('trie-node', end.missing)
    return end.value
  }

  function countEntries(root: Uint8Array): number {
    let last = 0
    decode(() => {
      for (const { index } of listSettings(root, findNode)) last = Math.max(last, index)
    })
    if (readEntry(root, last) === null) return 0
    // Lists have no gaps: the last entry exists and the next does not.
    if (readEntry(root, last + 1) !== null) throw lacking('trie-node', root)
    return last + 1
  }

  function readList(kind: 'transactions' | 'receipts' | 'withdrawals', root: Uint8Array) {
    const entries: Uint8Array[] = []
    while (entries.length < entriesMax) {
      const entry = readEntry(root, entries.length)
      if (entry === null) break
      entries.push(entry)
    }
    const bytes = decode(() => encodeEntries(entries))
    // The root proves that the list has no other entries.
    verifyKeccakKinds({ kind, hash: root }, bytes)
    return bytes
  }

  function read({ kind, hash }: ContentRef): Uint8Array {
    switch (kind) {
      case 'transactions':
      case 'receipts':
      case 'withdrawals':
        return readList(kind, hash)
      case 'header':
      case 'uncles':
      case 'trie-node':
      case 'code': {
        const bytes = pieces.get(toBareHex(hash))
        if (bytes === undefined) throw lacking(kind, hash)
        verifyKeccakKinds({ kind, hash }, bytes)
        if (kind === 'code') codes.set(toBareHex(hash), bytes)
        else used.set(toBareHex(hash), bytes)
        return bytes
      }
      case 'dag-block':
        throw lacking(kind, hash)
    }
  }

  function find(ref: ContentRef): Uint8Array | null {
    try {
      return read(ref)
    } catch {
      return null
    }
  }

  function locate(hash: Uint8Array): number | null {
    return decode(() => {
      for (const { index, entry } of listSettings(block.header.transactionsRoot, findNode)) {
        if (equalBytes(transactionHash(entry), hash)) return index
      }
      return null
    })
  }

  return {
    used: () => ({ nodes: [...used.values()], codes: [...codes.values()] }),
    network: {
      name,
      chainId: 0n,
      ...(evidence.known !== undefined && { known: evidence.known }),
      head: createHead(block, locate),
      // oxlint-disable-next-line typescript/require-await -- what it throws comes as a rejection
      obtain: async (ref) => read(ref),
      peek: find,
      peekNode: (from, at) => find({ kind: 'trie-node', hash: from.subarray(at, at + 32) }),
      headers: { find: (hash) => (equalBytes(hash, block.hash) ? block : null), add: () => {} },
      entries: {
        // oxlint-disable-next-line typescript/require-await -- as above
        at: async (of, kind, index) => readEntry(rootOf(of, kind), index),
        // oxlint-disable-next-line typescript/require-await -- as above
        count: async (of, kind) => countEntries(rootOf(of, kind)),
      },
      hint: {},
      pool: emptyPool,
      executor: null,
      relay: null,
      ...(evidence.calls && { calls: evidence.calls }),
      blobFeeFraction: (timestamp) => evidence.blobFeeFraction(timestamp),
      feeRules: null,
      forkConfigs: () => null,
    },
  }
}

const name = 'evidence'

function createHead(
  { hash, header: { number } }: ProvedHeader,
  locate: (transactionHash: Uint8Array) => number | null,
): Head {
  const only: BlockRef = { network: name, hash, number }
  return {
    latest: () => only,
    safe: () => only,
    finalized: () => only,
    byNumber: (requested) => resolvedRead(requested === number ? only : null),
    isCanonical: (requested) => resolvedRead(equalBytes(requested, hash)),
    locate(transactionHash) {
      const index = locate(transactionHash)
      return index === null ? [] : [{ blockHash: hash, index }]
    },
    watch: () => () => {},
  }
}

function rootOf({ header }: ProvedHeader, kind: EntryKind): Uint8Array {
  return kind === 'transactions' ? header.transactionsRoot : header.receiptsRoot
}

/** Bytes with the right hash but in another format prove nothing. */
function decode<T>(read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault('unverified', { detail: thrown.message })
    throw thrown
  }
}

function lacking(kind: string, hash: Uint8Array): Fault {
  return new Fault('unverified', { detail: `the evidence lacks ${kind} ${toHex(hash)}` })
}
