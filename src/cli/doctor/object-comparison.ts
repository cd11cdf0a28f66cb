// Compares the objects of a bucket with their rows, for `cairn doctor --objects`: a restore of only one of them leaves objects without
// rows, or rows without objects. Changes nothing. Works next to running servers: differences are checked again, because servers may
// have changed both in the meantime.
// Tested by src/cli/doctor/object-comparison.test.ts
import { objectName } from '../../content/objects/range-cache.ts'
import type { Rows } from '../../db/rows.ts'
import { findSegmentSizes } from '../../tables/objects/object-segments.ts'
import { findSegmentIds, listLiveSegments } from '../../tables/objects/segment-rows.ts'

/** `examples`: the first few names. */
export type FoundObjects = { readonly count: number; readonly examples: readonly string[] }

export type ObjectComparison = {
  /** Number of compared objects and rows. */
  readonly objects: number
  readonly rows: number
  readonly withoutRow: FoundObjects
  /** Rows whose object is missing. */
  readonly withoutObject: FoundObjects
  /** Objects whose size differs from their row. */
  readonly otherSize: FoundObjects
  /** False: objects beyond the limit were not compared. */
  readonly isComplete: boolean
}

export const comparedMax = 1_000_000
const pageRows = 1000
const idsAtOnce = 256
const examplesMax = 5
/** Maximum number of objects without a row that are checked again, by one request each. */
const checkedMax = 1000
const objectRegex = /^segments\/([1-9]\d{0,15})$/

export type ComparedBucket = {
  /** Pages of names below `segments/`, sorted, with the sizes of the objects. */
  list(): AsyncIterable<ReadonlyMap<string, number>>
  has(name: string): Promise<boolean>
}

/** Throws the faults of both services. `most`: maximum number of objects and of rows. */
export async function compareObjects(
  rows: Pick<Rows, 'find'>,
  bucket: ComparedBucket,
  most = comparedMax,
): Promise<ObjectComparison> {
  // Read the rows first: an object is complete before its row is live.
  const expected = await readRows(rows, most)
  const counted = expected.size
  const orphans: string[] = []
  const otherSize: string[] = []
  let objects = 0
  let isComplete = counted < most
  for await (const page of bucket.list()) {
    const unknown = new Map<number, string>()
    for (const [name, bytes] of page) {
      const id = idOf(name)
      const row = id === null ? undefined : expected.get(id)
      if (id === null) orphans.push(name)
      else if (row === undefined) unknown.set(id, name)
      else {
        if (row !== bytes) otherSize.push(name)
        expected.delete(id)
      }
    }
    orphans.push(...(await findRowless(rows, unknown)))
    objects += page.size
    if (objects < most) continue
    isComplete = false
    break
  }
  const missing = isComplete ? await findStillLive(rows, [...expected.keys()]) : []
  return {
    objects,
    rows: counted,
    withoutRow: summaryOf(await findStillStored(bucket, orphans)),
    withoutObject: summaryOf(missing.map(objectName)),
    otherSize: summaryOf(otherSize),
    isComplete,
  }
}

function idOf(name: string): number | null {
  const [, digits] = objectRegex.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}

/** Object sizes by segment ID. */
async function readRows(rows: Pick<Rows, 'find'>, most: number): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for (let after = 0; found.size < most;) {
    const page = await rows.find(listLiveSegments(after, pageRows))
    for (const { id, bytes } of page) found.set(id, bytes)
    if (page.length < pageRows) break
    after = page.at(-1)?.id ?? 0
  }
  return found
}

async function findRowless(
  rows: Pick<Rows, 'find'>,
  names: ReadonlyMap<number, string>,
): Promise<readonly string[]> {
  const left = new Map(names)
  const ids = [...names.keys()]
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = ids.slice(at, at + idsAtOnce)
    for (const { id } of await rows.find(findSegmentIds(some))) left.delete(id)
  }
  return [...left.values()]
}

/** Excludes rows that a garbage collection has removed in the meantime. */
async function findStillLive(
  rows: Pick<Rows, 'find'>,
  ids: readonly number[],
): Promise<readonly number[]> {
  const live: number[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = ids.slice(at, at + idsAtOnce)
    for (const { id } of await rows.find(findSegmentSizes(some))) live.push(id)
  }
  return live
}

/** Excludes objects that a garbage collection has removed in the meantime: it removes an object before its row. */
async function findStillStored(
  bucket: ComparedBucket,
  names: readonly string[],
): Promise<readonly string[]> {
  const stored: string[] = []
  for (const name of names.slice(0, checkedMax)) if (await bucket.has(name)) stored.push(name)
  return [...stored, ...names.slice(checkedMax)]
}

function summaryOf(names: readonly string[]): FoundObjects {
  return { count: names.length, examples: names.slice(0, examplesMax).toSorted() }
}
