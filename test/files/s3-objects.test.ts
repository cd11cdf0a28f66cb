// Objects in a bucket of a real S3 service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { createS3Objects } from '../../src/content/objects/s3-objects.ts'
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
