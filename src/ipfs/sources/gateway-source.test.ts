import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CID } from 'multiformats/cid'
import {
  type FakeGateway,
  type Manner,
  startFakeGateway,
} from '../../../test/fakes/files/file-source.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import { createObtain } from '../../content/obtain.ts'
import type { ContentRef } from '../../content/ref.ts'
import { createFileSource, type FileSourceConfig } from './file-source.ts'
import { createGatewaySource } from './gateway-source.ts'

const never = new AbortController().signal
const mib = 1024 * 1024

function blockOf(text: string) {
  const bytes = Buffer.from(text.repeat(200))
  const hash = multihashOf('sha2-256', bytes)
  const ref: ContentRef = { kind: 'dag-block', hash }
  return { bytes, ref, cid: cidOf(1, rawCodec, hash), key: toBareHex(hash) }
}

const wanted = blockOf('wanted')
const held = () => new Map([[wanted.key, wanted.bytes as Uint8Array]])

function config(url: string, more: Partial<FileSourceConfig> = {}): FileSourceConfig {
  return {
    name: new URL(url).host,
    url,
    speaks: 'gateway',
    headers: {},
    concurrency: 4,
    timeoutMs: 600_000,
    blockBytesMax: 2 * mib,
    ...more,
  }
}

type Asked = FakeGateway | readonly [FakeGateway, Partial<FileSourceConfig>]

/** `obtain` over these gateways and an empty store, with the recorded log. */
function over(t: TestContext, asked: readonly Asked[], clock = systemClock) {
  const logged: string[] = []
  const gateways = asked.map((one) => {
    const [fake, more] = 'url' in one ? [one, {}] : one
    return createFileSource(config(fake.url, more), clock)
  })
  t.after(() => Promise.all(gateways.map((gateway) => gateway.close())))
  const log = (_level: string, event: string) => void logged.push(event)
  const source = createGatewaySource(gateways, { clock, log })
  const store = createMemoryStore()
  const { obtain, idle } = createObtain({
    store,
    sourcesFor: () => [source],
    verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
    clock,
    log: silentLog,
    count: () => {},
  })
  return { obtain, idle, store, logged, gateways }
}

function code(expected: string) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof Fault, String(thrown))
    assert.equal(thrown.code, expected)
    return true
  }
}

test('a block comes from a gateway, is requested in raw form, and is stored', async (t) => {
  const gateway = await startFakeGateway(t, held())
  const headers = { Authorization: 'Bearer quite-secret' }
  const url = `${gateway.url}/under?token=hidden`
  const [one] = [createFileSource(config(url, { headers }), systemClock)]
  t.after(() => one.close())
  const found = await one.find(wanted.cid, never)
  assert.deepEqual(Buffer.from(found ?? []), wanted.bytes)
  assert.deepEqual(gateway.requests, [
    `/under/ipfs/${wanted.cid.toString()}?token=hidden&format=raw`,
  ])
  assert.equal(gateway.headers.accept, 'application/vnd.ipld.raw')
  assert.equal(gateway.headers.authorization, 'Bearer quite-secret')
  assert.equal(gateway.headers['cdn-loop'], 'cairn')

  const { obtain, idle, store } = over(t, [gateway])
  await obtain(wanted.ref, {}, never)
  await idle()
  assert.ok(await store.has(wanted.ref))
})

test('credentials of the URL go as Basic', async (t) => {
  const gateway = await startFakeGateway(t, held())
  const url = gateway.url.replace('http://', 'http://key:sec%40ret@')
  const one = createFileSource(config(url), systemClock)
  t.after(() => one.close())
  await one.find(wanted.cid, never)
  assert.equal(
    gateway.headers.authorization,
    `Basic ${Buffer.from('key:sec@ret').toString('base64')}`,
  )
})

const bad: readonly Manner[] = [
  'wrong',
  'page',
  'oversized',
  'endless',
  'cut',
  'short',
  'packed',
  'absent',
  'busy',
  'refusing',
  'failing',
  'circling',
  'hanging',
  'dripping',
]

