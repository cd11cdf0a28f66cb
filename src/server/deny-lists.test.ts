import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { denyCheckPeriodMs, denyPathsOf, openDenyLists } from './deny-lists.ts'

const one = CID.parse('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
const other = CID.parse('bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy')

const noRules = { find: () => null, refresh: () => undefined, refreshNow: () => {}, stop: () => {} }

test('a changed list is read again, and a missing one leaves the last list in force', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'deny.txt')
  await writeFile(file, `${one.toString()}\n`)
  const clock = createManualClock()
  let wake: (event: string) => void = () => {}
  const nextEvent = () =>
    new Promise<string>((resolve) => {
      wake = resolve
    })
  const log = (_level: string, event: string) => wake(event)
  const list = await openDenyLists([file], { own: noRules, clock, log })
  assert.equal(list.denialOf(one), 410)

  await writeFile(file, `${other.toString()}\n${one.toString()}\n`)
  const read = nextEvent()
  clock.advance(denyCheckPeriodMs)
  assert.equal(await read, 'deny_list_read')
  assert.equal(list.denialOf(other), 410)

  await rm(file)
  const lost = nextEvent()
  clock.advance(denyCheckPeriodMs)
  assert.equal(await lost, 'deny_list_not_read')
  assert.equal(list.denialOf(one), 410)

  list.stop()
  assert.equal(clock.timers, 0)
})

test('without a file nothing is denied, and a missing file stops the start', async () => {
  const parts = { own: noRules, clock: createManualClock(), log: () => {} }
  assert.equal((await openDenyLists([], parts)).denialOf(one), null)
  await assert.rejects(
    openDenyLists(['/nowhere/deny.txt'], parts),
    /^Error: cannot read the deny list \/nowhere\/deny\.txt: ENOENT/,
  )
})

test('a folder of lists is read in alphabetical order, later lists win, and new files count', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'b.deny'), `!${one.toString()}\n`)
  await writeFile(join(folder, 'a.deny'), `${one.toString()}\n${other.toString()} status:451\n`)
  await writeFile(join(folder, 'c.txt'), `${one.toString()}\n`)
  const clock = createManualClock()
  let wake = () => {}
  const log = () => wake()
  const lists = await openDenyLists([folder], { own: noRules, clock, log })
  t.after(() => lists.stop())
  assert.equal(lists.denialOf(one), null)
  assert.equal(lists.denialOf(other), 451)
  await writeFile(join(folder, 'd.deny'), `${one.toString()}\n`)
  const read = new Promise<void>((resolve) => {
    wake = resolve
  })
  clock.advance(denyCheckPeriodMs)
  await read
  assert.equal(lists.denialOf(one), 410)
})

test('a pipe in the folder, and a list of more lines than fit, are refused by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  const parts = { own: noRules, clock: createManualClock(), log: () => {} }
  execFileSync('mkfifo', [join(folder, 'a.deny')])
  await assert.rejects(openDenyLists([folder], parts), /a\.deny is no regular file/)
  await rm(join(folder, 'a.deny'))
  await writeFile(join(folder, 'b.deny'), '\n'.repeat(20_000_000))
  await assert.rejects(openDenyLists([folder], parts), /at most 1000000 lines, this one has more/)
})

test('more files than fit, and a file that is too long, are refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  const parts = { own: noRules, clock: createManualClock(), log: () => {} }
  const paths = Array.from({ length: 1000 }, (_, n) => join(folder, `${n}.deny`))
  await Promise.all(paths.map((path) => writeFile(path, '')))
  const lists = await openDenyLists([folder], parts)
  lists.stop()
  const long = join(folder, 'long.deny')
  await writeFile(long, '')
  await assert.rejects(openDenyLists([folder], parts), /names 1001 files, at most 1000 are read/)
  // A sparse file, which uses no disk space.
  await truncate(long, 256 * 1024 * 1024 + 1)
  await assert.rejects(
    openDenyLists([long], parts),
    /long\.deny: it is longer than 268435456 bytes/,
  )
})

test('lists that have more than a million entries together are refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  const parts = { own: noRules, clock: createManualClock(), log: () => {} }
  const half = `//${'0'.repeat(64)}\n`.repeat(500_001)
  await writeFile(join(folder, 'a.deny'), half)
  await writeFile(join(folder, 'b.deny'), half)
  await assert.rejects(
    openDenyLists([folder], parts),
    /b\.deny: the lists have more than 1000000 entries together/,
  )
})

test('both settings name lists, the single file first', () => {
  assert.deepEqual(denyPathsOf({ denyFile: null, denyFiles: null }), [])
  assert.deepEqual(denyPathsOf({ denyFile: 'a', denyFiles: 'b, c' }), ['a', 'b', 'c'])
})
