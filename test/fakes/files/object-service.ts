// Helpers for tests of the object store: charged blocks, a garbage collection, aged rows, and invariants that hold at any time.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLog } from '../../../src/base/log.ts'
import { verifyDagBlock } from '../../../src/codec/ipld/verify-dag-block.ts'
import { sha256Name } from '../../../src/codec/ipld/multihash.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import { objectName } from '../../../src/content/objects/range-cache.ts'
import type { Statement } from '../../../src/db/writer.ts'
import { createGarbageCollector } from '../../../src/ipfs/collection/garbage-collector.ts'
import { noise } from '../seeded.ts'
import type { Machine, ObjectFixture } from './object-fixture.ts'

/** Enough collections to end uploads, delete blocks, compact, and mark, remove and again remove objects. */
const collectionsMax = 6
/** Longer than every delay of a removal. */
const removalHours = 24 * 8
const never = new AbortController().signal

/** A block with a valid hash. */
export function blockOf(seed: string, bytes: number): UnverifiedItem {
  const data = noise(seed, bytes)
  return { ref: { kind: 'dag-block', hash: sha256Name(data) }, bytes: data }
}

/** Rows that charge these blocks to an account, for the transaction that commits them. */
export function charge(items: readonly UnverifiedItem[]): readonly Statement[] {
  return items.map(({ ref }) => ({
    sql: `INSERT INTO charge (block, storage, roots, size) SELECT id, 1, 1, size FROM block WHERE hash = ?
      ON CONFLICT (block, storage) DO UPDATE SET roots = charge.roots + 1`,
    parameters: [ref.hash],
    require: 'change' as const,
  }))
}

/** Removes the charges of the blocks. */
export function discharge(items: readonly UnverifiedItem[]): readonly Statement[] {
  return items.map(({ ref }) => ({
    sql: 'DELETE FROM charge WHERE block = (SELECT id FROM block WHERE hash = ?)',
    parameters: [ref.hash],
  }))
}

/** Runs a complete collection that includes young blocks. `rows`: connection of the collector. */
export async function collect({ store, rows: own }: Machine, rows = own): Promise<void> {
  const collected = store.collectorStore(rows)
  const collector = createGarbageCollector({
    rows,
    writer: { accepted: 0 },
    deleteBlocks: collected.delete,
    segments: collected.segments,
    countPins: async () => true,
    intervalMs: null,
    clock: systemClock,
    log: silentLog,
  })
  try {
    await collector.collect()
  } finally {
    await collector.stop()
  }
}

/** Ages the rows in the database by this many hours. */
export async function advanceHours({ read }: ObjectFixture, hours: number): Promise<void> {
  await read(`UPDATE segment SET since = since - interval '${hours} hours'`)
  await read(`UPDATE node_lease SET until = until - interval '${hours} hours'`)
}

/** Asserts that every block row has its bytes, and every charge its block. */
export async function checkService({ read, objects }: ObjectFixture): Promise<void> {
  const charges = await read(
    'SELECT block FROM charge WHERE NOT EXISTS (SELECT 1 FROM block WHERE block.id = charge.block)',
  )
  assert.deepEqual(charges, [])
  for (const { hash, file, at, bytes } of await read('SELECT hash, file, at, bytes FROM block')) {
    const data = await objects.read(objectName(Number(file)), Number(at), Number(bytes), never)
    verifyDagBlock(hash as Uint8Array, data)
  }
}

export async function listObjects({ objects }: ObjectFixture): Promise<readonly string[]> {
  const names: string[] = []
  for await (const name of objects.list('segments/', '', never)) names.push(name)
  return names
}

/** Asserts that days later, after enough collections, only the objects and rows of existing blocks remain. */
export async function checkCollected(fixture: ObjectFixture, machine: Machine): Promise<void> {
  const names = async (sql: string): Promise<readonly string[]> =>
    (await fixture.read(sql)).map(({ id }) => objectName(Number(id))).toSorted()
  const left = async () => ({
    objects: (await listObjects(fixture)).toSorted(),
    rows: await names("SELECT id FROM segment WHERE state IN ('live', 'dead')"),
    staged: await fixture.read('SELECT 1 FROM staged'),
  })
  const blocks = 'SELECT DISTINCT file AS id FROM block WHERE file > 0'
  for (let round = 1; ; round += 1) {
    await advanceHours(fixture, removalHours)
    await collect(machine)
    const named = await names(blocks)
    if (round < collectionsMax && !isDeepStrictEqual(await left(), only(named))) continue
    assert.deepEqual(await left(), only(named))
    return
  }
}

const only = (named: readonly string[]) => ({ objects: named, rows: named, staged: [] })

/** Asserts that another machine reads the blocks byte for byte. */
export async function checkReadable(
  { store }: Machine,
  items: readonly UnverifiedItem[],
): Promise<void> {
  for (const { ref, bytes } of items) {
    const found = await store.get(ref)
    assert.ok(
      found !== null && Buffer.from(found).equals(bytes),
      'an acknowledged block is missing',
    )
  }
}