for (const manner of bad) {
  // The test takes as long as the hedge delay: the time limit of a request is minutes.
  const promise = `a gateway that is ${manner} costs time, and the honest one is used`
  test(promise, { timeout: 120_000 }, async (t) => {
    const rogue = await startFakeGateway(t, held(), { manner })
    const honest = await startFakeGateway(t, held())
    const { obtain, store, idle } = over(t, [rogue, honest])
    assert.deepEqual(Buffer.from(await obtain(wanted.ref, {}, never)), wanted.bytes)
    await idle()
    assert.deepEqual(Buffer.from(store.peek(wanted.ref) ?? []), wanted.bytes)
  })

  test(`a gateway that is ${manner} alone never gives a wrong byte`, async (t) => {
    const rogue = await startFakeGateway(t, held(), { manner })
    // A gateway that sends data is read to the end, even on a slow machine.
    const isSilent = manner === 'hanging' || manner === 'dripping'
    const { obtain, store, idle } = over(t, [isSilent ? [rogue, { timeoutMs: 200 }] : rogue])
    const lies = ['wrong', 'page', 'short']
    const expected = lies.includes(manner)
      ? 'unverified'
      : manner === 'absent'
        ? 'not_found'
        : 'no_upstream'
    await assert.rejects(obtain(wanted.ref, {}, never), code(expected))
    await idle()
    assert.ok(!(await store.has(wanted.ref)))
  })
}

test('a redirect within the origin is followed, one to another host is not', async (t) => {
  const moved = await startFakeGateway(t, held(), { manner: 'redirecting' })
  const { obtain } = over(t, [moved])
  assert.deepEqual(Buffer.from(await obtain(wanted.ref, {}, never)), wanted.bytes)

  const inside = await startFakeGateway(t, held())
  const away = await startFakeGateway(t, held(), { manner: 'sending-away', awayTo: inside.url })
  const other = over(t, [away])
  await assert.rejects(other.obtain(wanted.ref, {}, never), code('no_upstream'))
  assert.deepEqual(inside.requests, [], 'only the configured host was asked')
})

test('a second gateway is asked when the first takes long, and the first is let go', async (t) => {
  const slow = await startFakeGateway(t, held(), { manner: 'hanging' })
  const quick = await startFakeGateway(t, held())
  const release = quick.hold()
  const clock = createManualClock()
  const { obtain } = over(t, [slow, quick], clock)
  const found = obtain(wanted.ref, {}, never)
  await until(() => slow.requests.length === 1)
  assert.equal(quick.requests.length, 0)
  clock.advance(499)
  assert.equal(quick.requests.length, 0)
  clock.advance(1)
  await until(() => quick.requests.length === 1)
  release()
  assert.deepEqual(Buffer.from(await found), wanted.bytes)
})

test('one that always loses the race is not asked first for long', async (t) => {
  const blocks = Array.from({ length: 8 }, (_, index) => blockOf(`block ${index}`))
  const all = new Map(blocks.map(({ key, bytes }) => [key, bytes as Uint8Array]))
  const hanging = await startFakeGateway(t, all, { manner: 'hanging' })
  const slow = await startFakeGateway(t, all)
  const clock = createManualClock()
  const { obtain } = over(t, [hanging, slow], clock)
  for (const [before, { ref }] of blocks.entries()) {
    const release = slow.hold()
    const [hung, found] = [hanging.requests.length, obtain(ref, {}, never)]
    await until(() => hanging.requests.length > hung || slow.requests.length > before)
    if (slow.requests.length === before) clock.advance(500)
    await until(() => slow.requests.length > before)
    clock.advance(100)
    release()
    await found
  }
  assert.equal(hanging.requests.length, 1)
})

test('who is quick is waited for as long as it usually takes', async (t) => {
  const blocks = Array.from({ length: 9 }, (_, index) => blockOf(`block ${index}`))
  const all = new Map(blocks.map(({ key, bytes }) => [key, bytes as Uint8Array]))
  const [one, other] = [await startFakeGateway(t, all), await startFakeGateway(t, all)]
  const clock = createManualClock()
  const { obtain } = over(t, [one, other], clock)
  const [last, ...first] = blocks
  // With a manual clock each request takes no time.
  for (const { ref } of first) await obtain(ref, {}, never)
  const [asked, waiting] = one.requests.length > other.requests.length ? [one, other] : [other, one]
  const before = waiting.requests.length
  const release = asked.hold()
  const found = obtain(last?.ref ?? wanted.ref, {}, never)
  await until(() => asked.requests.length + before === 9)
  clock.advance(19)
  assert.equal(waiting.requests.length, before)
  clock.advance(1)
  await found
  assert.equal(waiting.requests.length, before + 1)
  release()
})

