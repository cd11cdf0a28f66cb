// Guarantees of full groups in the log: written in parallel, reported in order.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createMemoryFileOps, systemError } from '../../../test/fakes/files/memory-file-ops.ts'
import type { FileOps } from '../file-ops.ts'
import type { UnverifiedItem } from '../ref.ts'
import { createWriteFailure, openSegmentFolder } from './segment-folder.ts'
import type { Place } from './extents.ts'
import { createLogWriter, type DurableBlocks, type LogWriter } from './log-writer.ts'
import { createOpenFiles } from './open-files.ts'
import { readRecords } from './read-records.ts'

type Held = { readonly at: number; go(error?: Error): void }

/** A log with a file, whose synced writes wait until the test releases them. */
async function heldLog(): Promise<{
  readonly log: LogWriter
  readonly writes: Held[]
  readonly reported: DurableBlocks[]
  readonly ends: Place[]
  readonly keysOnDisk: () => Promise<string[]>
}> {
  const memory = createMemoryFileOps()
  const writes: Held[] = []
  const ops: FileOps = {
    ...memory,
    async writeSynced(file, buffers, at) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const go = (error?: Error): void => (error === undefined ? resolve() : reject(error))
      writes.push({ at, go })
      await promise
      await memory.writeSynced(file, buffers, at)
    },
  }
  const folder = openSegmentFolder({ ops, path: '/store', bytesMax: null, otherBytes: () => 0 })
  const reported: DurableBlocks[] = []
  const ends: Place[] = []
  const log = createLogWriter({
    ops,
    folder,
    breakage: createWriteFailure(() => {}),
    sealBytes: 2 ** 20,
    onBlocks: (blocks) => void reported.push(blocks),
    onLog: (end) => void ends.push(end),
  })
  const keysOnDisk = async (): Promise<string[]> => {
    const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax: 4 })
    const keys: string[] = []
    const bytes = memory.files.get(folder.pathOf(1))?.length ?? 0
    for await (const { key } of readRecords(files, 1, bytes)) keys.push(hexOf(key))
    return keys.slice(1)
  }
  const first = log.join(full('first', 1))
  await rest()
  writes[0]?.go()
  await first
  for (const list of [writes, reported, ends]) list.length = 0
  return { log, writes, reported, ends, keysOnDisk }
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function full(name: string, blocks = 64): UnverifiedItem[] {
  return Array.from({ length: blocks }, (_, index) => {
    const bytes = Buffer.from(`${name} ${index}`)
    const digest = createHash('sha256').update(bytes).digest()
    return { ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
  })
}

const namesOf = (items: readonly UnverifiedItem[]): string[] =>
  items.map(({ ref }) => hexOf(ref.hash))

/** Waits until no more work is pending. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

/** Joins all groups, and records in `order` the callers and their reports. */
function joinAll(log: LogWriter, groups: Readonly<Record<string, UnverifiedItem[]>>): string[] {
  const order: string[] = []
  for (const [name, items] of Object.entries(groups)) {
    log.join(items)?.then(
      () => order.push(name),
      (error: { code: string }) => order.push(`${name} ${error.code}`),
    )
  }
  return order
}

const five = () => ({
  one: full('one'),
  two: full('two'),
  three: full('three'),
  four: full('four'),
  five: full('five'),
})

test('full groups are written in parallel with the previous one, and reported after it', async () => {
  const { log, writes, reported, ends, keysOnDisk } = await heldLog()
  const groups = five()
  const order = joinAll(log, groups)
  await rest()
  assert.equal(writes.length, 4, 'four at a time')
  writes[1]?.go()
  writes[3]?.go()
  await rest()
  assert.deepEqual(order, [])
  assert.deepEqual(ends, [])
  writes[0]?.go()
  await rest()
  assert.deepEqual(order, ['one', 'two'])
  assert.deepEqual(
    ends.map(({ at }) => at),
    [writes[1]?.at, writes[2]?.at],
    'the log is reported as far as it is on disk',
  )
  assert.deepEqual(
    reported.map(({ at }) => at),
    [writes[0]?.at, writes[1]?.at],
  )
  assert.equal(writes.length, 5, 'with room for the fifth')
  writes[4]?.go()
  writes[2]?.go()
  await rest()
  assert.deepEqual(order, ['one', 'two', 'three', 'four', 'five'])
  assert.deepEqual(await keysOnDisk(), Object.values(groups).flatMap(namesOf))
  await log.close()
})

test('one that is not full waits for the one before it', async () => {
  const { log, writes } = await heldLog()
  const order = joinAll(log, { one: full('one'), two: full('two', 63) })
  await rest()
  assert.equal(writes.length, 1)
  writes[0]?.go()
  await rest()
  writes[1]?.go()
  await rest()
  assert.deepEqual(order, ['one', 'two'])
  await log.close()
})

test('data behind a group that did not fit is written again, over it', async () => {
  const { log, writes, ends, keysOnDisk } = await heldLog()
  const { one, ...others } = five()
  const order = joinAll(log, { one, ...others })
  await rest()
  for (const index of [3, 1, 2]) writes[index]?.go()
  writes[0]?.go(systemError('ENOSPC'))
  await rest()
  assert.deepEqual(order, ['one no_space'])
  assert.equal(writes[4]?.at, writes[0]?.at)
  assert.deepEqual(ends, [])
  for (let next = 4; next < writes.length; next += 1) {
    writes[next]?.go()
    await rest()
  }
  assert.deepEqual(order, ['one no_space', 'two', 'three', 'four', 'five'])
  assert.deepEqual(await keysOnDisk(), Object.values(others).flatMap(namesOf))
  await log.close()
})

test('a group that did not fit has no effect on its neighbours, in any order of completion', async () => {
  for (const ends of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
  ]) {
    const { log, writes, keysOnDisk } = await heldLog()
    const groups = five()
    const order = joinAll(log, groups)
    await rest()
    for (const index of ends) {
      writes[index]?.go(index === 1 || index === 3 ? systemError('ENOSPC') : undefined)
      await rest()
    }
    // The last of the four was restarted after the failed second one, where it fits.
    for (let next = 4; next < writes.length; next += 1) {
      writes[next]?.go()
      await rest()
    }
    assert.deepEqual(order, ['one', 'two no_space', 'three', 'four', 'five'])
    const retained = [groups.one, groups.three, groups.four, groups.five]
    assert.deepEqual(await keysOnDisk(), retained.flatMap(namesOf))
    await log.close()
  }
})

test('a group that did not fit has no effect on the previous one', async () => {
  const { log, writes, keysOnDisk } = await heldLog()
  const groups = { one: full('one'), two: full('two'), three: full('three') }
  const order = joinAll(log, groups)
  await rest()
  writes[1]?.go(systemError('ENOSPC'))
  await rest()
  writes[0]?.go()
  await rest()
  for (let next = 2; next < writes.length; next += 1) {
    writes[next]?.go()
    await rest()
  }
  assert.deepEqual(order, ['one', 'two no_space', 'three'])
  assert.deepEqual(await keysOnDisk(), [...namesOf(groups.one), ...namesOf(groups.three)])
  await log.close()
})

test('after a failed sync, data written behind it is refused too', async () => {
  const { log, writes } = await heldLog()
  const order = joinAll(log, { one: full('one'), two: full('two') })
  await rest()
  writes[1]?.go()
  writes[0]?.go(systemError('EIO'))
  await rest()
  assert.deepEqual(order, ['one no_space', 'two no_space'])
  assert.equal(writes.length, 2)
  await log.close()
})
