// Objects in a bucket of a real S3 service.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { createS3Client } from '../../src/content/objects/s3-client.ts'
import { createS3Objects } from '../../src/content/objects/s3-objects.ts'
import { objectsPolicy } from '../../src/content/objects/s3-policy.ts'
import { createReplyCutter } from '../engines/reply-cutter.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { until } from '../fakes/until.ts'
import { noise } from '../fakes/seeded.ts'
import { bucket, missingVersitygw, startVersitygw } from '../fakes/files/versitygw.ts'
import { objectStoreSuite } from '../suites/object-store.suite.ts'

const skip = missingVersitygw()
const never = new AbortController().signal

objectStoreSuite(
  'a bucket',
  async (t) => {
    const { access } = await startVersitygw(t)
    return createS3Objects(access, { bucket, prefix: 'some/prefix' }, systemClock)
  },
  { skip },
)

const behind = skip || missingToxiproxy()

async function openBehind(t: TestContext) {
  const { access, url } = await startVersitygw(t)
  const proxy = await startToxiproxy(t, Number(new URL(url).port))
  const through = { ...access, endpoint: `http://127.0.0.1:${proxy.port}` }
  return { proxy, store: createS3Objects(through, { bucket, prefix: '' }, systemClock) }
}

objectStoreSuite(
  'a bucket over a slow link',
  async (t) => {
    const { proxy, store } = await openBehind(t)
    await proxy.slow(20)
    return store
  },
  { skip: behind },
)

test(
  'a cut link is an overload, and objects are there when it heals',
  { skip: behind },
  async (t) => {
    const { proxy, store } = await openBehind(t)
    t.after(() => store.close())
    const body = noise('body', 100_000)
    await store.put('segments/1', body, never)
    await proxy.cut()
    await assert.rejects(store.read('segments/1', 0, 1, never), { code: 'overloaded' })
    await assert.rejects(store.put('segments/2', body, never), { code: 'overloaded' })
    await proxy.heal()
    await until(async () => {
      assert.ok(Buffer.from(await store.read('segments/1', 0, body.length, never)).equals(body))
    })
  },
)

test(
  'a silent link ends reads and writes within the tries, and objects are there when it heals',
  { skip: behind },
  async (t) => {
    const { access, url } = await startVersitygw(t)
    const proxy = await startToxiproxy(t, Number(new URL(url).port))
    const through = { ...access, endpoint: `http://127.0.0.1:${proxy.port}` }
    const policy = { ...objectsPolicy, silenceMs: 200 }
    const client = createS3Client(through, bucket, systemClock, policy)
    t.after(() => client.close())
    const body = noise('body', 100_000)
    await client.put('key', body, never)
    await proxy.silence()
    await assert.rejects(client.list('key', never), /no reply from http/)
    await assert.rejects(client.put('other', body, never), /no reply from http/)
    await proxy.heal()
    await until(async () => {
      assert.equal((await client.list('key', never)).get('key'), body.length)
    })
  },
)

test('calls of a dead object store fail immediately after a few tries', { skip }, async (t) => {
  const service = await startVersitygw(t)
  const store = createS3Objects(service.access, { bucket, prefix: '' }, systemClock)
  t.after(() => store.close())
  await store.put('segments/1', new Uint8Array(10), never)
  assert.ok(store.isAvailable)
  await service.kill()
  for (let call = 0; call < 10; call += 1) {
    await assert.rejects(store.read('segments/1', 0, 10, never), { code: 'overloaded' })
  }
  assert.ok(!store.isAvailable)
})

test('a lost reply and a broken connection cost a retry, and no object', { skip }, async (t) => {
  const { access, url } = await startVersitygw(t)
  const cutter = await createReplyCutter(Number(new URL(url).port))
  t.after(() => cutter.close())
  const through = { ...access, endpoint: `http://127.0.0.1:${cutter.port}` }
  const store = createS3Objects(through, { bucket, prefix: '' }, systemClock)
  t.after(() => store.close())
  const body = noise('body', 100_000)
  const putLost = cutter.cutReplyTo('PUT /stones/segments/1')
  await store.put('segments/1', body, never)
  await putLost
  const readLost = cutter.cutReplyTo('GET /stones/segments/1')
  assert.ok(Buffer.from(await store.read('segments/1', 0, body.length, never)).equals(body))
  await readLost
  const writer = store.putParts('segments/2')
  await writer.write(noise('part', 9 * 1024 * 1024))
  const endLost = cutter.cutReplyTo('POST /stones/segments/2?uploadId')
  await writer
    .end()
    .catch((error: unknown) => assert.partialDeepStrictEqual(error, { code: 'overloaded' }))
  await endLost
  assert.equal((await store.read('segments/2', 0, 1, never)).length, 1)
  cutter.cut()
  await assert.rejects(store.read('segments/1', 0, 1, never), { code: 'overloaded' })
  cutter.pass()
  assert.equal((await store.read('segments/1', 0, 1, never)).length, 1)
})
