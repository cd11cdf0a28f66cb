// Compares bucket and database, with a real PostgreSQL and a real S3 service.
import assert from 'node:assert/strict'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openObjectFixture } from '../../../test/fakes/files/object-fixture.ts'
import { bucket, missingVersitygw, startVersitygw } from '../../../test/fakes/files/versitygw.ts'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { noise } from '../../../test/fakes/seeded.ts'
import { systemClock } from '../../base/clock.ts'
import { sha256Name } from '../../codec/ipld/multihash.ts'
import { createS3Client } from '../../content/objects/s3-client.ts'
import { createS3Objects } from '../../content/objects/s3-objects.ts'
import { checkObjects } from './object-checks.ts'
import { compareObjects, type ObjectComparison } from './object-comparison.ts'

const postgres = usePostgres()
const missing = missingVersitygw()
const skip = missing === false ? postgres.skip : missing
const never = new AbortController().signal
const none = { count: 0, examples: [] }

async function openPlace(t: TestContext) {
  const { access, folder } = await startVersitygw(t)
  const fixture = await openObjectFixture(postgres.server())
  const objects = createS3Objects(access, { bucket, prefix: '' }, systemClock)
  t.after(async () => {
    await fixture.close()
  })
  const { store } = await fixture.machine({ objects: () => objects })
  const names: string[] = []
  for (let count = 0; count < 4; count += 1) {
    const bytes = noise(`block ${count}`, 1000 + count)
    await store.put([{ ref: { kind: 'dag-block', hash: sha256Name(bytes) }, bytes }])
  }
  for await (const name of objects.list('segments/', '', never)) names.push(name)
  const client = createS3Client(access, bucket, systemClock)
  t.after(() => client.close())
  const compare = (most?: number): Promise<ObjectComparison> =>
    compareObjects(
      fixture.rows,
      {
        list: () => client.listFrom('segments/', '', never),
        has: async (name) => (await client.list(name, never)).has(name),
      },
      most,
    )
  return { names, pathOf: (name: string) => join(folder, name), compare }
}

const codesOf = (comparison: ObjectComparison) =>
  [...checkObjects({ url: 's3://b', failure: null, skewMs: null, owner: null, comparison })].map(
    ({ level, code }) => `${level} ${code}`,
  )

test(
  'what lacks its row, its object or its size is named, and nothing else',
  { skip },
  async (t) => {
    const { names, pathOf, compare } = await openPlace(t)
    const sound = await compare()
    const nothing = { withoutRow: none, withoutObject: none, otherSize: none }
    assert.deepEqual(sound, { objects: 4, rows: 4, ...nothing, isComplete: true })
    assert.deepEqual(codesOf(sound), [])

    const [missingName = '', short = ''] = names
    await rm(pathOf(missingName))
    await truncate(pathOf(short), 10)
    const strangers = ['segments/999999', 'segments/note.txt']
    for (const name of strangers) await writeFile(pathOf(name), 'stranger')
    const found = await compare()
    assert.deepEqual(found, {
      objects: 5,
      rows: 4,
      withoutRow: { count: 2, examples: strangers },
      withoutObject: { count: 1, examples: [missingName] },
      otherSize: { count: 1, examples: [short] },
      isComplete: true,
    })
    assert.deepEqual(codesOf(found), [
      'problem objects_missing',
      'problem objects_other_size',
      'warning objects_without_row',
    ])
  },
)

test('a comparison ends at its limit, and then names no missing object', { skip }, async (t) => {
  const { names, pathOf, compare } = await openPlace(t)
  await rm(pathOf(names[0] ?? ''))
  const found = await compare(3)
  assert.equal(found.isComplete, false)
  assert.equal(found.withoutObject.count, 0)
  assert.deepEqual(codesOf(found), ['warning objects_not_compared'])
})

test('what a collection removes during a comparison is no problem', { skip }, async (t) => {
  const { pathOf, compare } = await openPlace(t)
  await writeFile(pathOf('segments/888888'), 'stranger')
  const client = { has: async () => false }
  const found = await compareObjects(
    { find: async () => [] },
    {
      ...client,
      list: async function* () {
        yield new Map([['segments/888888', 8]])
      },
    },
  )
  assert.deepEqual(found.withoutRow, none)
  assert.equal((await compare()).withoutRow.count, 1)
})
