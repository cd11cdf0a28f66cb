// The log under random schedules: blocks are joined and appended while writes end in any order and some fail. The seed
// is printed; set CAIRN_SEED to repeat a run.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { createMemoryFileOps, systemError } from '../../../test/fakes/files/memory-file-ops.ts'
import { seeded, type Random } from '../../../test/fakes/seeded.ts'
import { Fault } from '../../base/fault.ts'
import { sha256Name, sha256NameBytes } from '../../codec/ipld/multihash.ts'
import type { FileOps, OpenFile } from '../file-ops.ts'
import type { UnverifiedItem } from '../ref.ts'
import { createWriteFailure, openSegmentFolder } from './segment-folder.ts'
import { createLogWriter } from './log-writer.ts'
import { createOpenFiles } from './open-files.ts'
import { readRecords } from './read-records.ts'
import { recordBytes } from './record.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const schedules = 80
const stepsMax = 100
/** Turns in which all waiting writes are released. */
const turnsMax = 3000

type Held = { end(error?: Error): void }
type Place = { readonly file: number; readonly at: number }

/** Writes and syncs wait until the test releases them; a failed one leaves a part of its bytes. */
function heldOps(random: Random) {
  const memory = createMemoryFileOps()
  const blocked: Held[] = []
  let syncFailed = false
  function hold(run: () => Promise<void>, fail: () => Promise<void> = async () => {}) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const one: Held = {
      end(error) {
        blocked.splice(blocked.indexOf(one), 1)
        if (error === undefined) run().then(resolve, reject)
        else fail().then(() => reject(error), reject)
      },
    }
    blocked.push(one)
    return promise
  }
  const write = (file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void> => {
    const before = Buffer.concat(buffers)
    return hold(
      async () => {
        assert.deepEqual(
          Buffer.concat(buffers),
          before,
          'memory was used again while it was written',
        )
        await memory.writev(file, [before], at)
      },
      () => memory.writev(file, [before.subarray(0, random(before.length + 1))], at),
    )
  }
  const ops: FileOps = {
    ...memory,
    writev: write,
    writeSynced: write,
    datasync: () =>
      hold(
        async () => {},
        async () => {
          syncFailed = true
        },
      ),
  }
  return { ops, blocked, hasSyncFailed: () => syncFailed }
}

