// Filters of a started server, polled in the sequences that clients use.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type TransactionRequest, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { rpc, startCairn, type Started } from '../started-server.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const gwei = 1_000_000_000n
/** PUSH1 1 (topic) PUSH1 32 PUSH0 LOG1: init code that logs 32 zero bytes. */
const logging = '0x600160205fa1'
const topic = `0x${'1'.padStart(64, '0')}`

type Reply = { readonly result?: unknown; readonly error?: unknown }
type Log = { readonly address: string; readonly blockNumber: string }

async function start(t: TestContext, env: Record<string, string> = {}) {
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  return { cairn, ...clientOf(cairn, cairn.apiKey) }
}

function clientOf(cairn: Started, key: string) {
  const call = (method: string, ...params: unknown[]): Promise<Reply> =>
    rpc(cairn.url, key, method, params)
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { result, error } = await call(method, ...params)
    assert.equal(error, undefined, method)
    return result
  }
  const changes = async (id: unknown) => (await ask('eth_getFilterChanges', id)) as unknown[]
  return { call, ask, changes }
}

function sign(request: TransactionRequest): Promise<string> {
  return alice.signTransaction({
    type: 2,
    chainId: 1337,
    gasLimit: 100_000,
    maxFeePerGas: 2n * gwei,
    maxPriorityFeePerGas: gwei,
    ...request,
  })
}

const unknown = { error: { code: -32_000, message: 'filter not found' } }
const withoutHead = ({ result, error }: Reply) => (error === undefined ? { result } : { error })

test('a block filter returns each later block once, in order', async (t) => {
  const { ask, changes } = await start(t)
  await ask('evm_mine')
  const id = await ask('eth_newBlockFilter')
  assert.deepEqual(await changes(id), [])
  const hashes: unknown[] = []
  for (let blocks = 0; blocks < 3; blocks += 1) {
    await ask('evm_mine')
    hashes.push(((await ask('eth_getBlockByNumber', 'latest', false)) as { hash: string }).hash)
  }
  assert.deepEqual(await changes(id), hashes)
  assert.deepEqual(await changes(id), [])
  assert.equal(await ask('eth_uninstallFilter', id), true)
  assert.equal(await ask('eth_uninstallFilter', id), false)
})

test('an event filter returns the matching logs of later blocks, as eth_getLogs shows them', async (t) => {
  const { ask, changes } = await start(t)
  const all = await ask('eth_newFilter', {})
  const matching = await ask('eth_newFilter', { topics: [topic] })
  const other = await ask('eth_newFilter', { topics: [`0x${'2'.padStart(64, '0')}`] })
  const later = await ask('eth_newFilter', { fromBlock: '0x2' })
  const early = await ask('eth_newFilter', { fromBlock: 'earliest', toBlock: '0x1' })
  await ask('eth_sendRawTransaction', await sign({ nonce: 0, data: logging }))
  const first = (await ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })) as Log[]
  assert.equal(first.length, 1)
  for (const id of [all, matching, early]) assert.deepEqual(await changes(id), first)
  for (const id of [other, later, all]) assert.deepEqual(await changes(id), [])

  await ask('eth_sendRawTransaction', await sign({ nonce: 1, data: logging }))
  const second = (await ask('eth_getLogs', { fromBlock: '0x2' })) as Log[]
  assert.notEqual(second[0]?.address, first[0]?.address)
  for (const id of [all, matching, later]) assert.deepEqual(await changes(id), second)
  assert.deepEqual(await changes(early), [])
  const ofFirst = await ask('eth_newFilter', { address: first[0]?.address, fromBlock: '0x0' })
  assert.deepEqual(await changes(ofFirst), [])
  assert.deepEqual(await ask('eth_getFilterLogs', ofFirst), first)
  assert.deepEqual(await ask('eth_getFilterLogs', all), second)
})

