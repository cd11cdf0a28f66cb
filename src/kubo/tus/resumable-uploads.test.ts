import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { openResumableUploads, uploadLifeMs, type ResumableUpload } from './resumable-uploads.ts'

function rig(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-uploads-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const clock = createManualClock()
  const record = (digit: string, more: Partial<ResumableUpload> = {}): ResumableUpload => ({
    id: digit.repeat(32),
    accountId: 'account',
    keyId: 'key',
    bytes: 10,
    received: 0,
    created: clock.now(),
    metadata: {},
    added: null,
    ...more,
  })
  return { folder, clock, record }
}

test('what was saved is there after a restart, and what a crash left is not', async (t) => {
  const { folder, clock, record } = rig(t)
  const before = await openResumableUploads(folder, clock)
  const added = { Name: 'a', Hash: 'Qm', Size: '1' }
  await before.save(record('1', { received: 4 }))
  await before.save(record('2', { added }))
  before.stop()
  const [one, two, other] = ['1', '2', '3'].map((digit) => digit.repeat(32))
  for (const name of [
    `${one}.bytes`,
    `${two}.bytes`,
    `${other}.bytes`,
    `${other}.json`,
    `${one}.json.new`,
  ]) {
    writeFileSync(join(folder, name), '{')
  }
  const now = await openResumableUploads(folder, clock)
  t.after(() => now.stop())
  assert.equal(now.find('1'.repeat(32))?.received, 4)
  assert.deepEqual(now.find('2'.repeat(32))?.added, added)
  assert.equal(now.find('3'.repeat(32)), null)
  assert.equal(now.openOf('key'), 1)
  assert.deepEqual(readdirSync(folder).toSorted(), [`${one}.bytes`, `${one}.json`, `${two}.json`])
})

test('an upload is gone a day after it began, added or not, also over a restart', async (t) => {
  const { folder, clock, record } = rig(t)
  const records = await openResumableUploads(folder, clock)
  await records.save(record('1'))
  writeFileSync(records.pathOf('1'.repeat(32)), 'bytes')
  clock.advance(uploadLifeMs / 2)
  await records.save(record('2'))
  records.stop()
  clock.advance(uploadLifeMs / 2 + 1)
  const later = await openResumableUploads(folder, clock)
  t.after(() => later.stop())
  assert.equal(later.find('1'.repeat(32)), null)
  assert.deepEqual(readdirSync(folder), [`${'2'.repeat(32)}.json`])
  clock.advance(uploadLifeMs)
  while (readdirSync(folder).length > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(later.find('2'.repeat(32)), null)
})
