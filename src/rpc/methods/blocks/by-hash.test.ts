// Transactions by hash: the place that the head reports is a hint, and only the proved list decides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testChain } from '../../../../test/fakes/chain-facts.ts'
import { readChain } from '../../../../test/fakes/chain-vectors.ts'
import { createFakeExecutor, createFakePool } from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../../test/fakes/upstream/vector-network.ts'
import { systemClock } from '../../../base/clock.ts'
import { fromHex, toHex, toQuantity } from '../../../base/hex.ts'
import type { EvmExecutor } from '../../../chain/evm-executor.ts'
import type { Head, TransactionHint } from '../../../chain/head.ts'
import type { Network } from '../../../chain/network.ts'
import type { TransactionPool } from '../../../chain/transaction-pool.ts'
import { splitBlocks } from '../../../codec/ethereum/block.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { transactionHash } from '../../../codec/ethereum/transaction.ts'
import { createSenderCache } from '../../../chain/sender-cache.ts'
import { createRpcOperations } from '../index.ts'
import { resolvedRead } from '../../../chain/read.ts'

const { signal } = new AbortController()
const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})

function run(method: string, network: Network, params: readonly unknown[]) {
  const operation = operations.get(method)
  assert(operation !== undefined)
  return runOperation(operation, network, params)
}

function changed(
  head: Partial<Head>,
  part: { pool?: Partial<TransactionPool>; executor?: Partial<EvmExecutor> } = {},
): Network {
  const vectors = createVectorNetwork()
  return {
    ...vectors,
    head: { ...vectors.head, ...head },
    pool: createFakePool(part.pool),
    executor: createFakeExecutor(part.executor),
  }
}

const parts = [...splitBlocks(readChain('chain.rlp'))]
/** Hash of the first transaction of type 2 in block 27. */
const hash = toHex(
  transactionHash(
    decodeEntries(parts[26]?.transactions ?? assert.fail()).find((raw) => raw[0] === 2) ??
      assert.fail(),
  ),
)
const methods = ['eth_getTransactionByHash', 'eth_getTransactionReceipt']

test('a transaction found by its hash is proved, in a block the client did not name', async () => {
  const { result, levels, blocks } = await run('eth_getTransactionByHash', changed({}), [hash])
  assert.partialDeepStrictEqual(result, { hash, blockNumber: '0x1b' })
  assert.deepEqual(levels, ['proof'])
  assert.deepEqual([blocks[0]?.number, blocks[0]?.anchor], [27n, undefined])
})

test('a hint that leads to another transaction or past the end gives null, unproved', async () => {
  const [right] = createVectorNetwork().head.locate(
    fromHex(hash),
    signal,
  ) as Iterable<TransactionHint>
  assert(right !== undefined)
  const hints = [
    { ...right, index: right.index + 1 },
    { ...right, index: 4_000_000 },
    { ...right, blockHash: new Uint8Array(32) },
    null,
  ]
  for (const method of methods) {
    for (const hint of hints) {
      const { result, levels } = await run(
        method,
        changed({ locate: () => (hint === null ? [] : [hint]) }),
        [hash],
      )
      assert.deepEqual([result, levels], [null, ['none']])
    }
  }
})

test('a transaction in an orphaned block only is not there', async () => {
  for (const method of methods) {
    const { result, levels } = await run(
      method,
      changed({ isCanonical: () => resolvedRead(false) }),
      [hash],
    )
    assert.deepEqual([result, levels], [null, ['none']])
  }
})

test('a pending transaction has null for its place and the cap for its price', async () => {
  const raw = fromHex(
    '0x02f8d0870c72dd9d5e883e038201f48401a2158b83013880947dcd17433742f4c0ca53122ab541d0ba67fc27df808401020304f85bf859947dcd17433742f4c0ca53122ab541d0ba67fc27dff842a00000000000000000000000000000000000000000000000000000000000000000a0010000000000000000000000000000000000000000000000000000000000000001a013441f796609349cf843b8a0b4f7eee7f898657a28aa226c8db3383a4ad87c34a07edae97fbc1f2bcd8e62967b2568bbafe7577ff279d24f89dff6d75336246956',
  )
  const pending = '0x8b63a0e2744c3c93a84d0c3ac637855d182db2aa46ea39e7bfa5df54ac98b72c'
  const network = changed({}, { pool: { pendingTransaction: () => Promise.resolve(raw) } })
  const { result, levels } = await run('eth_getTransactionByHash', network, [pending])
  assert.deepEqual(levels, ['trusted'])
  assert.partialDeepStrictEqual(result, {
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
    transactionIndex: null,
    hash: pending,
    gasPrice: '0x1a2158b',
    nonce: '0x3',
  })
  const other = await run('eth_getTransactionByHash', network, [`0x${'12'.repeat(32)}`])
  assert.deepEqual([other.result, other.levels], [null, ['none']])
})

test('a transaction that left the pool for a block while we looked is found', async () => {
  const vectors = createVectorNetwork()
  let looks = 0
  const locate: Head['locate'] = (wanted) => {
    looks += 1
    return looks === 1 ? [] : vectors.head.locate(wanted, signal)
  }
  const { result } = await run('eth_getTransactionByHash', changed({ locate }), [hash])
  assert.partialDeepStrictEqual(result, { hash, blockNumber: '0x1b' })
})

