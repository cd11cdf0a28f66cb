// A store that cannot grow: writes that do not fit are refused completely with a clear error, everything else
// continues, and the same writes succeed once space is free.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { Wallet } from 'ethers'
import { rpc, startCairn, temporaryFolder } from '../started-server.ts'

test('a full store refuses writes, serves stored content, and accepts writes once space is free', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const tight = await startCairn({ dataDir, env: { CAIRN_STORE_BYTES_MAX: '1200000' } })
  const key = { apiKey: tight.apiKey, apiKeySecret: tight.apiKeySecret }
  const { accounts } = (await tight.cli('accounts', 'dev')) as {
    accounts: { privateKey: string }[]
  }
  const wallet = new Wallet(accounts[0]?.privateKey ?? '')
  const send = async (url: string, nonce: number) => {
    const raw = await wallet.signTransaction({
      type: 2,
      chainId: 1337,
      nonce,
      gasLimit: 5_000_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      // Deploys 20,000 bytes of unique code, so that each block needs space.
      data: `0x614e20600e6000396000614e206000f3${nonce.toString(16).padStart(4, '0')}${'00'.repeat(20_000)}`,
    })
    return rpc(url, key.apiKey, 'eth_sendRawTransaction', [raw])
  }
  const kept = await add(tight.url, key, 'kept\n')
  assert.equal(kept.status, 200)

  let nonce = 0
  let refused: unknown
  while (refused === undefined && nonce < 200) {
    refused = (await send(tight.url, nonce)).error
    if (refused === undefined) nonce++
  }
  assert.partialDeepStrictEqual(refused, { code: -32603, message: 'no space left on this server' })
  assert.ok(nonce > 0)
  const count = async (url: string) =>
    (await rpc(url, key.apiKey, 'eth_getTransactionCount', [wallet.address, 'latest'])).result
  assert.equal(await count(tight.url), `0x${nonce.toString(16)}`)

  const large = 'x'.repeat(1_000_000)
  const tooMuch = await add(tight.url, key, large)
  assert.equal(tooMuch.status, 507)
  assert.equal(tooMuch.text, '{"Message":"no space left on this server","Code":0,"Type":"error"}\n')
  assert.equal(await cat(tight.url, key, hashOf(kept.text)), 'kept\n')
  assert.equal(await tight.stop(), 0)

  const roomy = await startCairn({ dataDir })
  try {
    assert.equal(await count(roomy.url), `0x${nonce.toString(16)}`)
    assert.match(String((await send(roomy.url, nonce)).result), /^0x[0-9a-f]{64}$/)
    const added = await add(roomy.url, key, large)
    assert.equal(added.status, 200)
    assert.equal(await cat(roomy.url, key, hashOf(added.text)), large)
    assert.equal(await cat(roomy.url, key, hashOf(kept.text)), 'kept\n')
  } finally {
    await roomy.stop()
  }
})

type Key = { readonly apiKey: string; readonly apiKeySecret: string }

function post(
  url: string,
  { apiKey, apiKeySecret }: Key,
  path: string,
  body?: FormData,
): Promise<Response> {
  const headers = { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
  return fetch(`${url}/api/v0/${path}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  })
}

async function add(url: string, key: Key, text: string): Promise<{ status: number; text: string }> {
  const form = new FormData()
  form.append('file', new Blob([text]))
  const response = await post(url, key, 'add', form)
  return { status: response.status, text: await response.text() }
}

async function cat(url: string, key: Key, hash: string): Promise<string> {
  return (await post(url, key, `cat?arg=${hash}`)).text()
}

function hashOf(event: string): string {
  return (JSON.parse(event) as { Hash: string }).Hash
}
