// viem 2 against a started server in a typical setup: read, deploy, send, wait, watch, batch, refusals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type BaseError,
  type Chain,
  createPublicClient,
  createWalletClient,
  http,
  LimitExceededRpcError,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { devAccounts, exhaust, urlOfNewKey } from '../fakes/client-keys.ts'
import { mappingSlot, storageInit, storageRuntime, word } from '../fakes/storage-contract.ts'
import { type Started, startCairn } from '../started-server.ts'

const chain: Chain = localhost
const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

let cairn: Started
let url: string
let privateKey: `0x${string}`

before(async () => {
  cairn = await startCairn()
  url = `${cairn.url}/v3/${cairn.apiKey}`
  privateKey = (await devAccounts(cairn))[1]?.privateKey ?? '0x'
})
after(() => cairn.stop())

/** Records the method names that a transport sends, a batch as one entry. */
function recordingTransport(to: string, sent: string[]) {
  return http(to, {
    async onFetchRequest(request) {
      const body = JSON.parse(await request.clone().text()) as
        | { method: string }
        | { method: string }[]
      sent.push(Array.isArray(body) ? body.map((call) => call.method).join('+') : body.method)
    },
  })
}

async function deploy(client: PublicClient): Promise<`0x${string}`> {
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, chain, transport: http(url) })
  const hash = await wallet.deployContract({ abi: [], bytecode: storageInit })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  assert.ok(contractAddress)
  return contractAddress
}

test('a contract is deployed, read, called and written to', async () => {
  const client = createPublicClient({ chain, transport: http(url) })
  const address = await deploy(client)
  assert.equal(await client.getCode({ address }), storageRuntime)
  assert.equal(await client.getStorageAt({ address, slot: '0x0' }), `0x${word(1234)}`)
  assert.equal(await client.getStorageAt({ address, slot: mappingSlot }), `0x${word(5678)}`)
  assert.equal((await client.call({ to: address, data: `0x${word(0)}` })).data, `0x${word(1234)}`)
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, chain, transport: http(url) })
  const hash = await wallet.sendTransaction({ to: address, data: `0x${word(7)}${word(42)}` })
  const receipt = await client.waitForTransactionReceipt({ hash })
  assert.equal(receipt.status, 'success')
  const found = await client.getTransaction({
    blockHash: receipt.blockHash,
    index: receipt.transactionIndex,
  })
  assert.equal(found.hash, hash)
  assert.equal(await client.getStorageAt({ address, slot: '0x7' }), `0x${word(42)}`)
})

test('the server fills the transactions that viem sends, and viem signs them', async () => {
  const sent: string[] = []
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, chain, transport: recordingTransport(url, sent) })
  const client = createPublicClient({ chain, transport: http(url) })
  for (const value of [1n, 2n]) {
    const hash = await wallet.sendTransaction({ to: sample, value })
    assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
  }
  assert.equal(sent.filter((method) => method === 'eth_fillTransaction').length, 2, sent.join(' '))
})

test('new blocks reach a watcher by polling', async () => {
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const seen: bigint[] = []
  await new Promise<void>((resolve, reject) => {
    const unwatch = client.watchBlocks({
      emitOnBegin: true,
      onError: reject,
      onBlock({ number }) {
        seen.push(number)
        if (seen.length === 1) void deploy(client).catch(reject)
        if (seen.length < 2) return
        unwatch()
        resolve()
      },
    })
  })
  assert.ok((seen[1] ?? 0n) > (seen[0] ?? 0n))
})

test('a batching transport gets each answer, and an error touches one call only', async () => {
  const client = createPublicClient({ chain, transport: http(url, { batch: true }) })
  const outcomes = await Promise.allSettled([
    client.getStorageAt({ address: sample, slot: '0x0' }),
    client.request({ method: 'nope_x' as 'eth_chainId' }),
    client.getChainId(),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused')),
    [`0x${word(1234)}`, 'refused', 1337],
  )
})

test('a wrong key is refused with a message, in a batch by the status, and sent once', async () => {
  for (const batch of [false, true]) {
    let requests = 0
    const onFetchRequest = () => void (requests += 1)
    const transport = http(`${cairn.url}/v3/${'0'.repeat(32)}`, { batch, onFetchRequest })
    const client = createPublicClient({ chain, transport })
    const expected = batch ? /Status: 401/ : /invalid project id/
    await assert.rejects(client.getChainId(), expected)
    assert.equal(requests, 1)
  }
})

test('viem retries over the rate limit, and does not retry over the daily limit', async () => {
  const limited = await urlOfNewKey(cairn, '--units-per-second', '500')
  await exhaust(limited)
  const client = createPublicClient({ chain, transport: http(limited) })
  assert.equal(await client.getStorageAt({ address: sample, slot: '0x0' }), `0x${word(1234)}`)

  const once = createPublicClient({ chain, transport: http(limited, { retryCount: 0 }) })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 102 }, () => once.getStorageAt({ address: sample, slot: '0x0' })),
  )
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  const reason = refused?.reason as BaseError
  assert.ok(reason.walk((cause) => cause instanceof LimitExceededRpcError))

  let requests = 0
  const onFetchRequest = () => void (requests += 1)
  const spent = await urlOfNewKey(cairn, '--units-per-day', '79')
  const tomorrow = createPublicClient({ chain, transport: http(spent, { onFetchRequest }) })
  await assert.rejects(tomorrow.getBlockNumber(), /daily request count exceeded/)
  assert.equal(requests, 1)
})
