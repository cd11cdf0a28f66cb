// ethers 6, viem 2 and web3.js 4 over WebSocket against a started server, at their default settings.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WebSocketProvider } from 'ethers'
import { createPublicClient, webSocket } from 'viem'
import { localhost } from 'viem/chains'
import { Web3 } from 'web3'
import { openWebSocket } from '../fakes/web-socket-client.ts'
import { type Started, startCairn } from '../started-server.ts'

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