test('an unknown block is null and unproved for each block-shaped read', async () => {
  const unknown = `0x${'ab'.repeat(32)}`
  const reads: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_getBlockByHash', [unknown, false]],
    ['eth_getBlockByNumber', ['0x3e8', true]],
    ['eth_getBlockReceipts', [unknown]],
    ['eth_getBlockTransactionCountByHash', [unknown]],
    ['eth_getBlockTransactionCountByNumber', ['0x3e8']],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x3e8', '0x0']],
    ['eth_getUncleCountByBlockHash', [unknown]],
    ['eth_getUncleCountByBlockNumber', ['0x3e8']],
  ]
  for (const [method, params] of reads) {
    const { result, levels } = await run(method, changed({}), params)
    assert.deepEqual([method, result, levels], [method, null, ['none']])
  }
})

test('what the executor says is labelled trusted, and it is given the parsed request', async () => {
  const seen: unknown[] = []
  const executor: Partial<EvmExecutor> = {
    call: ({ request, block }) => {
      seen.push(request, block.number)
      return Promise.resolve(Uint8Array.of(0xff, 0xee))
    },
    estimateGas: () => Promise.resolve(21000n),
    accounts: [new Uint8Array(20)],
  }
  const pool: Partial<TransactionPool> = {
    send: (raw) => Promise.resolve(raw),
    pendingNonce: () => Promise.resolve(0x41n),
  }
  const network = changed({}, { executor, pool })
  const address = `0x${'00'.repeat(20)}`
  const expected: readonly (readonly [string, readonly unknown[], unknown])[] = [
    ['eth_call', [{ to: address, input: '0xff01' }, '0x7'], '0xffee'],
    ['eth_estimateGas', [{ to: address, chainId: toQuantity(testChain.chainId) }], '0x5208'],
    ['eth_sendRawTransaction', [`0x${'34'.repeat(32)}`], `0x${'34'.repeat(32)}`],
    ['eth_getTransactionCount', [address, 'pending'], '0x41'],
  ]
  for (const [method, params, result] of expected) {
    const answer = await run(method, network, params)
    assert.deepEqual([answer.result, answer.levels], [result, ['trusted']])
  }
  assert.deepEqual(seen, [{ to: new Uint8Array(20), data: Uint8Array.of(0xff, 0x01) }, 7n])
  const accounts = await run('eth_accounts', network, [])
  assert.deepEqual([accounts.result, accounts.levels], [[toHex(new Uint8Array(20))], []])
})

test('a call for another chain, or with two kinds of price, is refused before it runs', async () => {
  const refused = (call: unknown) => run('eth_call', changed({}), [call])
  await assert.rejects(refused({ chainId: '0x1' }), {
    code: 'execution_failed',
    message: `chainId does not match node's (have=1, want=${testChain.chainId})`,
  })
  await assert.rejects(refused({ gasPrice: '0x1', maxFeePerGas: '0x1' }), {
    code: 'execution_failed',
    message: 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  })
})

test('a transaction larger than any that could be mined is refused unread', async () => {
  const huge = `0x${'00'.repeat(2 * 1024 * 1024 + 1)}`
  await assert.rejects(run('eth_sendRawTransaction', changed({}), [huge]), {
    code: 'pool_refused',
    message: 'oversized data: transaction size 2097153, limit 2097152',
  })
})

test('fee history is judged before it is read', async () => {
  const feeHistory = (params: readonly unknown[]) => run('eth_feeHistory', changed({}), params)
  await assert.rejects(feeHistory(['0x1', '0x37', []]), {
    message: 'request beyond head block: requested 55, head 54',
  })
  await assert.rejects(feeHistory(['0x1', 'latest', [101]]), {
    code: 'execution_failed',
    message: 'invalid reward percentile: 101.000000',
  })
  await assert.rejects(feeHistory(['0x1', 'latest', [50, 50]]), {
    code: 'execution_failed',
    message: 'invalid reward percentile: #0:50.000000 >= #1:50.000000',
  })
  await assert.rejects(feeHistory(['0x1', 'latest']), {
    code: 'bad_params',
    message: 'missing value for required argument 2',
  })
  const none = await feeHistory(['0x0', '0x99', [101]])
  assert.deepEqual(none.result, { oldestBlock: '0x0', gasUsedRatio: null })
})

test('the suggested price is a tip over the base fee of the latest block', async () => {
  const tip = await run('eth_maxPriorityFeePerGas', changed({}), [])
  const price = await run('eth_gasPrice', changed({}), [])
  assert.deepEqual(tip.levels, ['proof'])
  const { baseFeePerGas = assert.fail() } = decodeHeader(parts.at(-1)?.header ?? assert.fail())
  assert.equal(tip.result, toQuantity(testChain.suggestedTip))
  assert.equal(price.result, toQuantity(BigInt(testChain.suggestedTip) + baseFeePerGas))
})
