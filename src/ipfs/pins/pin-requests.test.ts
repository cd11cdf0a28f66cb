import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { CID } from 'multiformats/cid'
import {
  createFilesFixture,
  fileEntry,
  importAll,
  pinsOf,
  rootOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { until } from '../../../test/fakes/until.ts'
import type { Fault } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import type { PinRequestFilter, PinRequestLimits } from '../../tables/pinning/pin-requests.ts'
import { createPinQueue } from './pin-queue.ts'
import { createPinRequests } from './pin-requests.ts'

const any: PinRequestFilter = {
  cids: [],
  statuses: ['queued', 'pinning', 'pinned', 'failed'],
  name: null,
  before: null,
  after: null,
  meta: [],
}

/** Requests on a store that has bob's content. `work`: with a running queue. */
function fixture(t: TestContext, limits?: PinRequestLimits) {
  const made = createFilesFixture(t)
  const { files, rows, clock } = made
  const queue = createPinQueue({ rows, filesOf: () => files, clock, log: silentLog })
  const requests = createPinRequests({
    rows,
    clock,
    queued: queue.wake,
    removed: queue.abort,
    ...(limits === undefined ? {} : { limits }),
  })
  const upload = async (text: string) =>
    rootOf(await importAll(files, [fileEntry('f', text)], {}, 'bob')).cid
  const pinned = async () => (await pinsOf(files, 'alice')).map(({ cid }) => cid.toString())
  const ask = (cid: CID, more: { name?: string; meta?: Record<string, string> } = {}) =>
    requests.add('alice', { cid, name: '', meta: null, origins: null, ...more })
  const work = (): void => {
    const stop = queue.begin()
    t.after(stop)
  }
  const ends = (id: string, status = 'pinned') =>
    until(async () => assert.equal((await requests.find('alice', id))?.status, status), 30_000)
  return { ...made, requests, queue, upload, pinned, ask, work, ends }
}

test('a request ends as an ordinary pin of the account under its name, and goes with the pin', async (t) => {
  const { files, requests, upload, ask, work, ends, pinned } = fixture(t)
  const cid = await upload('stored already')
  const { id } = await ask(cid, { name: 'mine' })
  work()
  await ends(id)
  assert.deepEqual((await files.findPin('alice', cid))?.name, 'mine')
  const found = await requests.find('alice', id)
  assert.deepEqual([found?.tries, found?.blocks, found?.error], [1, 1, null])
  await files.unpin('alice', cid, true)
  assert.equal(await requests.find('alice', id), null)
  assert.deepEqual(await pinned(), [])
})

test('a removed request takes its pin along, unless another request stands for it', async (t) => {
  const { requests, upload, ask, work, ends, pinned } = fixture(t)
  const cid = await upload('twice')
  const [one, other] = [await ask(cid), await ask(cid, { name: 'again' })]
  work()
  await ends(one.id)
  await ends(other.id)
  await requests.remove('alice', one.id)
  assert.deepEqual(await pinned(), [cid.toString()])
  await requests.remove('alice', other.id)
  assert.deepEqual(await pinned(), [])
  await assert.rejects(requests.remove('alice', other.id), { code: 'absent' })
})

test('a replaced request has a new ID, and its pin stays until the new one is there', async (t) => {
  const { requests, upload, ask, work, ends, pinned } = fixture(t)
  const [before, after] = [await upload('before'), await upload('after')]
  const old = await ask(before)
  work()
  await ends(old.id)
  const pin = { cid: after, name: 'new', meta: null, origins: null }
  const replaced = await requests.replace('alice', old.id, pin)
  assert.notEqual(replaced.id, old.id)
  assert.equal(await requests.find('alice', old.id), null)
  assert.ok((await pinned()).length > 0)
  await ends(replaced.id)
  assert.deepEqual(await pinned(), [after.toString()])
  // With the same CID, only the name changes.
  const renamed = await requests.replace('alice', replaced.id, { ...pin, name: 'newest' })
  await ends(renamed.id)
  assert.deepEqual(await pinned(), [after.toString()])
  await requests.remove('alice', renamed.id)
  assert.deepEqual(await pinned(), [])
})

test('a replacement that is removed before its turn takes the old pin along', async (t) => {
  const { requests, queue, upload, ask, ends, pinned } = fixture(t)
  const stop = queue.begin()
  const old = await ask(await upload('before'))
  await ends(old.id)
  await stop()
  const pin = { cid: await upload('after'), name: '', meta: null, origins: null }
  const replaced = await requests.replace('alice', old.id, pin)
  assert.equal((await pinned()).length, 1)
  await requests.remove('alice', replaced.id)
  assert.deepEqual(await pinned(), [])
})

test('requests of other accounts are absent', async (t) => {
  const { requests, upload, ask } = fixture(t)
  const cid = await upload('not yours')
  const { id } = await ask(cid)
  assert.equal(await requests.find('bob', id), null)
  await assert.rejects(requests.remove('bob', id), { code: 'absent' })
  const pin = { cid, name: '', meta: null, origins: null }
  await assert.rejects(requests.replace('bob', id, pin), { code: 'absent' })
  assert.equal((await requests.list('bob', any, 10)).count, 0)
})

test('the list is newest first, each with a time of its own, and filters narrow it', async (t) => {
  const { requests, upload, ask } = fixture(t)
  const cid = await upload('listed')
  const made = [
    await ask(cid, { name: 'Alpha', meta: { app: 'one', 'a"b': 'x' } }),
    await ask(cid, { name: 'alphabet', meta: { app: 'two' } }),
    await ask(await upload('other'), { name: '100% ÄÖ' }),
  ]
  const times = made.map(({ created }) => created)
  assert.equal(new Set(times).size, 3)
  const names = async (filter: Partial<PinRequestFilter>, limit = 10) => {
    const { requests: found, count } = await requests.list('alice', { ...any, ...filter }, limit)
    return [count, ...found.map(({ name }) => name)]
  }
  const name = (text: string, part: boolean, folded: boolean) => ({ name: { text, part, folded } })
  assert.deepEqual(await names({}), [3, '100% ÄÖ', 'alphabet', 'Alpha'])
  assert.deepEqual(await names({}, 1), [3, '100% ÄÖ'])
  assert.deepEqual(await names({ before: times[2] ?? 0, after: times[0] ?? 0 }), [1, 'alphabet'])
  assert.deepEqual(await names({ cids: [cid.bytes] }), [2, 'alphabet', 'Alpha'])
  assert.deepEqual(await names({ statuses: ['pinned'] }), [0])
  assert.deepEqual(await names(name('Alpha', false, false)), [1, 'Alpha'])
  assert.deepEqual(await names(name('alpha', false, true)), [1, 'Alpha'])
  assert.deepEqual(await names(name('lpha', true, false)), [2, 'alphabet', 'Alpha'])
  assert.deepEqual(await names(name('äö', true, true)), [1, '100% ÄÖ'])
  assert.deepEqual(await names(name('%', true, false)), [1, '100% ÄÖ'])
  assert.deepEqual(await names({ meta: [['app', 'one']] }), [1, 'Alpha'])
  const both = [
    ['app', 'one'],
    ['a"b', 'x'],
  ] as const
  assert.deepEqual(await names({ meta: both }), [1, 'Alpha'])
  assert.deepEqual(await names({ meta: [...both, ['app', 'two']] }), [0])
})

test('waiting requests are limited for a CID, for an account and in all', async (t) => {
  const limits = { sameMax: 2, openMax: 3, openInAllMax: 4 }
  const { requests, upload, ask } = fixture(t, limits)
  const [cid, second, third] = [await upload('1'), await upload('2'), await upload('3')]
  await ask(cid)
  await ask(cid)
  await assert.rejects(ask(cid), { code: 'over_quota', message: /2 pin requests for this CID/ })
  await ask(second)
  await assert.rejects(ask(third), { code: 'over_quota', message: /3 pin requests .* waiting/ })
  const pin = { cid: third, name: '', meta: null, origins: null }
  await requests.add('bob', pin)
  await assert.rejects(requests.add('bob', pin), { code: 'overloaded' })
})

test('parallel requests do not exceed a limit', async (t) => {
  const limits = { sameMax: 2, openMax: 3, openInAllMax: 4 }
  const { requests, ask } = fixture(t, limits)
  const cids = Array.from({ length: 8 }, (_, at) =>
    cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from(`absent ${at}`))),
  )
  const [first] = cids
  assert.ok(first)
  const ended = await Promise.allSettled([first, first, first, ...cids].map((cid) => ask(cid)))
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 3)
  const others = cids.map((cid) =>
    requests.add('bob', { cid, name: '', meta: null, origins: null }),
  )
  const reasons = (await Promise.allSettled(others)).map(
    (one) => one.status === 'rejected' && (one.reason as Fault).code,
  )
  assert.deepEqual(reasons, [false, ...Array.from({ length: 7 }, () => 'overloaded')])
  const [one] = (await requests.list('alice', { ...any, cids: [first.bytes] }, 10)).requests
  assert.ok(one)
  const replaced = cids
    .slice(0, 4)
    .map((cid) => requests.replace('alice', one.id, { cid, name: '', meta: null, origins: null }))
  const made = (await Promise.allSettled(replaced)).filter(({ status }) => status === 'fulfilled')
  assert.equal(made.length, 1)
  assert.equal((await requests.list('alice', any, 10)).count, 3)
})

