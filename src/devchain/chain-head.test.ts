import assert from 'node:assert/strict'
import test from 'node:test'
import type { HeadUpdate } from '../chain/head.ts'
import { createChainHead } from './chain-head.ts'
import { firstBlockRows, nextBlockRows } from './chain-index.ts'
import { defaultGenesis } from './default-genesis.ts'
import { buildFirstBlock } from './first-block.ts'
import { findStart } from './start-point.ts'
import { parseGenesis } from '../evm/genesis.ts'
import { openChainDatabase } from '../../test/fakes/chain-database.ts'
import { decodeHeader, encodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { beginRead } from '../chain/read.ts'

test('a fresh database gets the first block, and a second start finds it', async (t) => {
  const { store, index, log, lines } = openChainDatabase(t)
  const options = { network: 'test', genesis: defaultGenesis, store, index, log }
  const made = await findStart(options)
  const { hash } = buildFirstBlock(defaultGenesis)
  assert.deepEqual(made, { number: 0n, hash })
  assert.deepEqual(await findStart(options), made)
  assert.deepEqual(lines, [])
})

test('a head whose header one read gets wrong, or whose state is in quarantine, is kept', async (t) => {
  const { store, index, log, lines } = openChainDatabase(t)
  const options = { network: 'test', genesis: defaultGenesis, store, index, log }
  const made = await findStart(options)
  const misread = { ...store, find: () => new Uint8Array(600) }
  assert.deepEqual(await findStart({ ...options, store: misread }), made)
  const bytes = store.peek({ kind: 'header', hash: made.hash })
  assert.ok(bytes)
  await store.quarantine({ kind: 'trie-node', hash: decodeHeader(bytes).stateRoot })
  await store.quarantine({ kind: 'header', hash: made.hash })
  assert.deepEqual(await findStart(options), made)
  assert.deepEqual(lines, [])
})

test('a data folder made with another genesis is refused with a sentence', async (t) => {
  const { store, index, log } = openChainDatabase(t)
  await findStart({ network: 'test', genesis: defaultGenesis, store, index, log })
  const other = parseGenesis({ config: { chainId: 7 }, gasLimit: '0x1', alloc: {} })
  await assert.rejects(
    findStart({ network: 'test', genesis: other, store, index, log }),
    /holds another chain for network "test"/,
  )
})

test('a head without its content is given up for the last whole block, loudly', async (t) => {
  const { store, index, log, lines } = openChainDatabase(t)
  const options = { network: 'test', genesis: defaultGenesis, store, index, log }
  const start = await findStart(options)
  const first = store.peek({ kind: 'header', hash: start.hash })
  assert.ok(first)
  const header = encodeHeader({
    ...decodeHeader(first),
    number: 1n,
    parentHash: start.hash,
    stateRoot: new Uint8Array(32).fill(1),
  })
  const hash = keccak256(header)
  const transactionHashes = [new Uint8Array(32).fill(9)]
  await store.put(
    [{ ref: { kind: 'header', hash }, bytes: header }],
    nextBlockRows('test', { number: 1n, hash, parentHash: start.hash, transactionHashes }),
  )
  assert.deepEqual(index.locate(new Uint8Array(32).fill(9)), { blockHash: hash, index: 0 })
  assert.deepEqual(await findStart(options), start)
  assert.equal(lines.length, 1)
  assert.deepEqual(index.head(), start)
  assert.equal(index.hashOf(1n), null)
  assert.equal(index.locate(new Uint8Array(32).fill(9)), null)
})

test('the head answers tags and numbers from the rows and goes only forward', async (t) => {
  const { store, index } = openChainDatabase(t)
  const zero = { number: 0n, hash: new Uint8Array(32) }
  const one = { number: 1n, hash: new Uint8Array(32).fill(1) }
  await store.put([], firstBlockRows('test', zero))
  const head = createChainHead('test', index, zero)
  const received: HeadUpdate[] = []
  const stop = head.watch((change) => received.push(change))
  assert.equal(beginRead(head.byNumber(1n)), null)
  const rows = nextBlockRows('test', { ...one, parentHash: zero.hash, transactionHashes: [] })
  await store.put([], rows)
  assert.equal(beginRead(head.byNumber(1n)), null)
  head.advance(one)
  head.advance(zero)
  const ref = { network: 'test', ...one, anchor: 'embedded' } as const
  assert.deepEqual(head.latest(), ref)
  assert.deepEqual(received, [{ removed: [], added: [ref] }])
  stop()
  head.advance({ ...one, number: 2n })
  assert.equal(received.length, 1)
  assert.deepEqual(head.finalized(), head.safe())
  assert.deepEqual(beginRead(head.byNumber(0n)), { ...ref, ...zero })
  assert.ok(beginRead(head.isCanonical(one.hash, 1n)))
  assert.ok(!beginRead(head.isCanonical(one.hash, 0n)))
  await assert.rejects(store.put([], rows), /changed no row/)
})

test('a listener that throws, and an index that cannot be read, end nothing', () => {
  const failures: unknown[] = []
  const index = {
    head: () => null,
    hashOf: () => {
      throw new Error('disk I/O error')
    },
    has: () => false,
    locate: () => null,
  }
  const place = (number: bigint) => ({ number, hash: new Uint8Array(32).fill(Number(number)) })
  const head = createChainHead('test', index, place(0n), (error) => failures.push(error))
  const heads: bigint[] = []
  head.watch(() => {
    throw new Error('a listener')
  })
  head.watch(({ added }) => heads.push(...added.map(({ number }) => number)))
  head.advance(place(3n))
  assert.deepEqual(heads, [3n])
  assert.equal(failures.length, 2)
  assert.equal(head.latest().number, 3n)
})
