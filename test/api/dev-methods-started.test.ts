// The methods of development tools on a started server: their permissions and replies, and that the state which they change is
// still proved.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { toQuantity } from '../../src/base/hex.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { startBehind } from '../behind-upstreams.ts'
import { verdictOn } from '../fakes/bundles.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openWebSocket } from '../fakes/web-socket-client.ts'
import { type Started, rpc, startCairn, temporaryFolder } from '../started-server.ts'

const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const stranger = '0x00000000219ab540356cbb839cbe05303d7705fa'
const [alice = '', bob = ''] = devAccounts.map(({ address }) => address)
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const ether = 10n ** 18n

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

type Block = {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly baseFeePerGas: string
  readonly gasLimit: string
  readonly miner: string
  readonly mixHash: string
  readonly transactions: readonly string[]
}

async function ask<Result = unknown>(method: string, ...params: unknown[]): Promise<Result> {
  const { result, error } = await cairn.rpc(method, params)
  assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
  return result as Result
}

async function refusal(method: string, ...params: unknown[]) {
  const { result, error } = await cairn.rpc(method, params)
  assert.equal(result, undefined, method)
  return error as { code: number; message: string }
}

const latest = () => ask<Block>('eth_getBlockByNumber', 'latest', false)

/** Returns the answer after its bundle proves it against the hash of its block. */
async function proved(method: string, ...params: unknown[]): Promise<unknown> {
  const { hash } = await latest()
  const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}?proof=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  assert.equal(response.headers.get('x-cairn-verified'), 'proof', method)
  const { result, proof } = (await response.json()) as { result: unknown; proof: unknown }
  const verdict = await verdictOn(proof, hash)
  assert.ok(!('refused' in verdict), JSON.stringify(verdict))
  assert.deepEqual(JSON.parse(verdict.result), result)
  return result
}

test('a key made later may not, until its setting says so', async () => {
  const { id, apiKey } = (await cairn.cli('keys', 'create', '--account', 'default')) as {
    id: string
    apiKey: string
  }
  const methods = ['evm_snapshot', 'evm_mine', 'hardhat_reset', 'anvil_dropAllTransactions']
  for (const method of methods) {
    const { error } = await rpc(cairn.url, apiKey, method)
    assert.deepEqual(error, {
      code: -32004,
      message: `${method} changes the chain: it needs a key with the setting devMethods`,
      data: { code: 'method_not_offered', reason: 'dev_methods' },
    })
  }
  const send = await rpc(cairn.url, apiKey, 'eth_sendTransaction', [{ from: alice, to: bob }])
  assert.partialDeepStrictEqual(send.error, {
    code: -32004,
    message:
      'this server stores no private keys: sign in the client, then use eth_sendRawTransaction',
  })
  assert.match(String((await rpc(cairn.url, apiKey, 'web3_clientVersion')).result), /^Cairn\/v/)
  await cairn.cli('keys', 'set', id, '--dev-methods')
  let answer = await rpc(cairn.url, apiKey, 'evm_mine')
  // The running server reads another process's changes within a second.
  while (answer.error !== undefined) answer = await rpc(cairn.url, apiKey, 'evm_mine')
  assert.equal(answer.result, '0x0')
})

test('a server that others can reach gives its first key no such right', async (t) => {
  const open = await startCairn({ env: { CAIRN_HTTP_TRUSTED_PROXIES: '127.0.0.1' } })
  t.after(() => open.stop())
  assert.partialDeepStrictEqual((await open.rpc('evm_snapshot')).error, { code: -32004 })
})

test('networks behind upstreams never have them', async (t) => {
  const chain = await openStubChain()
  const stub = await startStubUpstream(t, chain)
  const chainId = Number(chain.chainId)
  const behind = await startBehind(t, [{ url: stub.url, trusted: true }], { chainId })
  for (const method of ['evm_snapshot', 'hardhat_setBalance', 'anvil_mine']) {
    assert.partialDeepStrictEqual((await behind.rpc(method, [alice, '0x1'])).error, {
      code: -32601,
    })
  }
  assert.partialDeepStrictEqual((await behind.rpc('eth_sendTransaction', [{}])).error, {
    code: -32004,
  })
})

