// A Network that records the content read through it: the headers, nodes and code on which an answer depends. For entries of a
// list it records the trie nodes on the path.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { toBareHex } from '../base/hex.ts'
import { decodeEntries } from '../codec/ethereum/list.ts'
import {
  type NamedNode,
  type OrderedTrie,
  createOrderedTrie,
} from '../codec/ethereum/ordered-trie.ts'
import type { ContentRef } from '../content/ref.ts'
import type { EntryKind } from './entry-reader.ts'
import { readList } from './list-entries.ts'
import type { Network } from './network.ts'
import type { ProvedHeader } from './proved-memory.ts'
import { completeRead } from './read.ts'

export type RecordedReads = {
  /** Reads like the network that is recorded. */
  readonly network: Network
  /** The content read under that hash, or null. */
  find(hash: Uint8Array): Uint8Array | null
  /** All content that was read, each item once: RLP or code. */
  pieces(): readonly Uint8Array[]
}

/** Use one for each call: its memory grows with the reads of the call. */
export function recordReads(network: Network): RecordedReads {
  // A read of an account from the memory cache would not record the nodes that prove it.
  const { accounts: _, ...forgetful } = network
  const read = new Map<string, Uint8Array>()
  const tries = new Map<string, OrderedTrie>()

  function trieOf(root: Uint8Array, list: Uint8Array): OrderedTrie {
    const key = toBareHex(root)
    const trie = tries.get(key) ?? createOrderedTrie(decodeEntries(list))
    tries.set(key, trie)
    return trie
  }

  function note({ kind, hash }: ContentRef, bytes: Uint8Array): void {
    switch (kind) {
      case 'header':
      case 'uncles':
      case 'trie-node':
      case 'code':
        read.set(toBareHex(hash), bytes)
        return
      case 'transactions':
      case 'receipts':
      case 'withdrawals':
        return noteAll(trieOf(hash, bytes).nodes)
      case 'dag-block':
    }
  }

  function noteAll(nodes: readonly NamedNode[]): void {
    for (const [name, node] of nodes) read.set(name, node)
  }

  async function readTrie(block: ProvedHeader, kind: EntryKind, signal: AbortSignal) {
    const { transactionsRoot, receiptsRoot } = block.header
    const list = await completeRead(readList(network, block, kind), signal)
    return trieOf(kind === 'transactions' ? transactionsRoot : receiptsRoot, list)
  }

  return {
    find: (hash) => read.get(toBareHex(hash)) ?? null,
    pieces: () => [...read.values()],
    network: {
      ...forgetful,
      async obtain(ref, hint, signal) {
        const bytes = await network.obtain(ref, hint, signal)
        note(ref, bytes)
        return bytes
      },
      peek(ref) {
        const bytes = network.peek(ref)
        if (bytes !== null) note(ref, bytes)
        return bytes
      },
      peekNode(from, at) {
        const bytes = network.peekNode(from, at)
        if (bytes !== null) note({ kind: 'trie-node', hash: from.subarray(at, at + 32) }, bytes)
        return bytes
      },
      headers: {
        find(hash) {
          const found = network.headers.find(hash)
          if (found !== null) note({ kind: 'header', hash }, found.bytes)
          return found
        },
        add: (block) => network.headers.add(block),
      },
      entries: {
        async at(block, kind, index, signal) {
          const trie = await readTrie(block, kind, signal)
          noteAll(trie.nodesTo(index))
          return trie.entries[index] ?? null
        },
        async count(block, kind, signal) {
          const trie = await readTrie(block, kind, signal)
          const { length } = trie.entries
          // The last entry exists and the next does not: this proves the length of the list.
          if (length > 0) noteAll(trie.nodesTo(length - 1))
          noteAll(trie.nodesTo(length))
          return length
        },
      },
    },
  }
}
