// Resumable uploads on several machines, with a real PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { silentLog } from '../../src/base/log.ts'
import { createPartBuffers } from '../../src/content/objects/part-buffers.ts'
import {
  type ResumableUpload,
  type ResumableUploads,
  uploadLifeMs,
} from '../../src/kubo/tus/resumable-uploads.ts'
import { openSharedUploads } from '../../src/kubo/tus/shared-uploads.ts'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'
import { type ObjectFixture, openObjectFixture } from '../fakes/files/object-fixture.ts'
import { collect, listObjects, advanceHours } from '../fakes/files/object-service.ts'
import { noise } from '../fakes/seeded.ts'
import { createManualClock } from '../fakes/manual-clock.ts'

const skip = missingPostgres()
let server: Postgres
const partBytes = 1000

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

async function openTwo(t: TestContext) {
  const fixture = await openObjectFixture(server)
  t.after(() => fixture.close())
  const clock = createManualClock()
  const open = async (): Promise<ResumableUploads> => {
    const { store } = await fixture.machine({ deleteDelayMs: 0 })
    const uploads = await openSharedUploads({
      rows: fixture.rows,
      objects: fixture.objects,
      ids: store.ids,
      buffers: createPartBuffers(2, partBytes),
      clock,
      log: silentLog,
    })
    t.after(() => uploads.stop())
    return uploads
  }
  return { fixture, clock, one: await open(), other: await open(), open }
}

const record = (digit: string, bytes: number, created: number): ResumableUpload => ({
  id: digit.repeat(32),
  accountId: 'account',
  keyId: 'key',
  bytes,
  received: 0,
  created,
  metadata: { filename: 'ü.txt' },
  added: null,
})

async function* pieces(bytes: Uint8Array, pieceBytes = 300, end?: Error) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  if (end !== undefined) throw end
}

const fits = (): void => {}

async function bytesOf(uploads: ResumableUploads, id: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(uploads.read(id)))
}

async function partsOf({ read }: ObjectFixture): Promise<number> {
  return (await read('SELECT 1 FROM upload_part')).length
}

test('an upload goes on at another machine where it stopped', { skip }, async (t) => {
  const { fixture, clock, one, other } = await openTwo(t)
  const body = noise('upload', 4321)
  const upload = record('1', body.length, clock.now())
  await one.create(upload)
  const cut = pieces(body.subarray(0, 2500), 300, new Error('cut off'))
  await assert.rejects(one.append(upload.id, 0, cut, fits), /cut off/)
  const found = await other.find(upload.id)
  assert.deepEqual(found, { ...upload, received: 2500 })
  assert.equal(await other.append(upload.id, 2500, pieces(body.subarray(2500)), fits), 4321)
  assert.ok((await bytesOf(one, upload.id)).equals(body))
  // A collection in between removes no part.
  await advanceHours(fixture, 0.5)
  await collect(await fixture.machine({ deleteDelayMs: 0 }))
  assert.ok((await bytesOf(one, upload.id)).equals(body))
  const added = { Name: 'a', Hash: 'Qm', Size: '1' }
  await other.finish({ ...upload, added })
  assert.deepEqual((await one.find(upload.id))?.added, added)
  assert.equal(await one.append(upload.id, 4321, pieces(Buffer.of(1)), fits), null)
  await advanceHours(fixture, 0.5)
  await collect(await fixture.machine({ deleteDelayMs: 0 }))
  assert.deepEqual(await listObjects(fixture), [])
})

test('of two machines with bytes for one offset, one stores them', { skip }, async (t) => {
  const { clock, one, other } = await openTwo(t)
  const body = noise('upload', 3000)
  const upload = record('1', body.length, clock.now())
  await one.create(upload)
  const ends = await Promise.all(
    [one, other].map((uploads) => uploads.append(upload.id, 0, pieces(body), fits)),
  )
  assert.deepEqual(new Set(ends), new Set([3000, null]))
  assert.ok((await bytesOf(one, upload.id)).equals(body))
})

test('open uploads and declared bytes count on every machine', { skip }, async (t) => {
  const { clock, one, open } = await openTwo(t)
  const end = one.begin(record('1', 10, clock.now()))
  assert.equal(await one.openOf('key'), 1)
  assert.equal(one.declaredOf('account'), 10)
  await one.create(record('1', 10, clock.now()))
  end()
  await one.create(record('2', 20, clock.now()))
  assert.equal(await one.openOf('key'), 2)
  assert.equal(one.declaredOf('account'), 30)
  const third = await open()
  assert.equal(await third.openOf('key'), 2)
  assert.equal(third.declaredOf('account'), 30)
  await third.remove('1'.repeat(32))
  assert.equal(third.declaredOf('account'), 20)
  assert.equal(await one.find('1'.repeat(32)), null)
})

test('an upload that no longer fits keeps what came before', { skip }, async (t) => {
  const { clock, one } = await openTwo(t)
  const upload = record('1', 3000, clock.now())
  await one.create(upload)
  let left = 1500
  const mustFit = (bytes: number): void => {
    left -= bytes
    if (left < 0) throw new Error('no space')
  }
  await assert.rejects(one.append(upload.id, 0, pieces(noise('x', 3000)), mustFit), /no space/)
  assert.equal((await one.find(upload.id))?.received, 1500)
})

test('an upload is gone a day after it began', { skip }, async (t) => {
  const { fixture, clock, one, open } = await openTwo(t)
  const upload = record('1', 3000, clock.now())
  await one.create(upload)
  await one.append(upload.id, 0, pieces(noise('x', 3000)), fits)
  assert.equal(await partsOf(fixture), 3)
  clock.advance(uploadLifeMs + 1)
  await open()
  assert.equal(await one.find(upload.id), null)
  assert.equal(await partsOf(fixture), 0)
})
