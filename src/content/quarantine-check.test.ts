import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryFileOps } from '../../test/fakes/files/memory-file-ops.ts'
import { createSegmentFixture } from '../../test/fakes/files/segment-fixture.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { item } from '../../test/suites/block-store.suite.ts'
import { silentLog } from '../base/log.ts'
import { verifyDagBlock } from '../codec/ipld/verify-dag-block.ts'
import { createObtain } from './obtain.ts'
import { createQuarantineCheck } from './quarantine-check.ts'
import { countQuarantined } from '../tables/quarantine.ts'
import { beforeQuarantine, listQuarantined } from './quarantine-rows.ts'
import type { Source } from './source.ts'

test('a check releases good copies, replaces others from a source, and leaves the rest', async (t) => {
  const clock = createManualClock()
  const ops = createMemoryFileOps()
  const { store, db } = createSegmentFixture(t, { ops, clock })
  const [good, healed, lost] = [item('good'), item('healed'), item('lost')]
  await store.put([good, healed, lost])
  for (const { ref } of [good, healed, lost]) await store.quarantine(ref)
  for (const { ref } of [healed, lost]) {
    db.run('UPDATE block SET at = at + 1 WHERE hash = ?', [ref.hash])
  }
  assert.equal(countQuarantined(db), 3)
  const source: Source = {
    name: 'other',
    async fetch({ ref }, offer) {
      if (Buffer.compare(ref.hash, healed.ref.hash) === 0) offer([healed])
    },
  }
  const { obtain, idle } = createObtain({
    store,
    sourcesFor: () => [source],
    verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
    clock,
    log: silentLog,
    count: () => {},
  })
  const check = createQuarantineCheck({ store, database: db, obtain, clock, log: silentLog })
  await check.check()
  await idle()
  assert.equal(countQuarantined(db), 1)
  assert.deepEqual(store.peek(good.ref), good.bytes)
  assert.deepEqual(store.peek(healed.ref), healed.bytes)
  assert.equal(store.peek(lost.ref), null)
  assert.ok(await store.get(lost.ref, 'quarantined'))
  await check.stop()
})

test('the walk over copies in quarantine reaches all of both homes, some at a time', async (t) => {
  const { store, db } = createSegmentFixture(t, { ops: createMemoryFileOps() })
  const names = new Set<string>()
  for (let index = 0; index < 7; index += 1) {
    const { ref, bytes } = item(`${index}`)
    const kind = index < 3 ? 'dag-block' : 'code'
    await store.put([{ ref: { kind, hash: ref.hash }, bytes }])
    await store.quarantine({ kind, hash: ref.hash })
    names.add(Buffer.from(ref.hash).toString('hex'))
  }
  const seen: string[] = []
  for (let place: typeof beforeQuarantine | null = beforeQuarantine; place !== null;) {
    const { refs, next } = listQuarantined(db, place, 2)
    seen.push(...refs.map(({ hash }) => Buffer.from(hash).toString('hex')))
    place = next
  }
  assert.equal(seen.length, 7)
  assert.deepEqual(new Set(seen), names)
})
