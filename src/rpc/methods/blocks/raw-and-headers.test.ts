// Signed transactions as bytes and headers as objects, compared with the recorded chain file byte for byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChain } from '../../../../test/fakes/chain-vectors.ts'
import { createFakeExecutor, createFakePool } from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../../test/fakes/upstream/vector-network.ts'
import { systemClock } from '../../../base/clock.ts'
import { fromHex, toHex, toQuantity } from '../../../base/hex.ts'
import { splitBlocks } from '../../../codec/ethereum/block.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { createSenderCache } from '../../../chain/sender-cache.ts'
import { createRpcOperations } from '../index.ts'

const unknown = `0x${'ab'.repeat(32)}`
const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})

async function call(method: string, params: readonly unknown[], network = createVectorNetwork()) {
  const operation = operations.get(method) ?? assert.fail(`${method} is not offered`)
  const { result, levels } = await runOperation(operation, network, params)
  return { result, levels }
}

const proved = (result: unknown) => ({ result, levels: ['proof'] })
const notKnown = (result: unknown) => ({ result, levels: ['none'] })

test('every transaction of the recorded chain is given as it was signed', async () => {
  const network = createVectorNetwork()
  for (const parts of splitBlocks(readChain('chain.rlp'))) {
    const hash = toHex(keccak256(parts.header))
    const number = toQuantity(decodeHeader(parts.header).number)
    const entries = decodeEntries(parts.transactions)
    for (const [index, raw] of entries.entries()) {
      const at = toQuantity(index)
      const expected = proved(toHex(raw))
      const byHash = 'eth_getRawTransactionByBlockHashAndIndex'
      const byNumber = 'eth_getRawTransactionByBlockNumberAndIndex'
      assert.deepEqual(await call(byHash, [hash, at], network), expected)
      assert.deepEqual(await call(byNumber, [number, at], network), expected)
      const own = toHex(keccak256(raw))
      assert.deepEqual(await call('eth_getRawTransactionByHash', [own], network), expected)
    }
    // geth 1.17.5 returns 0x, not null, for a missing transaction.
    const past = [hash, toQuantity(entries.length)]
    assert.deepEqual(
      await call('eth_getRawTransactionByBlockHashAndIndex', past, network),
      proved('0x'),
    )
  }
})

test('an unknown hash gives 0x for bytes and null for a header', async () => {
  const none = notKnown('0x')
  assert.deepEqual(await call('eth_getRawTransactionByHash', [unknown]), none)
  const byHash = 'eth_getRawTransactionByBlockHashAndIndex'
  assert.deepEqual(await call(byHash, [unknown, '0x0']), none)
  const byNumber = 'eth_getRawTransactionByBlockNumberAndIndex'
  assert.deepEqual(await call(byNumber, ['0xffff', '0x0']), none)
  assert.deepEqual(await call('eth_getHeaderByHash', [unknown]), notKnown(null))
  assert.deepEqual(await call('eth_getHeaderByNumber', ['0xffff']), notKnown(null))
})

test('a header is the block without its lists and its size', async () => {
  const network = createVectorNetwork()
  for (const number of ['0x1', '0x19', '0x2a', '0x36', 'latest']) {
    const { result: block } = await call('eth_getBlockByNumber', [number, false], network)
    const {
      size: _,
      transactions: __,
      uncles: ___,
      withdrawals: ____,
      ...header
    } = block as Readonly<Record<string, unknown>>
    assert.deepEqual(await call('eth_getHeaderByNumber', [number], network), proved(header))
    assert.deepEqual(await call('eth_getHeaderByHash', [header['hash']], network), proved(header))
  }
})

test('a waiting transaction is given as sent, by hash and in the pending block', async () => {
  const raw = fromHex('0xc20101')
  const [block = assert.fail()] = splitBlocks(readChain('chain.rlp'))
  const network = {
    ...createVectorNetwork(),
    pool: createFakePool({ pendingTransaction: () => Promise.resolve(raw) }),
    executor: createFakeExecutor({ pendingBlock: () => Promise.resolve(block) }),
  }
  const trusted = (result: unknown) => ({ result, levels: ['trusted'] })
  const byHash = await call('eth_getRawTransactionByHash', [toHex(keccak256(raw))], network)
  assert.deepEqual(byHash, trusted('0xc20101'))
  const [first = assert.fail()] = decodeEntries(block.transactions)
  const byNumber = 'eth_getRawTransactionByBlockNumberAndIndex'
  assert.deepEqual(await call(byNumber, ['pending', '0x0'], network), trusted(toHex(first)))
  assert.deepEqual(await call(byNumber, ['pending', '0xfff'], network), trusted('0x'))
  const { result: header } = await call('eth_getHeaderByNumber', ['0x1'], network)
  const nulls = { hash: null, nonce: null, miner: null }
  assert.deepEqual(
    await call('eth_getHeaderByNumber', ['pending'], network),
    trusted({ ...(header as object), ...nulls }),
  )
})

test('eth_capabilities names block 0 for all data', async () => {
  const last = [...splitBlocks(readChain('chain.rlp'))].at(-1) ?? assert.fail()
  const whole = { disabled: false, oldestBlock: '0x0' }
  assert.deepEqual(await call('eth_capabilities', []), {
    levels: ['trusted'],
    result: {
      head: {
        number: '0x36',
        hash: toHex(keccak256(last.header)),
      },
      state: whole,
      tx: whole,
      logs: whole,
      receipts: whole,
      blocks: whole,
      stateproofs: whole,
    },
  })
})