test('balances, code, nonces and slots change at once, and their answers are proved', async () => {
  const before = await latest()
  assert.equal(await ask('hardhat_setBalance', stranger, toQuantity(5n * ether)), true)
  assert.equal(await ask('anvil_setCode', stranger, '0x5f545f5260205ff3'), null)
  assert.equal(await ask('anvil_setNonce', stranger, '0x9'), null)
  assert.equal(await ask('hardhat_setStorageAt', stranger, '0x0', word(77)), true)
  const block = await latest()
  assert.equal(BigInt(block.number) - BigInt(before.number), 4n)
  assert.equal(block.timestamp, before.timestamp)
  assert.equal(await proved('eth_getBalance', stranger, 'latest'), toQuantity(5n * ether))
  assert.equal(await proved('eth_getCode', stranger, 'latest'), '0x5f545f5260205ff3')
  assert.equal(await proved('eth_getTransactionCount', stranger, 'latest'), '0x9')
  assert.equal(await proved('eth_getStorageAt', stranger, '0x0', 'latest'), word(77))
  assert.equal(await ask('eth_call', { to: stranger }, 'latest'), word(77))
  // The block records the change as a transaction, which is proved too but cannot be traced.
  const [hash = ''] = block.transactions
  const recorded = await ask('eth_getTransactionByHash', hash)
  assert.partialDeepStrictEqual(recorded, {
    from: '0xfffffffffffffffffffffffffffffffffffffffe',
    gas: '0x0',
    blockHash: block.hash,
    impersonated: true,
  })
  assert.partialDeepStrictEqual(await ask('eth_getTransactionReceipt', hash), {
    status: '0x1',
    gasUsed: '0x0',
  })
  await proved('eth_getBlockByHash', block.hash, true)
  assert.equal(
    (await refusal('debug_traceTransaction', hash)).message,
    `block ${BigInt(block.number)} records changes of accounts and is not traceable`,
  )
  assert.deepEqual(await refusal('hardhat_setNonce', stranger, '0x8'), {
    code: -32000,
    message: 'new nonce 8 is smaller than the existing nonce 9',
  })
})

test('development accounts and impersonated ones send without a signature', async () => {
  const unknown = await refusal('eth_sendTransaction', { from: sample, to: bob, value: '0x1' })
  assert.match(unknown.message, /^unknown account 0x295a.*: sign in the client, or impersonate it/)
  assert.equal(await ask('hardhat_impersonateAccount', sample), true)
  await ask('hardhat_setBalance', sample, toQuantity(ether))
  const hash = await ask('eth_sendTransaction', { from: sample, to: bob, value: '0x1' })
  assert.partialDeepStrictEqual(await ask('eth_getTransactionReceipt', hash), {
    status: '0x1',
    from: sample,
  })
  const { hash: blockHash } = await latest()
  assert.partialDeepStrictEqual(
    await proved('eth_getTransactionByBlockHashAndIndex', blockHash, '0x0'),
    { hash, from: sample, impersonated: true },
  )
  assert.partialDeepStrictEqual(
    await ask('debug_traceTransaction', hash, { tracer: 'callTracer' }),
    {
      from: sample,
      to: bob,
    },
  )
  assert.equal(await ask('hardhat_stopImpersonatingAccount', sample), true)
  assert.equal(await ask('hardhat_stopImpersonatingAccount', sample), false)

  const own = await ask('eth_sendTransaction', { to: bob, value: '0x1' })
  const sent = await ask<Record<string, unknown>>('eth_getTransactionByHash', own)
  assert.equal(sent['from'], alice)
  assert.ok(!('impersonated' in sent))
  const free = await ask('eth_sendUnsignedTransaction', { from: sample, to: bob, value: '0x1' })
  assert.partialDeepStrictEqual(await ask('eth_getTransactionReceipt', free), { from: sample })

  // A client cannot submit the same bytes as a raw transaction.
  const raw = await ask('eth_getRawTransactionByHash', free)
  assert.deepEqual(await refusal('eth_sendRawTransaction', raw), {
    code: -32000,
    message: 'invalid sender: invalid transaction v, r, s values',
  })
})

test('calls without a nonce at the same time get one each', async () => {
  const send = () =>
    ask('eth_sendTransaction', { from: bob, to: alice, value: '0x1', gas: '0x5208' })
  const hashes = await Promise.all(Array.from({ length: 8 }, send))
  assert.equal(new Set(hashes).size, 8)
})