test('a replaced request makes room for the new one only if it was waiting', async (t) => {
  const limits = { sameMax: 2, openMax: 2, openInAllMax: 9 }
  const { requests, upload, ask, ends, work } = fixture(t, limits)
  const [cid, second, third] = [await upload('1'), await upload('2'), await upload('3')]
  const { id: pinned } = await ask(cid)
  work()
  await ends(pinned)
  const absent = cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from('stored nowhere')))
  const waiting = await ask(absent)
  await ask(absent)
  const replace = (id: string, by: CID) =>
    requests.replace('alice', id, { cid: by, name: '', meta: null, origins: null })
  const refused = { code: 'over_quota', message: /2 pin requests .* waiting/ }
  await assert.rejects(replace(pinned, cid), refused)
  await assert.rejects(replace(pinned, third), refused)
  const replaced = await replace(waiting.id, second)
  await ends(replaced.id)
})

test('the texts of requests count towards the storage of the account, from the request to its end', async (t) => {
  const { files, database, requests, upload, ask } = fixture(t)
  const cid = await upload('of bob')
  const limit = (bytes: number): void =>
    void database.run(`UPDATE account SET settings = ? WHERE id = 'alice'`, [
      JSON.stringify({ filesStoredBytes: bytes }),
    ])
  const stored = async (): Promise<number> => (await files.stored('alice')).bytes
  const size = cid.bytes.length + 'näme'.length + 1 + '{"a":"b"}'.length + '["/dns/x"]'.length
  limit(size + 1)
  const pin = { cid, name: 'näme', meta: { a: 'b' }, origins: ['/dns/x'] }
  const { id } = await requests.add('alice', pin)
  assert.equal(await stored(), size)
  await assert.rejects(ask(cid), { code: 'over_quota', message: /storage quota reached/ })
  assert.equal(await stored(), size)
  const { id: shorter } = await requests.replace('alice', id, { ...pin, origins: null })
  assert.equal(await stored(), size - '["/dns/x"]'.length)
  await requests.remove('alice', shorter)
  assert.equal(await stored(), 0)
})
