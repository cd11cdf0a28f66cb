// Uncles from the list that the header's sha3Uncles commits to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogChain } from '../../../../test/fakes/upstream/log-chain.ts'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { toHex } from '../../../base/hex.ts'
import { encodeHeader } from '../../../codec/ethereum/header.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeRlp, encodeRlp } from '../../../codec/ethereum/rlp.ts'
import type { UnverifiedItem } from '../../../content/ref.ts'
import { ethGetUncleByBlockHashAndIndex } from './eth_getUncleByBlockHashAndIndex.ts'
import { ethGetUncleByBlockNumberAndIndex } from './eth_getUncleByBlockNumberAndIndex.ts'

/** Block 0 has two uncles. */
function createNephew(change: (list: Uint8Array) => Uint8Array = (list) => list) {
  const uncles = createLogChain([[], []]).blocks
  const list = encodeRlp(uncles.map(({ bytes }) => decodeRlp(bytes)))
  const [first] = uncles
  assert(first !== undefined)
  const bytes = encodeHeader({ ...first.header, unclesHash: keccak256(list) })
  const hash = keccak256(bytes)
  const items: UnverifiedItem[] = [
    { ref: { kind: 'header', hash }, bytes },
    { ref: { kind: 'uncles', hash: keccak256(list) }, bytes: change(list) },
  ]
  const head = createFakeHead([{ network: 'dev', hash, number: 0n }])
  return { network: createFakeNetwork({ head, obtain: createFakeObtain(items) }), hash, uncles }
}

test('an uncle is shown as a block without transactions, by number and by hash', async () => {
  const { network, hash, uncles } = createNephew()
  const [, second] = uncles
  assert(second !== undefined)
  const byNumber = await runOperation(ethGetUncleByBlockNumberAndIndex, network, ['0x0', '0x1'])
  const byHash = await runOperation(ethGetUncleByBlockHashAndIndex, network, [toHex(hash), '0x1'])
  assert.deepEqual([byNumber.levels, byHash.levels], [['proof'], ['proof']])
  assert.deepEqual(byNumber.result, byHash.result)
  assert.partialDeepStrictEqual(byHash.result, {
    hash: toHex(second.hash),
    number: '0x1',
    parentHash: toHex(second.header.parentHash),
    uncles: [],
    size: `0x${encodeRlp([decodeRlp(second.bytes), [], []]).length.toString(16)}`,
  })
  assert.equal(Object.hasOwn(byHash.result as object, 'transactions'), false)
})

test('an index past the end is a proved null, an unknown block an unproved one', async () => {
  const { network, hash } = createNephew()
  for (const index of ['0x2', '0xffffffffffffffff']) {
    const past = await runOperation(ethGetUncleByBlockHashAndIndex, network, [toHex(hash), index])
    assert.deepEqual([past.result, past.levels], [null, ['proof']])
  }
  const unknown = [`0x${'ab'.repeat(32)}`, '0x0']
  const byHash = await runOperation(ethGetUncleByBlockHashAndIndex, network, unknown)
  const byNumber = await runOperation(ethGetUncleByBlockNumberAndIndex, network, ['0x9', '0x0'])
  for (const { result, levels } of [byHash, byNumber]) {
    assert.deepEqual([result, levels], [null, ['none']])
  }
})

test('a list of other uncles is refused', async () => {
  const { network, hash } = createNephew((list) => list.toReversed())
  const result = runOperation(ethGetUncleByBlockHashAndIndex, network, [toHex(hash), '0x0'])
  await assert.rejects(result, { code: 'unverified' })
})