test('subscriptions and filters follow a revert as a reorg', async (t) => {
  // Code that logs an empty LOG0 at each call.
  await ask('hardhat_setCode', stranger, '0x5f5fa0')
  const client = await openWebSocket(`${cairn.url}/ws/v3/${cairn.apiKey}`)
  t.after(() => client.close())
  const { result: logs } = await client.ask('eth_subscribe', 'logs', { address: stranger })
  const filter = await ask('eth_newFilter', { address: stranger })
  const blocks = await ask('eth_newBlockFilter')
  const snapshot = await ask('evm_snapshot')
  const { number } = await latest()
  const hash = await ask('eth_sendTransaction', { from: bob, to: stranger })
  const gone = await latest()
  assert.equal(await ask('evm_revert', snapshot), true)
  assert.equal(await ask('evm_revert', snapshot), false)
  assert.equal((await latest()).number, number)
  assert.equal(await ask('eth_getTransactionReceipt', hash), null)
  assert.equal(await ask('eth_getBlockByNumber', gone.number, false), null)
  await ask('evm_mine')
  const { hash: next } = await latest()
  type Event = { params: { subscription: unknown; result: { removed: boolean } } }
  const events = [await client.nextJson<Event>(), await client.nextJson<Event>()]
  assert.deepEqual(
    events.map(({ params }) => [params.subscription, params.result.removed ?? false]),
    [
      [logs, false],
      [logs, true],
    ],
  )
  assert.deepEqual(await ask('eth_getFilterChanges', filter), [])
  assert.deepEqual(await ask('eth_getFilterChanges', blocks), [next])
})

test('the clock is set and moved, and survives a restart with the mining mode', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  let server = await startCairn({ dataDir })
  t.after(() => server.stop())
  const { apiKey } = server
  const call = async (method: string, ...params: unknown[]) => {
    const { result, error } = await rpc(server.url, apiKey, method, params)
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result
  }
  const time = async () => {
    const block = (await call('eth_getBlockByNumber', 'latest', false)) as Block
    return BigInt(block.timestamp)
  }
  await call('evm_mine', 4_000_000_000)
  assert.equal(await time(), 4_000_000_000n)
  await call('evm_setNextBlockTimestamp', '0xee6b2864')
  await call('hardhat_mine', '0x3', '0x3c')
  assert.equal(await time(), 4_000_000_100n + 120n)
  await call('anvil_setBlockTimestampInterval', 7)
  await call('anvil_mine', 2)
  assert.equal(await time(), 4_000_000_234n)
  assert.equal(await call('evm_setAutomine', false), true)
  await server.stop()
  server = await startCairn({ dataDir })
  assert.equal(await call('hardhat_getAutomine'), false)
  await call('evm_mine')
  assert.equal(await time(), 4_000_000_241n)
  assert.equal(await call('anvil_removeBlockTimestampInterval'), true)
  await call('evm_mine')
  assert.ok((await time()) < 4_000_100_000n)
})

test('blocks by time begin and end with their order', async (t) => {
  const client = await openWebSocket(`${cairn.url}/ws/v3/${cairn.apiKey}`)
  t.after(() => client.close())
  await client.ask('eth_subscribe', 'newHeads')
  assert.equal(await ask('evm_setIntervalMining', 100), true)
  assert.equal(await ask('anvil_getIntervalMining'), 0.1)
  const first = await client.nextJson<{ params: { result: Block } }>()
  const second = await client.nextJson<{ params: { result: Block } }>()
  assert.equal(BigInt(second.params.result.number) - BigInt(first.params.result.number), 1n)
  // In seconds, as anvil's method of this name.
  await ask('evm_setIntervalMining', 5)
  assert.equal(await ask('anvil_getIntervalMining'), 5)
  await ask('evm_setIntervalMining', [1000, 2000])
  await ask('anvil_setIntervalMining', 0)
  assert.equal(await ask('anvil_getIntervalMining'), null)
})

test('the next block has the fee, the randomness, the recipient and the limit that were set', async () => {
  await ask('hardhat_setNextBlockBaseFeePerGas', '0x2540be400')
  await ask('hardhat_setPrevRandao', word(5))
  await ask('anvil_setCoinbase', stranger)
  assert.equal(await ask('eth_coinbase'), stranger)
  await ask('evm_setBlockGasLimit', '0x2000000')
  await ask('eth_sendTransaction', { from: bob, to: alice, value: '0x1' })
  assert.partialDeepStrictEqual(await latest(), {
    baseFeePerGas: '0x2540be400',
    mixHash: word(5),
    miner: stranger,
    gasLimit: '0x2000000',
  })
})

