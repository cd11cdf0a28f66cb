// Raw forms: assembled from proved parts, they equal the bytes of the recorded chain file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChain } from '../../../../test/fakes/chain-vectors.ts'
import { createLogChain } from '../../../../test/fakes/upstream/log-chain.ts'
import { createFakePool } from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../../test/fakes/upstream/vector-network.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { joinBlock, splitBlocks } from '../../../codec/ethereum/block.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { debugGetRawBlock } from './debug_getRawBlock.ts'
import { debugGetRawHeader } from './debug_getRawHeader.ts'
import { debugGetRawReceipts } from './debug_getRawReceipts.ts'
import { debugGetRawTransaction } from './debug_getRawTransaction.ts'

const unknown = `0x${'ab'.repeat(32)}`

test('every block of the recorded chain comes back byte for byte', async () => {
  const network = createVectorNetwork()
  for (const parts of splitBlocks(readChain('chain.rlp'))) {
    const hash = toHex(keccak256(parts.header))
    const block = await runOperation(debugGetRawBlock, network, [hash])
    assert.deepEqual([block.result, block.levels], [toHex(joinBlock(parts)), ['proof']])
    const header = await runOperation(debugGetRawHeader, network, [hash])
    assert.deepEqual([header.result, header.levels], [toHex(parts.header), ['proof']])
    for (const raw of decodeEntries(parts.transactions)) {
      const one = await runOperation(debugGetRawTransaction, network, [toHex(keccak256(raw))])
      assert.deepEqual([one.result, one.levels], [toHex(raw), ['proof']])
    }
  }
})

test('raw receipts are the entries that the root commits to', async () => {
  const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) }
  const { network } = createLogChain([[], [[], [log]]])
  const { result, levels } = await runOperation(debugGetRawReceipts, network, ['latest'])
  assert.equal((result as string[]).length, 2)
  assert.deepEqual(levels, ['proof'])
  const empty = await runOperation(debugGetRawReceipts, network, ['earliest'])
  assert.deepEqual(empty.result, [])
})

test('a block that is not there is an error, a transaction null', async () => {
  const network = createVectorNetwork()
  for (const operation of [debugGetRawBlock, debugGetRawHeader, debugGetRawReceipts]) {
    await assert.rejects(runOperation(operation, network, ['0x3e8']), {
      code: 'unknown_block',
      message: 'header not found',
    })
    await assert.rejects(runOperation(operation, network, [unknown]), { code: 'unknown_block' })
  }
  const { result, levels } = await runOperation(debugGetRawTransaction, network, [unknown])
  assert.deepEqual([result, levels], [null, ['none']])
})

test('a waiting transaction is given as it waits, if it is the one asked for', async () => {
  const raw = fromHex('0xc20101')
  const pool = createFakePool({ pendingTransaction: () => Promise.resolve(raw) })
  const network = { ...createVectorNetwork(), pool }
  const hash = toHex(keccak256(raw))
  const waiting = await runOperation(debugGetRawTransaction, network, [hash])
  assert.deepEqual([waiting.result, waiting.levels], ['0xc20101', ['trusted']])
  const other = await runOperation(debugGetRawTransaction, network, [unknown])
  assert.deepEqual([other.result, other.levels], [null, ['none']])
})
