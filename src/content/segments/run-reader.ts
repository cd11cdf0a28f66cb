// Reads many blocks in order: looks up a few at a time, and reads adjacent ones together into pooled buffers, one or two reads
// ahead of the caller. A buffer is returned when the caller requests the second group after its own.
import { type BlockPlace, dagPbLeaf } from '../../tables/blocks.ts'
import type { ReadBatch, StoredChunk } from '../block-store.ts'
import { storedBytesMax } from './find-blocks.ts'
import type { OpenFiles } from './open-files.ts'
import { type ReadBuffers, readBytes } from './io-buffers.ts'
import type { RecentReads } from './recent-places.ts'

/** One read: `at` to `at + bytes` of `file`, and the offset of each piece in it. Null pieces are not stored. */
export type PlannedRead = {
  readonly file: number
  readonly at: number
  readonly bytes: number
  readonly pieces: readonly PlannedPiece[]
}

type PlannedPiece = { readonly from: number; readonly place: BlockPlace } | null

/** Maximum gap between two pieces that one read includes: the head of a record. */
const gapMax = 512

/**
 * The reads for `places`, in order. `bytesMax`: maximum size of one read, unless a single block is larger. A read without a file
 * consists of nulls only.
 */
export function planReads(places: readonly (BlockPlace | null)[], bytesMax: number): PlannedRead[] {
  const reads: PlannedRead[] = []
  let pieces: PlannedPiece[] = []
  let file = 0
  let at = 0
  let end = 0

  function close(): void {
    if (pieces.length > 0) reads.push({ file, at, bytes: end - at, pieces })
    pieces = []
    file = 0
    at = 0
    end = 0
  }

  for (const place of places) {
    if (place === null) {
      pieces.push(null)
      continue
    }
    const joins =
      file === 0 ||
      (place.file === file &&
        place.at >= end &&
        place.at - end <= gapMax &&
        place.at + place.bytes - at <= bytesMax)
    if (!joins) close()
    if (file === 0) {
      file = place.file
      at = place.at
    }
    pieces.push({ from: place.at - at, place })
    end = place.at + place.bytes
  }
  close()
  return reads
}

const lookAhead = 64
/** Adjacent pieces are read together up to a full buffer, or half of one if few buffers are free. */
const joinedBytes = readBytes
/** Size of the ranges that are tracked as read before: the smaller of the two. */
export const stretchBytes = joinedBytes / 2
const pageBytes = 4096
/** Smaller reads use the page cache, as do reads that are not page-aligned. */
const pastBytesMin = 256 * 1024
/** The second one only while most buffers are free: it helps with a slow disk, but not with many parallel streams. */
const readsAhead = 2
/** Groups that are valid at a time. */
const groupsShown = 2

type Reading = {
  readonly plan: PlannedRead
  readonly into: Uint8Array
  readonly pooled: boolean
  /** Number of bytes; null if they cannot be read. */
  readonly done: Promise<number | null>
}

type RunParts<Ref> = {
  readonly placesOf: (refs: readonly Ref[]) => readonly (BlockPlace | null)[]
  readonly files: OpenFiles
  readonly buffers: ReadBuffers
  readonly recent: RecentReads
}

/** The next read, or its error. */
type Step = { readonly group: ReadBatch } | { readonly error: unknown }

/**
 * `placesOf`: locations, null for missing blocks. Unreadable blocks are null as well. After an error the caller may still use a
 * group: `return` releases its buffers.
 */
export function readRun<Ref>(
  refs: readonly Ref[],
  signal: AbortSignal,
  parts: RunParts<Ref>,
): AsyncGenerator<ReadBatch> {
  // A generator that throws has ended, and could not wait until its caller has released its groups.
  const steps = readSteps(refs, signal, parts)
  return {
    async next() {
      const step = await steps.next()
      if (step.done === true) return step
      if ('error' in step.value) throw step.value.error
      return { done: false, value: step.value.group }
    },
    async return(value: unknown) {
      await steps.return(undefined)
      return { done: true, value }
    },
    async throw(error: unknown) {
      await steps.return(undefined)
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await steps.return(undefined)
    },
  }
}

