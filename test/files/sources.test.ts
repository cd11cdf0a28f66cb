// A server that fetches missing content only from the gateways in its settings.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { toBareHex } from '../../src/base/hex.ts'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { multihashOf } from '../../src/codec/ipld/multihash.ts'
import { startFakeGateway } from '../fakes/files/file-source.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

function blockOf(text: string) {
  const bytes = Buffer.from(text)
  const hash = multihashOf('sha2-256', bytes)
  return { bytes, key: toBareHex(hash), cid: cidOf(1, rawCodec, hash).toString() }
}

async function start(t: TestContext, settings: string) {
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  writeFileSync(file, settings)
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  /** Resolves when the server has applied the new settings. */
  async function change(now: string): Promise<void> {
    assert.ok(server.child.stderr)
    const lines = createInterface({ input: server.child.stderr })
    writeFileSync(`${file}.new`, now)
    renameSync(`${file}.new`, file)
    for await (const line of lines) if (line.includes('"settings_taken"')) return
  }
  return { ...filesClient(server), server, change }
}

/** A busy machine may pause for seconds. */
const sources = (...urls: readonly string[]) =>
  `files:\n  idleMs: 30000\n  sources: [${urls.map((url) => `{url: "${url}"}`).join(', ')}]\n`

test('content of another server is served and pinned, and is available after that server stops', async (t) => {
  const wanted = blockOf('it was elsewhere')
  const faulty = await startFakeGateway(t, new Map([[wanted.key, wanted.bytes]]), {
    manner: 'wrong',
  })
  const other = await startFakeGateway(t, new Map([[wanted.key, wanted.bytes]]))
  const { post } = await start(t, sources(faulty.url, other.url))
  const cat = await post(`cat?arg=${wanted.cid}`)
  assert.equal(await cat.text(), 'it was elsewhere')
  assert.equal((await post(`pin/add?arg=${wanted.cid}`)).status, 200)
  other.manner = 'failing'
  const again = await post(`cat?arg=${wanted.cid}&offline=true`)
  assert.equal(await again.text(), 'it was elsewhere')
})

test('content that no source has is reported after the time limit, and immediately when offline', async (t) => {
  const gateway = await startFakeGateway(t, new Map())
  const { post } = await start(t, sources(gateway.url).replace('30000', '1500'))
  const { cid } = blockOf('nowhere')
  const offline = await post(`cat?arg=${cid}&offline=true`)
  assert.equal(offline.status, 500)
  assert.match(await offline.text(), /could not find/)
  assert.equal(gateway.requests.length, 0)
  const waited = await post(`cat?arg=${cid}`)
  assert.equal(waited.status, 500)
  assert.match(await waited.text(), /context deadline exceeded/)
  const pinned = await post(`pin/add?arg=${cid}&timeout=200ms`)
  assert.match(await pinned.text(), /pin: context deadline exceeded/)
})

test('the list of sources can change while the server runs', { timeout: 300_000 }, async (t) => {
  const [one, two] = [blockOf('one'), blockOf('two')]
  const blocks = new Map([one, two].map(({ key, bytes }) => [key, bytes as Uint8Array]))
  const gateway = await startFakeGateway(t, blocks)
  const { post, change } = await start(t, 'files: {idleMs: 1000}\n')
  const absent = await post(`cat?arg=${one.cid}`)
  assert.match(await absent.text(), /could not find/)
  await change(sources(gateway.url))
  assert.equal(await (await post(`cat?arg=${one.cid}`)).text(), 'one')
  await change('files: {idleMs: 1500}\n')
  assert.match(await (await post(`cat?arg=${two.cid}`)).text(), /could not find/)
})

test('a request from another Cairn (CDN-Loop, RFC 8586) queries no source', async (t) => {
  const wanted = blockOf('in a third place')
  const third = await startFakeGateway(t, new Map([[wanted.key, wanted.bytes]]))
  const { server, headers } = await start(t, sources(third.url))
  const get = (more: Record<string, string>) =>
    fetch(`${server.url}/ipfs/${wanted.cid}?format=raw`, { headers: { ...headers, ...more } })
  for (const loop of ['cairn', 'other, Cairn; a=b']) {
    assert.equal((await get({ 'cdn-loop': loop })).status, 404)
  }
  assert.deepEqual(third.requests, [])
  assert.equal((await get({ 'cdn-loop': 'cairns' })).status, 200)
})

test('a file of 40 MiB is pinned from another Cairn', { timeout: 300_000 }, async (t) => {
  const there = await start(t, '')
  const bytes = Buffer.alloc(40 * 1024 * 1024)
  for (let at = 0; at < bytes.length; at += 65_536) bytes.writeUInt32BE(at, at)
  const cid = await there.add(bytes)
  const { url, apiKey, apiKeySecret } = there.server
  const source = url.replace('http://', `http://${apiKey}:${apiKeySecret}@`)
  const here = await start(t, sources(source))
  const began = performance.now()
  const pinned = await here.post(`pin/add?arg=${cid}`)
  assert.equal(await pinned.text(), `{"Pins":["${cid}"]}\n`)
  t.diagnostic(`${Math.round((performance.now() - began) / 10) / 100} s`)
  await there.server.kill()
  const cat = await here.post(`cat?arg=${cid}&offline=true`)
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(bytes))
})
