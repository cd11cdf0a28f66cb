import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CID } from 'multiformats/cid'
import {
  type FakeGateway,
  type Manner,
  startFakeGateway,
} from '../../../test/fakes/files/file-source.ts'
import {
  atOnce,
  bytesOf,
  createFilesFixture,
  fileEntry,
  importAll,
  never,
  rootOf,
  pinsOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { systemClock } from '../../base/clock.ts'
import { toBareHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { createFileSource } from './file-source.ts'
import { createGatewaySource } from './gateway-source.ts'

/** Ends tests that would otherwise wait forever. */
const limit = { timeout: 120_000 }
const chunk = 262_144
const leaves = 40
const content = Buffer.alloc(chunk * leaves, 'somewhere else ')
for (let leaf = 0; leaf < leaves; leaf++) content.writeUInt32BE(leaf, leaf * chunk)

/** A file that only the gateways have, and a Cairn that can use them. `others`: number of gateways besides the honest one. */
async function rig(t: TestContext, entries = [fileEntry('file', content)], others = 0) {
  const there = createFilesFixture(t)
  const root = CID.parse(rootOf(await importAll(there.files, entries)).cid.toString())
  const blocks = new Map<string, Uint8Array>()
  for await (const { cid, block } of there.files.blocks(root, atOnce, never)) {
    blocks.set(toBareHex(cid.multihash.bytes), block ?? new Uint8Array())
  }
  const gateway = await startFakeGateway(t, blocks)
  const rogues = await Promise.all(
    Array.from({ length: others }, () => startFakeGateway(t, blocks)),
  )
  const clients = [...rogues, gateway].map(({ url }) =>
    createFileSource(
      {
        name: url,
        url,
        speaks: 'gateway',
        headers: {},
        concurrency: 64,
        timeoutMs: 600_000,
        blockBytesMax: 2 * 1024 * 1024,
      },
      systemClock,
    ),
  )
  t.after(() => Promise.all(clients.map((client) => client.close())))
  const source = createGatewaySource(clients, { clock: systemClock, log: silentLog })
  return { root, gateway, rogues, blocks, here: createFilesFixture(t, { sources: [source] }) }
}

const silent = () => {}

/** Answers the first requests immediately, and the others once that many are pending. */
async function gather(gateway: FakeGateway, first: number, atOnce: number): Promise<void> {
  for (let count = 1; count <= first; count++) {
    const answer = gateway.hold()
    while (gateway.requests.length < count) await setImmediate()
    answer()
  }
  const answer = gateway.hold()
  while (gateway.concurrentMax < atOnce) await setImmediate()
  answer()
}

test('a pin of what is elsewhere fetches many blocks at once, each one time', limit, async (t) => {
  const { root, gateway, blocks, here } = await rig(t)
  const counts: number[] = []
  const progress = (count: number) => void counts.push(count)
  const pin = { cid: root, mode: 'recursive', name: 'x' } as const
  await Promise.all([here.files.pin('alice', pin, atOnce, progress, never), gather(gateway, 1, 9)])
  assert.equal(gateway.requests.length, blocks.size)
  assert.equal(new Set(gateway.requests).size, blocks.size)
  assert.ok(gateway.concurrentMax <= 17, `${gateway.concurrentMax} at once`)
  assert.equal(counts.at(-1), blocks.size)
  const { complete: whole } = await here.files.locality(root, never)
  assert.ok(whole)
})

test('the bytes of a file that is elsewhere come in order, 16 blocks at once', limit, async (t) => {
  const { root, gateway, here } = await rig(t)
  const read = async () => {
    const range = { offset: 0n, length: null }
    return await bytesOf((await here.files.open(root, range, atOnce, never)).chunks)
  }
  const [bytes] = await Promise.all([read(), gather(gateway, 2, 2)])
  assert.ok(bytes.equals(content))
  assert.ok(gateway.concurrentMax <= 17, `${gateway.concurrentMax} at once`)
})

test('a directory of small files is fetched across its files', limit, async (t) => {
  const entries = Array.from({ length: 50 }, (_, at) => fileEntry(`folder/${at}`, `file ${at}`))
  const { root, gateway, blocks, here } = await rig(t, entries)
  const pin = { cid: root, mode: 'recursive', name: '' } as const
  await Promise.all([here.files.pin('alice', pin, atOnce, silent, never), gather(gateway, 1, 9)])
  assert.equal(gateway.requests.length, blocks.size)
})

test('a pin that was broken off asks only for what it did not have yet', async (t) => {
  const { root, gateway, blocks, here } = await rig(t)
  const pin = { cid: root, mode: 'recursive', name: '' } as const
  const caller = new AbortController()
  const stopAtTen = (count: number) => count === 10 && caller.abort(new Error('gone'))
  await assert.rejects(here.files.pin('alice', pin, atOnce, stopAtTen, caller.signal), /gone/)
  assert.deepEqual(await pinsOf(here.files, 'alice'), [])
  // Fetched blocks are stored shortly afterwards.
  here.clock.advance(1000)
  const before = gateway.requests.length
  assert.ok(before < blocks.size)
  await here.files.pin('alice', pin, atOnce, silent, never)
  // Requests of the first run may still have been pending.
  assert.ok(new Set(gateway.requests.slice(before)).size <= blocks.size - 10)
  assert.equal((await pinsOf(here.files, 'alice')).length, 1)
})

test('a walk that ends early stops what it had begun to fetch', async (t) => {
  const { root, gateway, here } = await rig(t)
  const caller = new AbortController()
  for await (const _ of here.files.blocks(root, atOnce, caller.signal)) {
    gateway.manner = 'hanging'
    break
  }
  // The client closes every request: otherwise the server could not be stopped.
  assert.ok(gateway.requests.length <= 20)
})

test('what is nowhere is waited for as long as the caller says, offline not at all', async (t) => {
  const { root, gateway, here } = await rig(t)
  gateway.manner = 'absent'
  const offline = { offline: true, timeoutMs: null }
  await assert.rejects(here.files.block(root, offline, never), /could not find/)
  assert.equal(gateway.requests.length, 0)
  const found = here.files.block(root, { offline: false, timeoutMs: 7000 }, never)
  const failed = assert.rejects(found, /context deadline exceeded/)
  for (let turn = 0; turn < 8; turn++) {
    for (let step = 0; step < 2000; step++) await setImmediate()
    here.clock.advance(1000)
  }
  await failed
  assert.ok(gateway.requests.length >= 2, 'it is asked again')
})

const ills: readonly Manner[] = [
  'wrong',
  'page',
  'oversized',
  'endless',
  'cut',
  'short',
  'packed',
  'absent',
  'busy',
  'failing',
  'hanging',
  'dripping',
]

for (let first = 0; first < ills.length; first += 3) {
  const three = ills.slice(first, first + 3)
  // The test does not wait for a request's time limit of minutes.
  const promise = `with one honest gateway beside ${three.join(', ')} ones, all is whole and right`
  test(promise, limit, async (t) => {
    const entries = Array.from({ length: 30 }, (_, at) => fileEntry(`folder/${at}`, `file ${at}`))
    const { root, rogues, here } = await rig(t, entries, three.length)
    for (const [index, rogue] of rogues.entries()) rogue.manner = three[index] ?? 'absent'
    await here.files.pin('alice', { cid: root, mode: 'recursive', name: '' }, atOnce, silent, never)
    const { complete: whole } = await here.files.locality(root, never)
    assert.ok(whole)
    for (const { requests } of rogues) assert.ok(requests.length > 0)
  })
}
