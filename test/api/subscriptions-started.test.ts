// Subscriptions of a started server, frame by frame: content, order and price of each kind.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type TransactionRequest, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { openWebSocket, refusedUpgrade, type WebSocketClient } from '../fakes/web-socket-client.ts'
import { startCairn, type Started } from '../started-server.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const gwei = 1_000_000_000n
/** PUSH1 1 (topic) PUSH1 32 PUSH0 LOG1: init code that logs 32 zero bytes. */
const logging = '0x600160205fa1'

type Event = { readonly params: { readonly subscription: string; readonly result: unknown } }

let cairn: Started
let nonce = 0
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

async function connect(
  t: TestContext,
  key = cairn.apiKey,
  server = cairn,
): Promise<WebSocketClient> {
  const client = await openWebSocket(`${server.url}/ws/v3/${key}`)
  t.after(() => client.close())
  return client
}

async function subscribe(client: WebSocketClient, ...params: unknown[]): Promise<string> {
  const { result } = await client.ask('eth_subscribe', ...params)
  assert.match(String(result), /^0x[0-9a-f]{32}$/)
  return String(result)
}

async function ask(server: Started, method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await server.rpc(method, params)
  assert.equal(error, undefined, method)
  return result
}

async function send(server: Started, request: TransactionRequest): Promise<string> {
  const raw = await alice.signTransaction({
    type: 2,
    chainId: 1337,
    gasLimit: 100_000,
    maxFeePerGas: 2n * gwei,
    maxPriorityFeePerGas: gwei,
    ...request,
  })
  return String(await ask(server, 'eth_sendRawTransaction', raw))
}

test('a head equals the header of eth_getBlockByNumber, a log the entry of eth_getLogs', async (t) => {
  const client = await connect(t)
  const heads = await subscribe(client, 'newHeads')
  const logs = await subscribe(client, 'logs', { topics: [`0x${'1'.padStart(64, '0')}`] })
  await send(cairn, { nonce: nonce++, data: logging })
  const events = [await client.nextJson<Event>(), await client.nextJson<Event>()]
  const of = (id: string) => events.find(({ params }) => params.subscription === id)?.params.result
  const block = (await ask(cairn, 'eth_getBlockByNumber', 'latest', false)) as object
  const {
    size: _,
    transactions: __,
    uncles: ___,
    withdrawals: ____,
    ...header
  } = block as Record<string, unknown>
  assert.deepEqual(of(heads), header)
  assert.deepEqual([of(logs)], await ask(cairn, 'eth_getLogs', {}))
})

test('a pending transaction is sent once, by its hash or complete, while it is pending', async (t) => {
  const waiting = await startCairn({ env: { CAIRN_CHAIN_MINING: 'off' } })
  t.after(() => waiting.stop())
  const client = await connect(t, waiting.apiKey, waiting)
  const hashes = await subscribe(client, 'newPendingTransactions')
  const whole = await subscribe(client, 'newPendingTransactions', true)
  const hash = await send(waiting, { nonce: 0, to: alice.address })
  const received = new Map<string, unknown>()
  for (let events = 0; events < 2; events += 1) {
    const { params } = await client.nextJson<Event>()
    received.set(params.subscription, params.result)
  }
  assert.equal(received.get(hashes), hash)
  assert.deepEqual(received.get(whole), await ask(waiting, 'eth_getTransactionByHash', hash))
  assert.equal((received.get(whole) as { blockHash: unknown }).blockHash, null)
})

test('a transaction that is already in a block is still sent as pending', async (t) => {
  const client = await connect(t)
  await subscribe(client, 'newPendingTransactions', true)
  const hash = await send(cairn, { nonce: nonce++, to: alice.address })
  const { params } = await client.nextJson<Event>()
  const { hash: named, blockNumber } = params.result as Record<string, unknown>
  assert.deepEqual([named, blockNumber], [hash, null])
})

test('a subscription ends with the reply to its unsubscribe, and an unknown ID is refused as in geth', async (t) => {
  const client = await connect(t)
  const id = await subscribe(client, 'newHeads')
  const remaining = await subscribe(client, 'newHeads')
  assert.equal((await client.ask('eth_unsubscribe', id)).result, true)
  await ask(cairn, 'evm_mine')
  assert.equal((await client.nextJson<Event>()).params.subscription, remaining)
  assert.equal(client.frames.length, 0)
  const { error } = await client.ask('eth_unsubscribe', id)
  assert.deepEqual(error, { code: -32_000, message: 'subscription not found' })
  const other = await connect(t)
  assert.notEqual((await other.ask('eth_unsubscribe', remaining)).error, undefined)
  assert.deepEqual((await client.ask('eth_subscribe', 'nope')).error, {
    code: -32_601,
    message: 'no "nope" subscription in eth namespace',
  })
  assert.deepEqual((await cairn.rpc('eth_subscribe', ['newHeads'])).error, {
    code: -32_601,
    message: 'notifications not supported',
  })
})

