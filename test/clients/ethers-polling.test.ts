// ethers 6 with default settings: batches, blocks by polling, refusals, the rate limit.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FetchRequest, JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts, exhaust, urlOfNewKey } from '../fakes/client-keys.ts'
import { storageInit, word } from '../fakes/storage-contract.ts'
import { type Started, startCairn } from '../started-server.ts'

const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

let cairn: Started
let url: string
let privateKey: string
const providers: JsonRpcProvider[] = []

function connect(to: string): JsonRpcProvider {
  const provider = new JsonRpcProvider(to)
  providers.push(provider)
  return provider
}

before(async () => {
  cairn = await startCairn()
  url = `${cairn.url}/v3/${cairn.apiKey}`
  privateKey = (await devAccounts(cairn))[0]?.privateKey ?? ''
})
after(async () => {
  for (const provider of providers) provider.destroy()
  await cairn.stop()
})

test('a hundred concurrent reads are sent as batches, and each gets its own answer', async () => {
  const provider = connect(url)
  const sent: number[] = []
  await provider.on('debug', (event: { action: string; payload: unknown }) => {
    if (event.action !== 'sendRpcPayload') return
    sent.push(Array.isArray(event.payload) ? event.payload.length : 1)
  })
  const slots = Array.from({ length: 100 }, (_, slot) => slot)
  const values = await Promise.all(slots.map((slot) => provider.getStorage(sample, slot)))
  assert.deepEqual(
    values.map(BigInt),
    slots.map((slot) => (slot === 0 ? 1234n : 0n)),
  )
  assert.ok(Math.max(...sent) >= 90, `batches of ${sent.join(', ')}`)
})

test('a new block reaches a listener by polling', async () => {
  const provider = connect(url)
  provider.pollingInterval = 50
  const block = new Promise<number>((resolve) => void provider.once('block', resolve))
  // ethers starts listening after it has requested the current block.
  const present = await provider.getBlockNumber()
  const wallet = new Wallet(privateKey, provider)
  const sent = await wallet.sendTransaction({ data: storageInit })
  assert.equal((await sent.wait())?.status, 1)
  assert.ok((await block) >= present)
})

test('a wrong key is refused with a message', async () => {
  const provider = connect(`${cairn.url}/v3/${'0'.repeat(32)}`)
  await assert.rejects(
    provider._send({ id: 1, jsonrpc: '2.0', method: 'eth_chainId', params: [] }),
    {
      code: 'SERVER_ERROR',
      shortMessage: 'server response 401 Unauthorized',
    },
  )
})

test('over the rate limit, ethers retries and succeeds', async () => {
  const limited = await urlOfNewKey(cairn, '--units-per-second', '500')
  await exhaust(limited)
  const provider = connect(limited)
  assert.equal(BigInt(await provider.getStorage(sample, 0)), 1234n)
})

test('over the daily limit, ethers fails without a retry', async () => {
  const provider = connect(await urlOfNewKey(cairn, '--units-per-day', '100'))
  await provider.getNetwork()
  await assert.rejects(
    Promise.all([provider.getStorage(sample, 0), provider.getStorage(sample, 1)]),
    { code: 'SERVER_ERROR', shortMessage: 'server response 402 Payment Required' },
  )
})

test('a secret is sent as ethers sends it', async () => {
  const { apiKey, apiKeySecret } = (await cairn.cli('keys', 'create', '--secret-required')) as {
    apiKey: string
    apiKeySecret: string
  }
  const request = new FetchRequest(`${cairn.url}/v3/${apiKey}`)
  request.setCredentials('', apiKeySecret)
  request.allowInsecureAuthentication = true
  const provider = new JsonRpcProvider(request)
  providers.push(provider)
  assert.equal(await provider.getStorage(sample, 0), `0x${word(1234)}`)
})