test('pending transactions are dropped', async () => {
  await ask('evm_setAutomine', false)
  const send = () => ask('eth_sendTransaction', { from: bob, to: alice, gas: '0x5208' })
  const [one, two] = [await send(), await send()]
  const waiting = async () =>
    (await ask<{ hash: string }[]>('eth_pendingTransactions')).map(({ hash }) => hash)
  assert.deepEqual(await waiting(), [one, two])
  assert.equal(await ask('hardhat_dropTransaction', two), true)
  assert.deepEqual(await waiting(), [one])
  assert.equal(await ask('hardhat_dropTransaction', two), false)
  await ask('evm_mine')
  assert.match((await refusal('hardhat_dropTransaction', one)).message, /already in a block$/)
  const three = await send()
  assert.equal(await ask('anvil_dropTransaction', three), three)
  assert.equal(await ask('anvil_dropTransaction', three), null)
  await send()
  await ask('anvil_removePoolTransactions', bob)
  await send()
  await ask('anvil_dropAllTransactions')
  assert.deepEqual(await ask('txpool_status'), { pending: '0x0', queued: '0x0' })
  await ask('evm_setAutomine', true)
})

test('wrong values are refused by their text, and nothing changes', async () => {
  const { hash } = await latest()
  const cases: readonly (readonly [method: string, params: readonly unknown[], message: RegExp])[] =
    [
      ['hardhat_mine', ['0x2711'], /more than 10000 blocks at once: 10001, call it several times/],
      ['evm_mine', [{ blocks: 10_001 }], /more than 10000 blocks: 10001/],
      ['hardhat_setBalance', ['0x1', '0x1'], /invalid argument 0/],
      ['hardhat_setBalance', [alice, '-1'], /invalid argument 1: invalid number "-1"/],
      ['hardhat_setBalance', [alice], /missing value for required argument 1/],
      ['hardhat_setStorageAt', [alice, '0x0', '0x1'], /invalid argument 2/],
      ['evm_setNextBlockTimestamp', ['0x1'], /timestamp 1 is not later than the latest block/],
      ['evm_setBlockGasLimit', ['0x1'], /a gas limit of 1, at least 5000 is needed/],
      ['evm_setIntervalMining', [[5, 1]], /two numbers of milliseconds from 100 on/],
      ['evm_setIntervalMining', [86_400_001], /at most 86400000/],
      ['evm_setAutomine', ['yes'], /invalid argument 0/],
      [
        'hardhat_reset',
        [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }],
        /set fork of the embedded chain/,
      ],
      [
        'anvil_setMinGasPrice',
        ['0x1'],
        /^anvil_setMinGasPrice is not supported when EIP-1559 is active$/,
      ],
      ['eth_sendTransaction', [{ from: alice }], /contract creation without any data provided/],
      ['eth_sendTransaction', [{ from: alice, to: bob, chainId: '0x1' }], /chainId does not match/],
      ['evm_revert', [null], /missing value|invalid/],
      ['anvil_dumpState', [], /no dump of its state/],
      ['hardhat_setRpcUrl', ['http://127.0.0.1:1'], /no dump of its state/],
    ]
  for (const [method, params, message] of cases) {
    assert.match((await refusal(method, ...params)).message, message, method)
  }
  assert.equal((await latest()).hash, hash)
})

test('tools that ask which chain they talk to get an answer', async () => {
  assert.match(await ask('web3_clientVersion'), /^HardhatNetwork-compatible\/Cairn\/v/)
  const { hash, number } = await latest()
  const before = await ask<{ instanceId: string }>('hardhat_metadata')
  assert.partialDeepStrictEqual(before, {
    chainId: 1337,
    latestBlockNumber: Number(number),
    latestBlockHash: hash,
  })
  assert.partialDeepStrictEqual(await ask('anvil_nodeInfo'), {
    currentBlockNumber: number,
    currentBlockHash: hash,
    hardFork: 'osaka',
    environment: { chainId: 1337 },
  })
  assert.equal(await ask('hardhat_reset'), true)
  assert.equal(await ask('eth_blockNumber'), '0x0')
  const { instanceId } = await ask<{ instanceId: string }>('hardhat_metadata')
  assert.notEqual(instanceId, before.instanceId)
})

test('a block of a change pays no reward, so fee estimators of clients get numbers', async () => {
  await ask('hardhat_setBalance', stranger, '0x1')
  const { reward } = await ask<{ reward: readonly (readonly string[])[] }>(
    'eth_feeHistory',
    '0x1',
    'latest',
    [20, 50],
  )
  assert.deepEqual(reward, [['0x0', '0x0']])
})
