// What doctor reports about the bucket, with a real S3 service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucket, missingVersitygw, startVersitygw } from '../../../test/fakes/files/versitygw.ts'
import { type QueriedObjects, queryObjects } from '../query-objects.ts'
import { checkObjects } from './object-checks.ts'

const skip = missingVersitygw()
const database = { url: null, connectionsMax: 2, mayLoseCommits: false }

const found: QueriedObjects = {
  url: 's3://bucket',
  failure: null,
  skewMs: 100,
  owner: null,
  comparison: null,
}

function codesOf(queried: QueriedObjects | null): readonly string[] {
  return [...checkObjects(queried)].map(({ code }) => code)
}

test('a bucket that works, and none, are no problem', () => {
  assert.deepEqual(codesOf(null), [])
  assert.deepEqual(codesOf(found), [])
  assert.deepEqual(codesOf({ ...found, skewMs: null }), [])
})

test('a foreign bucket, a wrong one and a wrong clock have one sentence each', () => {
  assert.deepEqual(codesOf({ ...found, owner: 'foreign' }), ['objects_of_another'])
  assert.deepEqual(codesOf({ ...found, owner: 'absent' }), ['objects_of_another'])
  const [late] = checkObjects({ ...found, skewMs: -60_000 })
  assert.match(late?.text ?? '', /60 s behind that of the object store/)
})

test(
  'wrong keys, an absent bucket and a dead service are reported with the fix',
  { skip },
  async (t) => {
    const service = await startVersitygw(t)
    const objects = {
      ...service.access,
      url: `s3://${bucket}/files`,
      cacheBytes: 0,
      deleteDelayMs: 3_600_000,
    }
    const sound = await queryObjects({ objects, database })
    assert.deepEqual(codesOf(sound), [])
    assert.ok(sound?.skewMs !== null && Math.abs(sound?.skewMs ?? 0) < 60_000)
    const problemOf = async (change: Partial<typeof objects>) => {
      const [problem] = checkObjects(
        await queryObjects({ objects: { ...objects, ...change }, database }),
      )
      assert.equal(problem?.code, 'objects_unreachable')
      assert.ok(!problem.text.includes(service.access.secretAccessKey))
      return problem
    }
    assert.equal(
      (await problemOf({ secretAccessKey: 'wrong' })).fix,
      'check objects.secretAccessKey',
    )
    assert.match((await problemOf({ accessKeyId: 'other' })).fix, /objects\.accessKeyId$/)
    assert.equal((await problemOf({ url: 's3://nowhere' })).fix, 'create the bucket nowhere first')
    await service.kill()
    const dead = await problemOf({})
    assert.match(dead.text, /^files cannot be stored in s3:\/\/stones\/files: no reply from http/)
    assert.equal(dead.fix, 'check objects.url and objects.endpoint')
  },
)