async function* readSteps<Ref>(
  refs: readonly Ref[],
  signal: AbortSignal,
  parts: RunParts<Ref>,
): AsyncGenerator<Step, undefined> {
  const { placesOf, files, buffers, recent } = parts
  const ahead: Reading[] = []
  /** Completed reads whose pieces the caller may still use. */
  const returned: Reading[] = []
  let plans: PlannedRead[] = []
  let looked = 0

  function nextPlan(): PlannedRead | null {
    while (plans.length === 0) {
      if (looked >= refs.length) return null
      const some = refs.slice(looked, looked + lookAhead)
      looked += some.length
      const joined = buffers.mostAreFree ? joinedBytes : stretchBytes
      plans = planReads(placesOf(some).map(validPlace), joined)
    }
    return plans.shift() ?? null
  }

  function validPlace(place: BlockPlace | null): BlockPlace | null {
    if (place === null) return null
    return place.at >= 0 && place.bytes >= 0 && place.bytes <= storedBytesMax ? place : null
  }

  function begin(): boolean {
    const plan = nextPlan()
    if (plan === null) return false
    const buffer = plan.bytes > 0 && plan.bytes <= readBytes ? buffers.acquire() : null
    if (buffer === null && plan.pieces.length > 1 && plan.file !== 0) {
      // No buffer is free: reads one piece at a time, into separately allocated memory.
      plans.unshift(...singly(plan))
      return begin()
    }
    const into = buffer ?? Buffer.allocUnsafeSlow(plan.bytes)
    const done = plan.file === 0 ? Promise.resolve(0) : read(plan, into, buffer !== null)
    ahead.push({ plan, into, pooled: buffer !== null, done })
    return true
  }

  async function read({ file, at, bytes }: PlannedRead, into: Uint8Array, pooled: boolean) {
    const isLarge = pooled && bytes >= pastBytesMin && at % pageBytes === 0
    // Reads up to the end of the last page: padded files contain it, others end before.
    const past = isLarge && !recent.note(file, at)
    try {
      if (!past) return await files.read(file, into.subarray(0, bytes), at)
      const pages = Math.ceil(bytes / pageBytes) * pageBytes
      return await files.readPast(file, into.subarray(0, pages), at)
    } catch {
      return null
    }
  }

  function releaseBuffer({ into, pooled }: Reading): void {
    if (pooled) buffers.release(into)
  }

  function readAhead(): void {
    while (ahead.length < (buffers.mostAreFree ? readsAhead : 1) && begin());
  }

  try {
    for (;;) {
      signal.throwIfAborted()
      const oldest = returned.length === groupsShown ? returned.shift() : undefined
      if (oldest !== undefined) releaseBuffer(oldest)
      if (ahead.length === 0 && !begin()) return undefined
      readAhead()
      const reading = ahead[0] as Reading
      const got = await reading.done
      ahead.shift()
      returned.push(reading)
      readAhead()
      signal.throwIfAborted()
      yield { group: reading.plan.pieces.map((piece) => pieceOf(piece, reading.into, got)) }
    }
  } catch (error) {
    yield { error }
    return undefined
  } finally {
    for (const reading of returned) releaseBuffer(reading)
    for (const reading of ahead) void reading.done.then(() => releaseBuffer(reading))
  }
}

function pieceOf(piece: PlannedPiece, into: Uint8Array, got: number | null): StoredChunk | null {
  if (piece === null || got === null) return null
  const { from, place } = piece
  if (from + place.bytes > got) return null
  return { data: into.subarray(from, from + place.bytes), leaf: place.form === dagPbLeaf }
}

function singly(plan: PlannedRead): PlannedRead[] {
  return plan.pieces.map((piece) =>
    piece === null
      ? { file: 0, at: 0, bytes: 0, pieces: [null] }
      : {
          file: plan.file,
          at: piece.place.at,
          bytes: piece.place.bytes,
          pieces: [{ from: 0, place: piece.place }],
        },
  )
}