test('a pending filter returns a transaction once, when it becomes executable', async (t) => {
  const { ask, changes } = await start(t, { CAIRN_CHAIN_MINING: 'off' })
  const id = await ask('eth_newPendingTransactionFilter')
  const to = alice.address
  const second = await ask('eth_sendRawTransaction', await sign({ nonce: 1, to }))
  assert.deepEqual(await changes(id), [])
  const first = await ask('eth_sendRawTransaction', await sign({ nonce: 0, to }))
  assert.deepEqual(await changes(id), [first, second])
  await ask('evm_mine')
  assert.deepEqual(await changes(id), [])
})

test('with mining auto a pending filter returns transactions that are already in a block', async (t) => {
  const { ask, changes } = await start(t)
  const id = await ask('eth_newPendingTransactionFilter', false)
  const hash = await ask('eth_sendRawTransaction', await sign({ nonce: 0, to: alice.address }))
  assert.deepEqual(await changes(id), [hash])
})

test('filters belong to their key, are limited by key, and unknown IDs are not found', async (t) => {
  const { cairn, ask, call } = await start(t)
  const { apiKey } = (await cairn.cli('keys', 'create')) as { apiKey: string }
  const other = clientOf(cairn, apiKey)
  const id = await ask('eth_newBlockFilter')
  assert.deepEqual(withoutHead(await other.call('eth_getFilterChanges', id)), unknown)
  assert.deepEqual(withoutHead(await other.call('eth_getFilterLogs', id)), unknown)
  assert.equal(await other.ask('eth_uninstallFilter', id), false)
  assert.deepEqual(withoutHead(await call('eth_getFilterLogs', id)), unknown)
  assert.deepEqual(withoutHead(await call('eth_getFilterChanges', '0x1')), unknown)
  assert.deepEqual(withoutHead(await call('eth_getFilterChanges', 1)), {
    error: {
      code: -32_602,
      message: 'invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID',
    },
  })
  for (let made = 1; made < 100; made += 1) await ask('eth_newBlockFilter')
  assert.deepEqual(withoutHead(await call('eth_newFilter', {})), {
    error: {
      code: -32_000,
      message: 'too many filters, limit is 100',
      data: { code: 'over_filters' },
    },
  })
  await other.ask('eth_newBlockFilter')
  await ask('eth_uninstallFilter', id)
  await ask('eth_newBlockFilter')
})

test('a filter with an impossible block range is refused at creation', async (t) => {
  const { call } = await start(t)
  const refused = async (filter: unknown, message: string) =>
    assert.deepEqual(withoutHead(await call('eth_newFilter', filter)), {
      error: { code: -32_602, message },
    })
  await refused({ fromBlock: '0x5', toBlock: '0x4' }, 'invalid block range params')
  await refused({ toBlock: '0x4' }, 'invalid block range params')
  await refused({ fromBlock: 'pending' }, 'pending logs are not supported')
  await refused({ fromBlock: 'safe' }, 'invalid block range params')
})

test('a poll with a reply that is too large loses nothing: the next polls return it in parts', async (t) => {
  const { call, ask } = await start(t, { CAIRN_RPC_RESPONSE_BYTES_MAX: '2048' })
  const id = await ask('eth_newFilter', {})
  const blocks = await ask('eth_newBlockFilter')
  for (let nonce = 0; nonce < 12; nonce += 1) {
    await ask('eth_sendRawTransaction', await sign({ nonce, data: logging }))
  }
  const numbers: string[] = []
  let refused = 0
  for (let polls = 0; polls < 40 && numbers.length < 12; polls += 1) {
    const { result, error } = await call('eth_getFilterChanges', id)
    if (error === undefined)
      numbers.push(...(result as Log[]).map(({ blockNumber }) => blockNumber))
    else {
      assert.deepEqual(error, { code: -32_003, message: 'response too large' })
      refused += 1
    }
  }
  assert.ok(refused > 0)
  assert.deepEqual(
    numbers,
    Array.from({ length: 12 }, (_, at) => `0x${(at + 1).toString(16)}`),
  )
  assert.equal(((await ask('eth_getFilterChanges', blocks)) as unknown[]).length, 12)
})
