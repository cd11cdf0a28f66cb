// Each form of a block parameter against a head of two blocks and one orphan.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutBlocks, readChain } from '../../test/fakes/chain-vectors.ts'
import { createVectorNetwork } from '../../test/fakes/upstream/vector-network.ts'
import type { Network } from '../chain/network.ts'
import type { BlockParameter } from './operation.ts'
import { resolveBlock } from './request-context.ts'
import { completeRead, resolvedRead } from '../chain/read.ts'

const { signal } = new AbortController()

function network(part: Partial<Network['head']> = {}): Network {
  const vectors = createVectorNetwork()
  return { ...vectors, head: { ...vectors.head, ...part } }
}

const number = async (parameter: BlockParameter, on = network()) =>
  (await completeRead(resolveBlock(on, parameter), signal)).number

const refusal = (parameter: BlockParameter, on = network()) =>
  (async () => await completeRead(resolveBlock(on, parameter), signal))().then(
    () => 'resolved',
    (thrown: Error & { code?: string }) => [thrown.code, thrown.message],
  )

test('tags and numbers come from the head; pending is the latest block', async () => {
  assert.equal(await number({ tag: 'latest' }), 54n)
  assert.equal(await number({ tag: 'pending' }), 54n)
  assert.equal(await number({ tag: 'finalized' }), 54n)
  assert.equal(await number({ number: 7n }), 7n)
  assert.deepEqual(await refusal({ number: 55n }), ['unknown_block', 'header not found'])
})

test('earliest is block 0', async () => {
  const requested: bigint[] = []
  const byNumber = (at: bigint) => {
    requested.push(at)
    return resolvedRead(null)
  }
  assert.deepEqual(await refusal({ tag: 'earliest' }, network({ byNumber })), [
    'unknown_block',
    'header not found',
  ])
  assert.deepEqual(requested, [0n])
})

test('a head that knows no safe or finalized block says which', async () => {
  const none = network({ safe: () => null, finalized: () => null })
  assert.deepEqual(await refusal({ tag: 'safe' }, none), ['no_tag', 'safe block not found'])
  assert.deepEqual(await refusal({ tag: 'finalized' }, none), [
    'no_tag',
    'finalized block not found',
  ])
})

test('a hash resolves through its header, and canonicity is judged on every use', async () => {
  const hash = cutBlocks(readChain('chain.rlp')).blocks[0]?.hash ?? assert.fail()
  let canonical = true
  const on = network({ isCanonical: () => resolvedRead(canonical) })
  assert.equal(await number({ hash, requireCanonical: true }, on), 1n)
  canonical = false
  assert.deepEqual(await refusal({ hash, requireCanonical: true }, on), [
    'not_canonical',
    'hash is not currently canonical',
  ])
  assert.equal(await number({ hash, requireCanonical: false }, on), 1n)
  assert.deepEqual(await refusal({ hash: new Uint8Array(32), requireCanonical: true }, on), [
    'unknown_block',
    'header for hash not found',
  ])
})
