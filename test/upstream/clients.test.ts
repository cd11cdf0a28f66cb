// ethers, viem and web3.js through Cairn to another chain engine: deploy, send, wait, read, and a reorg.
import assert from 'node:assert/strict'
import { before, test, after } from 'node:test'
import { JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import { type Chain, createPublicClient, createWalletClient, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { Web3 } from 'web3'
import { systemClock } from '../../src/base/clock.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { type CairnWithUpstreams, startBehind } from '../behind-upstreams.ts'
import { mappingSlot, storageInit, storageRuntime, word } from '../fakes/storage-contract.ts'
import { type EngineUpstream, engineChainId, startEngineUpstream } from './engine-upstream.ts'

const cleanUps: (() => unknown)[] = []
const t = {
  after: (run: () => unknown) => void cleanUps.unshift(run),
  diagnostic: (text: string) => console.log(text),
}
let engine: EngineUpstream | null
let cairn: CairnWithUpstreams
let url: string

before(async () => {
  engine = await startEngineUpstream(t)
  if (engine === null) return
  // Its first block cannot be proved, see differential.test.ts.
  await engine.say('evm_mine')
  cairn = await startBehind(t, [{ url: engine.url, trusted: true }], {
    chainId: engineChainId,
    verify: 'require',
    genesisFile: engine.genesisFile,
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

test('ethers deploys, sends, waits and reads proved values', async (context) => {
  if (engine === null) return context.skip('EDR is not installed')
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 })
  context.after(() => provider.destroy())
  const wallet = new Wallet(keyOf(0), provider)
  const deployed = await (await wallet.sendTransaction({ data: storageInit })).wait()
  const address = deployed?.contractAddress ?? ''
  assert.equal(await provider.getCode(address), storageRuntime)
  assert.equal(await provider.getStorage(address, 0), `0x${word(1234)}`)
  assert.equal(await provider.getStorage(address, mappingSlot), `0x${word(5678)}`)
  assert.equal(await provider.call({ to: address, data: `0x${word(0)}` }), `0x${word(1234)}`)
  for (const type of [0, 1, 2]) {
    const sent = await wallet.sendTransaction({
      type,
      to: address,
      data: `0x${word(7)}${word(type)}`,
    })
    const receipt = await sent.wait()
    assert.equal(receipt?.status, 1)
    assert.equal(await provider.getStorage(address, 7), `0x${word(type)}`)
    const read = await cairn.ask('eth_getTransactionByBlockHashAndIndex', [
      receipt.blockHash,
      '0x0',
    ])
    assert.equal((read.result as { hash: string }).hash, sent.hash)
    assert.equal(read.level, 'proof')
    assert.equal((await cairn.ask('eth_getTransactionReceipt', [sent.hash])).level, 'proof')
  }
})

test('viem deploys, sends, waits and reads proved values', async (context) => {
  if (engine === null) return context.skip('EDR is not installed')
  const chain: Chain = { ...localhost, id: engineChainId }
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = privateKeyToAccount(keyOf(1))
  const wallet = createWalletClient({ account, chain, transport: http(url) })
  const hash = await wallet.deployContract({ abi: [], bytecode: storageInit })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const address = contractAddress ?? '0x'
  assert.equal(await client.getCode({ address }), storageRuntime)
  assert.equal(await client.getStorageAt({ address, slot: '0x0' }), `0x${word(1234)}`)
  const sent = await wallet.sendTransaction({ to: address, data: `0x${word(7)}${word(42)}` })
  const { blockHash, status } = await client.waitForTransactionReceipt({ hash: sent })
  assert.equal(status, 'success')
  assert.equal(await client.getStorageAt({ address, slot: '0x7' }), `0x${word(42)}`)
  const block = await client.getBlock({ blockHash, includeTransactions: true })
  assert.deepEqual(
    block.transactions.map((transaction) => transaction.hash),
    [sent],
  )
})

test('web3.js deploys, sends, waits and reads proved values', async (context) => {
  if (engine === null) return context.skip('EDR is not installed')
  const web3 = new Web3(url)
  const from = web3.eth.accounts.wallet.add(keyOf(2))[0]?.address ?? ''
  const deployed = await web3.eth.sendTransaction({ from, data: storageInit })
  const to = deployed.contractAddress ?? ''
  assert.equal(await web3.eth.getStorageAt(to, 0), `0x${word(1234)}`)
  const sent = await web3.eth.sendTransaction({ from, to, data: `0x${word(7)}${word(42)}` })
  assert.equal(sent.status, 1n)
  assert.equal(await web3.eth.getStorageAt(to, 7), `0x${word(42)}`)
  const found = await web3.eth.getTransactionFromBlock(
    String(sent.blockHash),
    sent.transactionIndex,
  )
  assert.equal(found?.hash, sent.transactionHash)
})

test('after a reorg blocks of the new branch are found by number, and of the old branch only by hash', async (context) => {
  if (engine === null) return context.skip('EDR is not installed')
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 })
  context.after(() => provider.destroy())
  const wallet = new Wallet(keyOf(3), provider)
  const receiver = `0x${'77'.repeat(20)}`
  const fork = await provider.getBlockNumber()
  const snapshot = await engine.say<string>('evm_snapshot')
  const sent = await wallet.sendTransaction({ to: receiver, value: 5n })
  const receipt = await sent.wait()
  const left = receipt?.blockHash ?? ''
  assert.equal(await provider.getBalance(receiver), 5n)
  const orphan = await cairn.ask('eth_getBlockByHash', [left, true])
  assert.equal(await engine.say('evm_revert', snapshot), true)
  const straight = new JsonRpcProvider(engine.url, undefined, { batchMaxCount: 1 })
  context.after(() => straight.destroy())
  await new Wallet(keyOf(4), straight).sendTransaction({ to: receiver, value: 9n })
  await engine.say('evm_mine')
  const wanted = `0x${(fork + 1).toString(16)}`
  const { hash } = await engine.say<{ hash: string }>('eth_getBlockByNumber', wanted, false)
  assert.notEqual(hash, left)
  await until(async () => (await provider.getBlockNumber()) === fork + 2)
  assert.equal((await provider.getBlock(fork + 1))?.hash, hash)
  assert.equal(await provider.getBalance(receiver), 9n)
  const again = await cairn.ask('eth_getBlockByHash', [left, true])
  assert.deepEqual([again.result, again.level], [orphan.result, 'proof'])
  const strict = { blockHash: left, requireCanonical: true }
  const refused = await cairn.ask('eth_getBalance', [receiver, strict])
  assert.equal(refused.error?.message, 'hash is not currently canonical')
  assert.equal(await provider.getTransactionReceipt(sent.hash), null)
})

test('over WebSocket the three clients receive new heads, also after a reorg', async (context) => {
  if (engine === null) return context.skip('EDR is not installed')
  const socketUrl = `${cairn.url.replace('http', 'ws')}/ws/v3/${cairn.apiKey}`
  const heard = { ethers: [] as number[], viem: [] as number[], web3: [] as number[] }
  const provider = new WebSocketProvider(socketUrl)
  context.after(() => provider.destroy())
  await provider.on('block', (number: number) => void heard.ethers.push(number))
  const chain: Chain = { ...localhost, id: engineChainId }
  const client = createPublicClient({ chain, transport: webSocket(socketUrl) })
  const stop = client.watchBlocks({
    onBlock: ({ number }) => void heard.viem.push(Number(number)),
    onError: (error) => assert.fail(error),
  })
  context.after(async () => {
    stop()
    ;(await client.transport.getRpcClient()).close()
  })
  const socket = new Web3.providers.WebsocketProvider(socketUrl)
  context.after(() => socket.disconnect())
  const subscription = await new Web3(socket).eth.subscribe('newBlockHeaders')
  subscription.on('data', ({ number }) => void heard.web3.push(Number(number)))
  // A subscription is requested before the calls that follow on the same connection.
  const head = await provider.getBlockNumber()
  await client.getBlockNumber()

  const snapshot = await engine.say<string>('evm_snapshot')
  const hasHeard = (number: number) => Object.values(heard).every((all) => all.includes(number))
  await engine.say('evm_mine')
  await until(async () => hasHeard(head + 1))
  assert.equal(await engine.say('evm_revert', snapshot), true)
  await engine.say('evm_increaseTime', 100)
  await engine.say('evm_mine')
  await engine.say('evm_mine')
  await until(async () => hasHeard(head + 2))
  const { hash } = await engine.say<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  assert.equal((await provider.getBlock('latest'))?.hash, hash)
})

/** More than a minute: all clients poll, and a busy machine is slow. */
const triesMax = 2_400

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (await holds()) return
    await new Promise<void>((resolve) => systemClock.after(25, resolve))
  }
  assert.fail('it did not come to hold')
}
