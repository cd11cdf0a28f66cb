// ethers 6, viem 2 and web3.js 4 over WebSocket against a started server, at their default settings.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { Contract, Wallet, WebSocketProvider } from 'ethers'
import { createPublicClient, parseAbi, webSocket } from 'viem'
import { localhost } from 'viem/chains'
import { Web3 } from 'web3'
import { devAccounts } from '../fakes/client-keys.ts'
import { storageInit, storedEvent, word } from '../fakes/storage-contract.ts'
import { openWebSocket } from '../fakes/web-socket-client.ts'
import { rpc, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const value = '0x00000000000000000000000000000000000000000000000000000000000004d2'

let cairn: Started
let url: string

before(async () => {
  cairn = await startCairn()
  url = `${cairn.url.replace('http', 'ws')}/ws/v3/${cairn.apiKey}`
})
after(() => cairn.stop())

test('ethers reads through its WebSocketProvider', async () => {
  const provider = new WebSocketProvider(url)
  assert.equal((await provider.getNetwork()).chainId, 1337n)
  const slots = Array.from({ length: 50 }, () => provider.getStorage(sample, 0))
  for (const read of await Promise.all(slots)) assert.equal(read, value)
  await provider.destroy()
})

test('viem reads through its webSocket transport', async () => {
  const transport = webSocket(url)
  const client = createPublicClient({ chain: localhost, transport })
  assert.equal(await client.getStorageAt({ address: sample, slot: '0x0' }), value)
  assert.equal(await client.getChainId(), 1337)
  const rpc = await client.transport.getRpcClient()
  rpc.close()
})

test('web3.js reads through its WebSocketProvider', async () => {
  const provider = new Web3.providers.WebsocketProvider(url)
  const web3 = new Web3(provider)
  assert.equal(await web3.eth.getStorageAt(sample, 0), value)
  provider.disconnect()
})

test('ethers receives blocks, events and pending transactions', async () => {
  const provider = new WebSocketProvider(url)
  const signer = new Wallet((await devAccounts(cairn))[0]?.privateKey ?? '', provider)
  const blocks: number[] = []
  await provider.on('block', (number: number) => blocks.push(number))
  const pending = new Promise<string>((resolve) => void provider.once('pending', resolve))
  const deployed = await signer.sendTransaction({ data: storageInit })
  const receipt = await deployed.wait()
  const contract = new Contract(receipt?.contractAddress ?? '', [storedEvent], provider)
  const stored = new Promise<bigint[]>((resolve) => {
    void contract.once('Stored', (slot: bigint, read: bigint) => resolve([slot, read]))
  })
  // Calls are answered in order, so the subscription exists before the next call.
  await provider.getBlockNumber()
  const sent = await signer.sendTransaction({
    to: receipt?.contractAddress ?? '',
    data: `0x${word(7)}${word(42)}`,
    nonce: deployed.nonce + 1,
  })
  await sent.wait()
  assert.deepEqual(await stored, [7n, 42n])
  assert.equal(await pending, deployed.hash)
  const first = receipt?.blockNumber ?? 0
  assert.deepEqual(blocks, [first, first + 1])
  await provider.destroy()
})

test('viem receives blocks, events and pending transactions', async () => {
  const client = createPublicClient({ chain: localhost, transport: webSocket(url) })
  const signer = new Wallet((await devAccounts(cairn))[1]?.privateKey ?? '')
  const numbers: bigint[] = []
  const endBlocks = client.watchBlockNumber({
    onBlockNumber: (number) => numbers.push(number),
    onError: assert.fail,
  })
  const events: string[] = []
  const endPending = client.watchPendingTransactions({
    onTransactions: (hashes) => events.push(...hashes),
    onError: assert.fail,
  })
  const send = async (request: object, nonce: number) => {
    const serializedTransaction = (await signer.signTransaction({
      type: 2,
      chainId: 1337,
      gasLimit: 500_000,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 9n,
      nonce,
      ...request,
    })) as `0x${string}`
    return await client.sendRawTransaction({ serializedTransaction })
  }
  await client.getBlockNumber()
  const deployed = await send({ data: storageInit }, 0)
  const { contractAddress, blockNumber } = await client.getTransactionReceipt({ hash: deployed })
  assert.ok(contractAddress)
  const event = new Promise((resolve, reject) => {
    client.watchContractEvent({
      address: contractAddress,
      abi: parseAbi([storedEvent]),
      onError: reject,
      onLogs: ([log]) => resolve(log?.args),
    })
  })
  await client.getBlockNumber({ cacheTime: 0 })
  const sent = await send({ to: contractAddress, data: `0x${word(9)}${word(99)}` }, 1)
  assert.deepEqual(await event, { slot: 9n, value: 99n })
  while (events.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(events, [deployed, sent])
  assert.deepEqual(numbers, [blockNumber, blockNumber + 1n])
  endBlocks()
  endPending()
  ;(await client.transport.getRpcClient()).close()
})

test('web3.js receives blocks, logs and pending transactions', async () => {
  const provider = new Web3.providers.WebsocketProvider(url)
  const web3 = new Web3(provider)
  const account = web3.eth.accounts.privateKeyToAccount(
    (await devAccounts(cairn))[2]?.privateKey ?? '',
  )
  const heads = await web3.eth.subscribe('newBlockHeaders')
  const logs = await web3.eth.subscribe('logs', {})
  const pending = await web3.eth.subscribe('pendingTransactions')
  const head = new Promise<{ number?: unknown }>((resolve) => heads.once('data', resolve))
  const log = new Promise<{ address?: string }>((resolve) => logs.once('data', resolve))
  const hash = new Promise<unknown>((resolve) => pending.once('data', resolve))
  const send = async (request: object, nonce: number) => {
    const signed = await account.signTransaction({
      gas: 500_000,
      maxFeePerGas: 10 ** 10,
      maxPriorityFeePerGas: 10 ** 9,
      chainId: 1337,
      nonce,
      ...request,
    })
    return await web3.eth.sendSignedTransaction(signed.rawTransaction)
  }
  const deployed = await send({ data: storageInit }, 0)
  await send({ to: deployed.contractAddress, data: `0x${word(1)}${word(2)}` }, 1)
  assert.equal((await head).number, BigInt(deployed.blockNumber))
  assert.equal((await log).address?.toLowerCase(), deployed.contractAddress?.toLowerCase())
  assert.equal(await hash, deployed.transactionHash)
  provider.disconnect()
})

test('viem reconnects after a restart and receives blocks again', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const first = await startCairn({ dataDir })
  const front = await openFront(first.url)
  t.after(front.close)
  const address = `${front.url}/ws/v3/${first.apiKey}`
  const transport = webSocket(address, { reconnect: { delay: 50 } })
  const client = createPublicClient({ chain: localhost, transport })
  let onBlock = (_number: bigint): unknown => null
  client.watchBlockNumber({ onBlockNumber: (number) => onBlock(number) })
  assert.equal(await client.getChainId(), 1337)
  const { ended } = await openWebSocket(address)
  const restarted = Promise.withResolvers<string>()
  front.sendTo(restarted.promise)
  await first.stop()
  assert.deepEqual(await ended, { code: 1012, reason: 'the server is stopping' })
  const second = await startCairn({ dataDir })
  t.after(() => second.stop())
  restarted.resolve(second.url)
  let block = 0n
  onBlock = (number) => (block = number)
  // One after the other, so that none is in flight when the server stops.
  while (block === 0n) await rpc(second.url, first.apiKey, 'evm_mine')
  ;(await client.transport.getRpcClient()).close()
})

/** A proxy address that remains while its server stops: viem stops after one refused attempt. */
async function openFront(url: string) {
  let target: string | Promise<string> = url
  const server = createServer((socket) => {
    socket.on('error', () => {})
    void (async () => {
      const { port } = new URL(await target)
      const behind = connect(Number(port), '127.0.0.1')
      behind.on('error', () => socket.destroy())
      socket.pipe(behind).pipe(socket)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    sendTo: (next: Promise<string>) => void (target = next),
    close: () => void server.close(),
  }
}

test('a key that is revoked ends its connections within five seconds, and others stay', async () => {
  const made = (await cairn.cli('keys', 'create')) as { id: string; apiKey: string }
  const revoked = await openWebSocket(`${cairn.url}/ws/v3/${made.apiKey}`)
  const other = await openWebSocket(url)
  await cairn.cli('keys', 'revoke', made.id)
  const startedAt = performance.now()
  assert.deepEqual(await revoked.ended, { code: 1008, reason: 'invalid project id' })
  assert.ok(performance.now() - startedAt < 5_000)
  assert.equal((await other.ask('eth_chainId')).result, '0x539')
  await other.close()
})

test('calls are charged as over HTTP, and the end of the day ends the connection', async () => {
  const made = (await cairn.cli('keys', 'create', '--units-per-day', '170')) as { apiKey: string }
  const client = await openWebSocket(`${cairn.url}/ws/v3/${made.apiKey}`)
  for (let calls = 0; calls < 2; calls += 1) {
    assert.equal((await client.ask('eth_getStorageAt', sample, '0x0', 'latest')).result, value)
  }
  const { error } = (await client.ask('eth_getStorageAt', sample, '0x0', 'latest')) as {
    error: { code: number }
  }
  assert.equal(error.code, 402)
  assert.equal((await client.ended).code, 1008)
})
