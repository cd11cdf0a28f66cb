// Starts the current server on a data folder of version 0.1.0 (test/recorded/data-0.1.0).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openAdminClient } from '../fakes/people/admin-client.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { type FolderContents, fileBytes } from '../record/data-folder.ts'
import { type Started, rpc, runCli, startCairn, temporaryFolder } from '../started-server.ts'

const recorded = new URL('../recorded/data-0.1.0/', import.meta.url)
const held = JSON.parse(readFileSync(new URL('contents.json', recorded), 'utf8')) as FolderContents

let dataDir: string
let cairn: Started
before(async () => {
  dataDir = await temporaryFolder()
  const archive = fileURLToPath(new URL('folder.tar.gz', recorded))
  await promisify(execFile)('tar', ['-xzf', archive, '-C', dataDir])
  cairn = await startCairn({ dataDir })
})
after(async () => {
  await cairn.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const ask = async (method: string, params: readonly unknown[]) => {
  const response = await fetch(`${cairn.url}/v3/${held.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { result: unknown }
  return { result, label: response.headers.get('x-cairn-verified') }
}

test('the folder is of 0.1.0, and a start prints no new key or link', () => {
  assert.equal(held.version, '0.1.0')
  assert.deepEqual([cairn.apiKey, cairn.firstRunLink], ['', null])
})

test('its API key works, and a slot and the transaction are proved', async () => {
  const { address, position, value } = held.slot
  assert.deepEqual(await ask('eth_getStorageAt', [address, position, 'latest']), {
    result: value,
    label: 'proof',
  })
  const receipt = await ask('eth_getTransactionReceipt', [held.transaction])
  assert.equal(receipt.label, 'proof')
  assert.equal((receipt.result as { status: string }).status, '0x1')
})

test('its pinned file reads back byte for byte, its folder lists, and both pins are there', async () => {
  const files = filesClient({ url: cairn.url, ...held })
  const bytes = await (await files.post(`cat?arg=${held.file.cid}`)).bytes()
  assert.ok(Buffer.from(bytes).equals(fileBytes(held.file.bytes)))
  const listed = (await (await files.post(`ls?arg=${held.folder.cid}`)).json()) as {
    Objects: [{ Links: { Name: string }[] }]
  }
  assert.deepEqual(
    listed.Objects[0].Links.map(({ Name }) => Name),
    held.folder.names,
  )
  const pins = (await (await files.post('pin/ls?type=recursive')).json()) as { Keys: object }
  assert.ok(held.file.cid in pins.Keys && held.folder.cid in pins.Keys)
})

test('its operator signs in with the same password', async () => {
  const page = openAdminClient(cairn.url)
  const { status } = await page.ask('POST', '/session', held.person)
  assert.equal(status, 200)
  assert.equal((await page.ask('GET', '/me')).body['isOperator'], true)
})

test('new files and keys go on beside the old, and every block of the store is sound', async () => {
  const files = filesClient({ url: cairn.url, ...held })
  const cid = await files.add(Buffer.from('after the upgrade\n'))
  assert.equal(await (await files.post(`cat?arg=${cid}`)).text(), 'after the upgrade\n')
  const made = await cairn.cli('keys', 'create')
  assert.equal((await rpc(cairn.url, String(made['apiKey']), 'eth_chainId')).result, '0x539')
  // Rejects if a copy is bad.
  const { copies } = await runCli(['store', 'verify', '--data-dir', dataDir, '--json'])
  assert.ok(Number(copies) > 5)
})
