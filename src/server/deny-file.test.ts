import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createTurnedClock } from '../../test/fakes/turned-clock.ts'
import { denyLookMs, openDenyFile } from './deny-file.ts'

const one = CID.parse('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
const other = CID.parse('bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy')

test('a changed list is read again, and a missing one leaves the last list in force', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-deny-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'deny.txt')
  await writeFile(file, `${one.toString()}\n`)
  const clock = createTurnedClock()
  let wake: (event: string) => void = () => {}
  const nextEvent = () =>
    new Promise<string>((resolve) => {
      wake = resolve
    })
  const log = (_level: string, event: string) => wake(event)
  const list = await openDenyFile(file, { clock, log })
  assert.equal(list.denies(one), true)

  await writeFile(file, `${other.toString()}\n${one.toString()}\n`)
  const read = nextEvent()
  clock.turn(denyLookMs)
  assert.equal(await read, 'deny_list_read')
  assert.equal(list.denies(other), true)

  await rm(file)
  const lost = nextEvent()
  clock.turn(denyLookMs)
  assert.equal(await lost, 'deny_list_not_read')
  assert.equal(list.denies(one), true)

  list.stop()
  assert.equal(clock.timers, 0)
})

test('without a file nothing is denied, and a missing file stops the start', async () => {
  const parts = { clock: createTurnedClock(), log: () => {} }
  assert.equal((await openDenyFile(null, parts)).denies(one), false)
  await assert.rejects(
    openDenyFile('/nowhere/deny.txt', parts),
    /^Error: cannot read gateway\.denyFile \/nowhere\/deny\.txt: ENOENT/,
  )
})