test('no more requests than allowed are under way, and the others come after them', async (t) => {
  const blocks = Array.from({ length: 30 }, (_, index) => blockOf(`block ${index}`))
  const gateway = await startFakeGateway(
    t,
    new Map(blocks.map(({ key, bytes }) => [key, bytes as Uint8Array])),
  )
  gateway.delayMs = 5
  const { obtain } = over(t, [[gateway, { concurrency: 3 }]])
  const found = await Promise.all(blocks.map(({ ref }) => obtain(ref, {}, never)))
  assert.deepEqual(
    found.map((bytes) => Buffer.from(bytes)),
    blocks.map(({ bytes }) => bytes),
  )
  assert.ok(gateway.concurrentMax <= 3, `${gateway.concurrentMax} at once`)
})

test('a gateway that fails again and again is left alone, then tried with one request', async (t) => {
  const gateway = await startFakeGateway(t, held(), { manner: 'failing' })
  const clock = createManualClock()
  const { obtain } = over(t, [gateway], clock)
  for (let turn = 0; turn < 10; turn++) {
    await assert.rejects(obtain(wanted.ref, {}, never), code('no_upstream'))
  }
  assert.equal(gateway.requests.length, 6)
  gateway.manner = 'honest'
  await assert.rejects(obtain(wanted.ref, {}, never), code('no_upstream'))
  clock.advance(5000)
  assert.deepEqual(Buffer.from(await obtain(wanted.ref, {}, never)), wanted.bytes)
})

test('a gateway that sends a wrong block is logged and not asked for a while', async (t) => {
  const gateway = await startFakeGateway(t, held(), { manner: 'wrong' })
  const { obtain, logged } = over(t, [gateway])
  await assert.rejects(obtain(wanted.ref, {}, never), code('unverified'))
  assert.deepEqual(logged, ['gateway_lied'])
  await assert.rejects(obtain(wanted.ref, {}, never), code('no_upstream'))
  assert.equal(gateway.requests.length, 1)
})

test('a Retry-After is kept', async (t) => {
  const gateway = await startFakeGateway(t, held(), { manner: 'busy' })
  const clock = createManualClock()
  const { obtain } = over(t, [gateway], clock)
  await assert.rejects(obtain(wanted.ref, {}, never), code('no_upstream'))
  gateway.manner = 'honest'
  clock.advance(999)
  await assert.rejects(obtain(wanted.ref, {}, never), code('no_upstream'))
  assert.equal(gateway.requests.length, 1)
  clock.advance(1)
  await obtain(wanted.ref, {}, never)
})

test('who hangs up is answered at once, and nothing stays under way', async (t) => {
  const gateway = await startFakeGateway(t, held(), { manner: 'hanging' })
  const { obtain } = over(t, [gateway])
  const caller = new AbortController()
  const found = obtain(wanted.ref, {}, caller.signal)
  await until(() => gateway.requests.length === 1)
  caller.abort(new Error('gone'))
  await assert.rejects(found, /gone/)
})

test('what is no block of a file is not asked for', async (t) => {
  const gateway = await startFakeGateway(t, held())
  const { obtain } = over(t, [gateway])
  const header: ContentRef = { kind: 'header', hash: wanted.ref.hash.subarray(2) }
  await assert.rejects(obtain(header, {}, never), code('not_found'))
  assert.deepEqual(gateway.requests, [])
})

test('a Kubo node gives blocks through its RPC, and says what it has not', async (t) => {
  const kubo = await startFakeGateway(t, held(), { rpc: true })
  const { obtain } = over(t, [[kubo, { speaks: 'kubo' }]])
  assert.deepEqual(Buffer.from(await obtain(wanted.ref, { codec: 0x70 }, never)), wanted.bytes)
  const asked = CID.createV1(0x70, wanted.cid.multihash).toString()
  assert.deepEqual(kubo.requests, [`/api/v0/block/get?arg=${asked}`])
  await assert.rejects(obtain(blockOf('other').ref, {}, never), code('not_found'))
})

test('a probe tells a gateway from a page, and from what is not reachable', async (t) => {
  const gateway = await startFakeGateway(t, held())
  const probe = async (url: string) => {
    const one = createFileSource(config(url), systemClock)
    try {
      await one.probe(never)
      return 'well'
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : ''
    } finally {
      await one.close()
    }
  }
  assert.equal(await probe(gateway.url), 'well')
  gateway.manner = 'page'
  assert.equal(await probe(gateway.url), 'the gateway returned a page instead of a block')
  gateway.manner = 'refusing'
  assert.equal(await probe(gateway.url), 'status 401')
  assert.equal(await probe('http://127.0.0.1:1'), 'ECONNREFUSED')
})

/** Uses real sockets and no clock: polls once per event-loop turn, for a minute at most. */
async function until(isSo: () => boolean): Promise<void> {
  const limit = AbortSignal.timeout(60_000)
  while (!isSo()) await setImmediate(undefined, { signal: limit })
}