test('in a batch the IDs are sent before any of their events', async (t) => {
  const client = await connect(t)
  const call = (id: number, kind: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_subscribe',
    params: [kind],
  })
  const mine = { jsonrpc: '2.0', id: 3, method: 'evm_mine', params: [] }
  client.socket.send(JSON.stringify([call(1, 'newHeads'), call(2, 'syncing'), mine]))
  const replies = await client.nextJson<readonly { id: number; result: string }[]>()
  assert.deepEqual(
    replies.map(({ id }) => id),
    [1, 2, 3],
  )
  await ask(cairn, 'evm_mine')
  const first = await client.nextJson<Event>()
  assert.equal(first.params.subscription, replies[0]?.result)
})

test('a subscription whose ID cannot be returned is not created: in a notification, or beyond the reply limit', async (t) => {
  const small = await startCairn({ env: { CAIRN_RPC_RESPONSE_BYTES_MAX: '1024' } })
  t.after(() => small.stop())
  const client = await connect(t, small.apiKey, small)
  const call = { jsonrpc: '2.0', method: 'eth_subscribe', params: ['newHeads'] }
  client.socket.send(JSON.stringify(call))
  const batch = Array.from({ length: 20 }, (_, id) => ({ ...call, id }))
  client.socket.send(JSON.stringify(batch))
  const replies = await client.nextJson<readonly { result?: string; error?: object }[]>()
  const ids = replies.flatMap(({ result }) => (result === undefined ? [] : [result]))
  assert.ok(ids.length > 0 && ids.length < 20)
  await ask(small, 'evm_mine')
  const eventIds: string[] = []
  for (let events = 0; events < ids.length; events += 1) {
    eventIds.push((await client.nextJson<Event>()).params.subscription)
  }
  assert.deepEqual(eventIds, ids)
  assert.equal((await client.ask('eth_chainId')).result, '0x539')
})

test('events are charged to the daily limit of the key, and the connection closes once it is used up', async (t) => {
  const made = (await cairn.cli('keys', 'create', '--units-per-day', '160')) as {
    id: string
    apiKey: string
  }
  const client = await connect(t, made.apiKey)
  // 5 units for the call, then 50 for each head: the fourth exceeds the limit.
  await subscribe(client, 'newHeads')
  for (let mined = 0; mined < 4; mined += 1) await ask(cairn, 'evm_mine')
  assert.deepEqual(await client.ended, {
    code: 1008,
    reason: 'daily request count exceeded, request rate limited',
  })
  assert.equal(client.frames.length, 3)
})

test('the access checks of a key apply to the upgrade request as over HTTP', async () => {
  const keyWith = async (...options: string[]) =>
    (await cairn.cli('keys', 'create', ...options)) as { apiKey: string; apiKeySecret: string }
  const refusal = async (key: string, options: object = {}) => {
    const { status, body } = await refusedUpgrade(`${cairn.url}/ws/v3/${key}`, options)
    return [status, (JSON.parse(body) as { error: { data: { reason: string } } }).error.data.reason]
  }
  const page = await keyWith('--allow-origin', 'https://app.example')
  assert.deepEqual(await refusal(page.apiKey), [403, 'origin'])
  const elsewhere = { origin: 'https://evil.example' }
  assert.deepEqual(await refusal(page.apiKey, elsewhere), [403, 'origin'])
  const opened = await openWebSocket(`${cairn.url}/ws/v3/${page.apiKey}`, {
    origin: 'https://app.example',
  })
  await opened.close()
  const agent = await keyWith('--allow-user-agent', 'my-app/')
  assert.deepEqual(await refusal(agent.apiKey), [403, 'user_agent'])
  const address = await keyWith('--allow-ip', '192.0.2.7')
  assert.deepEqual(await refusal(address.apiKey), [403, 'ip'])
  const shut = await keyWith('--secret-required')
  assert.deepEqual(await refusal(shut.apiKey), [403, 'secret_required'])
  const authorization = `Basic ${Buffer.from(`:${shut.apiKeySecret}`).toString('base64')}`
  const entered = await openWebSocket(`${cairn.url}/ws/v3/${shut.apiKey}`, {
    headers: { authorization },
  })
  await entered.close()
})

test('an address allowlist applies to log subscriptions', async (t) => {
  const listed = `0x${'ab'.repeat(20)}`
  const made = (await cairn.cli('keys', 'create', '--allow-address', listed)) as { apiKey: string }
  const client = await connect(t, made.apiKey)
  const { error } = (await client.ask('eth_subscribe', 'logs', {})) as {
    error: { data: unknown }
  }
  assert.deepEqual(error.data, { code: 'refused_by_setting', reason: 'address' })
  await subscribe(client, 'logs', { address: listed })
  await subscribe(client, 'newHeads')
})
