// Caching a new block in memory, and blocks of other chains; golden.test.ts tests block reads through the methods.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../test/fakes/upstream/network.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../codec/ethereum/account-state.ts'
import { decodeHeader, encodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeEntries } from '../codec/ethereum/list.ts'
import { orderedRoot } from '../codec/ethereum/ordered-trie.ts'
import { type ContentRef, refKey } from '../content/ref.ts'
import { findHeader, readBlockLists, rememberBlock } from './blocks.ts'
import { completeRead } from './read.ts'

const root = new Uint8Array(32).fill(9)
const bytes = encodeHeader({
  parentHash: new Uint8Array(32),
  unclesHash: emptyUnclesHash,
  miner: new Uint8Array(20),
  stateRoot: emptyTrieRoot,
  transactionsRoot: root,
  receiptsRoot: emptyTrieRoot,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 5n,
  gasLimit: 1n,
  gasUsed: 0n,
  timestamp: 7n,
  extraData: new Uint8Array(0),
  mixHash: new Uint8Array(32),
  nonce: new Uint8Array(8),
})
const block = { network: 'dev', hash: keccak256(bytes), number: 5n }

function network(peek: (ref: ContentRef) => Uint8Array | null) {
  const looked: string[] = []
  const made = createFakeNetwork({
    head: createFakeHead([block]),
    obtain: createFakeObtain([]),
    peek(ref) {
      looked.push(refKey(ref))
      return peek(ref)
    },
  })
  return { made, looked }
}

test('a new block is cached in memory: its header decoded, its lists read once, empty ones not at all', async () => {
  const { made, looked } = network(({ kind }) => (kind === 'header' ? bytes : Uint8Array.of(0xc0)))
  rememberBlock(made, block)
  assert.deepEqual(looked, [
    refKey({ kind: 'header', hash: block.hash }),
    refKey({ kind: 'transactions', hash: root }),
  ])
  const found = await completeRead(findHeader(made, block.hash), new AbortController().signal)
  assert.equal(found?.header.timestamp, 7n)
  assert.equal(looked.length, 2)
})

test('a block that is not stored yet is ignored without an error', () => {
  const { made, looked } = network(() => null)
  rememberBlock(made, block)
  assert.equal(looked.length, 1)
})

test('a block of the OP stack has no withdrawals, for any value in its header', async () => {
  const entries = [Uint8Array.of(0x7e, 0xc0)]
  const transactions = { kind: 'transactions', hash: orderedRoot(entries) } as const
  const header = decodeHeader(bytes)
  const obtain = createFakeObtain([{ ref: transactions, bytes: encodeEntries(entries) }])
  const made = createFakeNetwork({ head: createFakeHead([block]), obtain })
  const read = (withdrawalsRoot?: Uint8Array) => {
    const { hash: transactionsRoot } = transactions
    const later = { baseFeePerGas: 1n, ...(withdrawalsRoot && { withdrawalsRoot }) }
    const at = { hash: block.hash, bytes, header: { ...header, transactionsRoot, ...later } }
    return completeRead(readBlockLists(made, at), new AbortController().signal)
  }
  assert.deepEqual((await read(root)).withdrawals, Uint8Array.of(0xc0))
  assert.equal((await read()).withdrawals, null)
})
