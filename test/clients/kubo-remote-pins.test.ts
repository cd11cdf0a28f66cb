// `ipfs pin remote` of a real Kubo, with Cairn as the pinning service.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { toBareHex } from '../../src/base/hex.ts'
import { parseCid } from '../../src/codec/ipld/cid.ts'
import { missingKubo, startKubo, type Kubo } from '../engines/kubo.ts'
import { type FakeGateway, startFakeGateway } from '../fakes/files/file-source.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const skip = missingKubo()
const enders: (() => unknown)[] = []
const ender = { after: (end: () => unknown) => void enders.unshift(end) }
let kubo: Kubo
let cairn: Started
let source: FakeGateway

before(async () => {
  if (skip !== false) return
  source = await startFakeGateway(ender as Parameters<typeof startFakeGateway>[0], new Map())
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  await writeFile(file, `files:\n  idleMs: 30000\n  sources: [{url: "${source.url}"}]\n`)
  cairn = await startCairn({ dataDir, args: ['--config', file] })
  ender.after(async () => {
    await cairn.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  kubo = await startKubo(ender as Parameters<typeof startKubo>[0])
  const token = `${cairn.apiKey}:${cairn.apiKeySecret}`
  await ask('service/add', ['cairn', `${cairn.url}/psa`, token])
})

after(async () => {
  for (const end of enders) await end()
})

/** Output lines of `ipfs pin remote …`. */
async function ask(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, string>> = {},
  statuses: readonly string[] = [],
): Promise<unknown[]> {
  const query = new URLSearchParams(options)
  for (const arg of args) query.append('arg', arg)
  for (const status of statuses) query.append('status', status)
  const reply = await fetch(`${kubo.api}/api/v0/pin/remote/${command}?${query.toString()}`, {
    method: 'POST',
  })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)
}

const service = { service: 'cairn' }

test('content that Cairn has ends pinned, and is listed and removed', { skip }, async () => {
  const bytes = Buffer.alloc(600_000, 'in both places ')
  const cid = await kubo.add(bytes, { 'cid-version': '1' })
  const files = filesClient(cairn)
  assert.equal(await files.add(bytes, 'pin=false&cid-version=1'), cid)
  const pinned = { Status: 'pinned', Cid: cid, Name: 'from kubo' }
  const options = { ...service, name: 'from kubo' }
  assert.deepEqual(await ask('add', [cid], { ...options, background: 'false' }), [pinned])
  assert.match(await (await files.post(`pin/ls?arg=${cid}&names=true`)).text(), /from kubo/)
  assert.deepEqual(await ask('ls', [], options), [pinned])
  const [{ pin } = { pin: null }] = (await psaClient(cairn).list('?name=from+kubo')).results
  assert.match(pin?.origins?.[0] ?? '', new RegExp(`/p2p/${kubo.peer}$`))
  await ask('rm', [], options)
  assert.deepEqual(await ask('ls', [], options), [])
  assert.match(await (await files.post(`pin/ls?arg=${cid}`)).text(), /is not pinned/)
})

test('content that a source of Cairn has is fetched and ends pinned', { skip }, async () => {
  const cid = await kubo.add(Buffer.from('at the source'), { 'cid-version': '1' })
  const block = await kubo.bytes('block/get', { arg: cid })
  const hash = parseCid(cid)?.multihash.bytes ?? new Uint8Array()
  source.blocks.set(toBareHex(hash), block)
  assert.deepEqual(await ask('add', [cid], { ...service, name: 'fetched' }), [
    { Status: 'pinned', Cid: cid, Name: 'fetched' },
  ])
})

test('with --background the answer is queued, and counts show it', { skip }, async () => {
  const cid = await kubo.add(Buffer.from('only in Kubo'), { 'cid-version': '1' })
  const options = { ...service, name: 'later' }
  assert.deepEqual(await ask('add', [cid], { ...options, background: 'true' }), [
    { Status: 'queued', Cid: cid, Name: 'later' },
  ])
  const [{ RemoteServices } = { RemoteServices: [] }] = (await ask('service/ls', [], {
    stat: 'true',
  })) as {
    RemoteServices: { Stat: { Status: string; PinCount: Record<string, number> } }[]
  }[]
  const { Status: status, PinCount: count } = RemoteServices[0]?.Stat ?? {}
  assert.equal(status, 'valid')
  // Requests of other tests may be in progress too.
  assert.ok((count?.['Queued'] ?? 0) + (count?.['Pinning'] ?? 0) >= 1)
  await ask('rm', [], options, ['queued', 'pinning'])
})
