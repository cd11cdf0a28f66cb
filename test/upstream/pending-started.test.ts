// `pending` behind upstreams, as client libraries request it: anvil, which mines only on request, behind Cairn with `verify:
// require`.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { type Chain, createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { Web3 } from 'web3'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { type CairnWithUpstreams, startBehind } from '../behind-upstreams.ts'
import { type EngineUpstream, engineChainId, startAnvilUpstream } from './engine-upstream.ts'

const cleanUps: (() => unknown)[] = []
const t = {
  after: (run: () => unknown) => void cleanUps.unshift(run),
  diagnostic: (text: string) => console.log(text),
}
let engine: EngineUpstream | null
let cairn: CairnWithUpstreams
let url: string

before(async () => {
  engine = await startAnvilUpstream(t)
  if (engine === null) return
  await engine.mine()
  await engine.say('evm_setAutomine', false)
  cairn = await startBehind(t, [{ url: engine.url, trusted: true }], {
    chainId: engineChainId,
    // anvil's fork rules are not those of its genesis file.
    verify: { default: 'require', eth_call: 'prefer', eth_estimateGas: 'prefer' },
    heads: { pollMs: 50 },
  })
  url = `${cairn.url}/v3/${cairn.apiKey}`
})
after(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
})

function keyOf(index: number): `0x${string}` {
  return devAccounts[index]?.privateKey as `0x${string}`
}

const receiver = `0x${'77'.repeat(20)}` as const

test('ethers sends twice, and reads the pending transactions and the pending block', async (context) => {
  if (engine === null) return context.skip('anvil is not installed')
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 })
  context.after(() => provider.destroy())
  const wallet = new Wallet(keyOf(0), provider)
  // A separate account, so that transactions of other tests do not count.
  const to = `0x${'78'.repeat(20)}`
  const before = await provider.getTransactionCount(wallet.address, 'pending')
  const first = await wallet.sendTransaction({ to, value: 5n })
  // Its nonce includes pending transactions.
  const second = await wallet.sendTransaction({ to, value: 6n })
  assert.deepEqual([first.nonce, second.nonce], [before, before + 1])
  assert.equal(await provider.getTransactionCount(wallet.address, 'pending'), before + 2)
  assert.equal(await provider.getTransactionCount(wallet.address, 'latest'), before)
  assert.equal(await provider.getBalance(to, 'pending'), 11n)
  assert.equal(await provider.getBalance(to, 'latest'), 0n)
  const block = await provider.getBlock('pending')
  assert.deepEqual(block?.transactions, [first.hash, second.hash])
  assert.equal(block.number, (await provider.getBlockNumber()) + 1)
  await engine.mine()
  assert.equal((await second.wait())?.status, 1)
})

test('viem reads the pending block and its transactions', async (context) => {
  if (engine === null) return context.skip('anvil is not installed')
  const chain: Chain = { ...localhost, id: engineChainId }
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = privateKeyToAccount(keyOf(1))
  const wallet = createWalletClient({ account, chain, transport: http(url) })
  const hash = await wallet.sendTransaction({ to: receiver, value: 1n })
  const { address } = account
  assert.equal(await client.getTransactionCount({ address, blockTag: 'pending' }), 1)
  const block = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
  assert.deepEqual(
    block.transactions.map((one) => one.hash),
    [hash],
  )
  assert.equal(await client.getBlockTransactionCount({ blockTag: 'pending' }), 1)
  const first = ['eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'] as const
  const [method, ...params] = first
  assert.deepEqual((await cairn.ask(method, params)).result, await engine.say(...first))
  await client.call({ account, to: receiver, blockTag: 'pending' })
  await client.estimateGas({ account, to: receiver, blockTag: 'pending' })
  assert.equal(await client.getCode({ address: receiver, blockTag: 'pending' }), undefined)
  await client.getFeeHistory({ blockCount: 1, blockTag: 'pending', rewardPercentiles: [50] })
  await engine.mine()
  assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
})

test('web3.js reads the pending block and sends after pending transactions', async (context) => {
  if (engine === null) return context.skip('anvil is not installed')
  const web3 = new Web3(url)
  const from = web3.eth.accounts.wallet.add(keyOf(2))[0]?.address ?? ''
  assert.equal(await web3.eth.getTransactionCount(from, 'pending'), 0n)
  const sent = web3.eth.sendTransaction({ from, to: receiver, value: 1n })
  const hash = await new Promise<string>((resolve) => {
    void sent.on('transactionHash', (one) => resolve(String(one)))
  })
  assert.equal(await web3.eth.getTransactionCount(from, 'pending'), 1n)
  assert.deepEqual((await web3.eth.getBlock('pending')).transactions, [hash])
  assert.equal(await web3.eth.getBlockTransactionCount('pending'), 1n)
  await engine.mine()
  assert.equal((await sent).status, 1n)
})

test('reads at pending are labelled with their trust level', async (context) => {
  if (engine === null) return context.skip('anvil is not installed')
  for (const [method, params] of [
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getBlockTransactionCountByNumber', ['pending']],
    ['eth_getBalance', [receiver, 'pending']],
    ['eth_getTransactionCount', [receiver, 'pending']],
  ] as const) {
    const { error, level } = await cairn.ask(method, params)
    assert.deepEqual([error, level], [undefined, 'trusted'], method)
  }
})