function createSchedule(random: Random) {
  const { ops, blocked, hasSyncFailed } = heldOps(random)
  const where = { ops, path: '/store', bytesMax: null, otherBytes: () => 0 }
  const folder = openSegmentFolder(where)
  const places = new Map<string, Place>()
  const acknowledged: {
    readonly key: string
    readonly item: UnverifiedItem
    readonly place: Place
  }[] = []
  let onTheirWay = 0
  let made = 0
  let unsettled = 0
  let reportedUpTo = 0
  let bytes = 0
  let failure: unknown = null
  const log = createLogWriter({
    ops,
    folder,
    breakage: createWriteFailure(() => {}),
    sealBytes: [3000, 30_000, 2 ** 20][random(3)] ?? 0,
    onJoin: () => (count) => (onTheirWay -= count),
    onBlocks({ count, names, ranges: lies, file, at }) {
      for (let index = 0; index < count; index += 1) {
        const name = names.subarray(index * sha256NameBytes, (index + 1) * sha256NameBytes)
        places.set(keyOf(name), { file, at: at + (lies[index * 2] ?? 0) })
      }
    },
  })

  function items(count: number): UnverifiedItem[] {
    return Array.from({ length: count }, () => {
      const block = Buffer.from(`${made++} ${'x'.repeat(random(60))}`)
      return { ref: { kind: 'dag-block', hash: sha256Name(block) }, bytes: block }
    })
  }

  function acknowledge(
    some: readonly UnverifiedItem[],
    placeOf: (item: UnverifiedItem, index: number) => Place | undefined,
  ) {
    for (const [index, item] of some.entries()) {
      const place = placeOf(item, index)
      assert.ok(place, 'acknowledged and never reported')
      acknowledged.push({ key: keyOf(item.ref.hash), item, place })
      bytes += recordBytes(item.ref.hash, item.bytes.length)
    }
  }

  /** An error that is not a Fault fails this test. */
  function settled(work: Promise<void>): void {
    unsettled += 1
    work
      .catch((error: unknown) => {
        if (!(error instanceof Fault)) failure ??= error
      })
      .finally(() => (unsettled -= 1))
  }

  return {
    join(): void {
      const first = made
      const some = items([1 + random(20), 64, 1 + random(256)][random(3)] ?? 1)
      onTheirWay += some.length
      const joined = log.join(some)
      assert.ok(joined)
      settled(
        joined.then(() => {
          assert.ok(first >= reportedUpTo, 'reported out of order')
          reportedUpTo = first
          acknowledge(some, ({ ref }) => places.get(keyOf(ref.hash)))
        }),
      )
    },
    append(durable: boolean): void {
      const some = items(random(5))
      const records = some.map(({ ref, bytes: payload }) => ({
        kind: 'object' as const,
        key: ref.hash,
        payload,
      }))
      settled(
        log.append(records, durable).then((its) => acknowledge(some, (_item, index) => its[index])),
      )
    },
    letOneGo(failing: boolean): void {
      blocked[random(blocked.length)]?.end(
        failing && random(4) === 0 ? systemError('ENOSPC') : undefined,
      )
    },
    async end(): Promise<void> {
      for (let turn = 0; turn < turnsMax && unsettled + blocked.length > 0; turn += 1) {
        this.letOneGo(false)
        if (random(3) === 0) await new Promise(setImmediate)
        else await Promise.resolve()
      }
      if (failure !== null) throw failure
      assert.equal(unsettled, 0, 'a caller waits forever')
      assert.equal(onTheirWay, 0)
      assertCounted()
      await log.close()
      await assertFound()
    },
  }

  /** Data of a failed sync remains in its file, and no data is written after it. */
  function assertCounted(): void {
    const lying = openSegmentFolder(where).bytes
    if (hasSyncFailed()) assert.ok(folder.bytes >= bytes && folder.bytes <= lying, 'counted')
    else assert.equal(folder.bytes, bytes, 'what the folder counts')
  }

  /** Each block is at its reported location, and a scan from the start of its file finds it, as at a server start. */
  async function assertFound(): Promise<void> {
    const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax: 4 })
    const found = new Map<string, Buffer>()
    for (const { id, bytes: size } of openSegmentFolder(where).files()) {
      for await (const { key, payload, at } of readRecords(files, id, size)) {
        found.set(`${keyOf(key)} ${id} ${at}`, Buffer.from(payload))
      }
    }
    for (const { key, item, place } of acknowledged) {
      assert.deepEqual(found.get(`${key} ${place.file} ${place.at}`), item.bytes)
    }
    await files.close()
  }
}

const keyOf = (name: Uint8Array): string => Buffer.from(name).toString('hex')

test(`in ${schedules} schedules acknowledged records of the log are found at their reported location (seed ${seed})`, async () => {
  for (let number = 0; number < schedules; number += 1) {
    const random = seeded(seed + number)
    const schedule = createSchedule(random)
    for (let step = random(stepsMax); step >= 0; step -= 1) {
      const what = random(10)
      if (what === 0) for (let burst = 0; burst < 6; burst += 1) schedule.join()
      else if (what < 3) schedule.join()
      else if (what === 3) schedule.append(random(2) === 0)
      else if (what < 8) schedule.letOneGo(true)
      else await new Promise(setImmediate)
    }
    await schedule.end().catch((error: unknown) => {
      throw new Error(`schedule ${number} of seed ${seed}`, { cause: error })
    })
  }
})
