// A request by hash returns the same bytes every time: repeated, in a batch, and after a restart.
// Tests guarantee 7 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts } from './fakes/client-keys.ts'
import { storageInit } from './fakes/storage-contract.ts'
import { type Started, startCairn, temporaryFolder } from './started-server.ts'

test('a reply by hash has the same bytes for every key, at every request, also after a restart', async () => {
  const dataDir = await temporaryFolder()
  const first = await startCairn({ dataDir })
  const { apiKey, apiKeySecret } = first
  try {
    const { block, address, cid } = await fill(first)
    const questions = [
      ['eth_getStorageAt', [address, '0x0', block]],
      ['eth_getTransactionByBlockHashAndIndex', [block, '0x0']],
      ['eth_getBlockByHash', [block, true]],
      ['eth_getBlockReceipts', [block]],
      ['eth_getCode', [address, { blockHash: block }]],
    ] as const
    const ask = async ({ url }: Started): Promise<readonly string[]> => {
      const calls = questions.map(([method, params], id) =>
        JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      )
      const send = (body: string) =>
        text(`${url}/v3/${apiKey}`, { 'content-type': 'application/json' }, body)
      const authorization = `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}`
      const file = await text(`${url}/api/v0/cat?arg=${cid}`, { authorization }, '')
      const alone = await Promise.all(calls.map(send))
      const together = await send(`[${calls.join(',')}]`)
      assert.equal(together, `[${alone.join(',')}]`)
      return [...alone, file]
    }
    const answers = await ask(first)
    assert.ok(
      answers.every((answer) => !answer.includes('"error"')),
      answers.join('\n'),
    )
    assert.deepEqual(await ask(first), answers)
    await first.stop()
    const second = await startCairn({ dataDir })
    assert.deepEqual(await ask(second), answers)
    await second.stop()
  } finally {
    first.child.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})

/** Stores a contract and a file on the server. */
async function fill(cairn: Started): Promise<{ block: string; address: string; cid: string }> {
  const provider = new JsonRpcProvider(`${cairn.url}/v3/${cairn.apiKey}`)
  provider.pollingInterval = 50
  const wallet = new Wallet((await devAccounts(cairn))[0]?.privateKey ?? '', provider)
  const receipt = await (await wallet.sendTransaction({ data: storageInit })).wait()
  provider.destroy()
  assert.ok(receipt?.contractAddress)
  const body = new FormData()
  body.append('file', new Blob(['stone on stone\n']))
  const headers = { authorization: `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}` }
  const added = await fetch(`${cairn.url}/api/v0/add`, { method: 'POST', headers, body })
  const { Hash: cid } = (await added.json()) as { Hash: string }
  return { block: receipt.blockHash, address: receipt.contractAddress, cid }
}

async function text(url: string, headers: Record<string, string>, body: string): Promise<string> {
  return (await fetch(url, { method: 'POST', headers, body })).text()
}
