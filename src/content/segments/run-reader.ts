// Reads many blocks in order: looks them up some at a time, reads neighbours together into pooled buffers, two
// reads ahead of the caller. A buffer comes back when the caller is far enough past its last piece.
// Tested by src/content/segments/segment-files.test.ts
import { piecesAhead, type StoredPiece } from '../store.ts'
import { dagPbLeaf, type BlockPlace } from './block-index.ts'
import { storedBytesMax } from './block-reader.ts'
import type { OpenFiles } from './open-files.ts'
import { readBytes, type ReadBuffers } from './read-buffers.ts'
import type { RecentReads } from './recent-reads.ts'
import { planReads, type PlannedPiece, type PlannedRead } from './read-plan.ts'

const lookAhead = 64
/** Neighbours are read together up to so much: larger reads are hardly faster, and hold more memory. */
export const joinedBytes = 512 * 1024
const pageBytes = 4096
/** A smaller read goes through the cache of the system, as does one that does not begin at a page. */
const pastBytesMin = 256 * 1024
const readsAhead = 2

type Reading = {
  readonly plan: PlannedRead
  readonly into: Uint8Array
  readonly pooled: boolean
  /** How many bytes there were; null when they cannot be read. */
  readonly done: Promise<number | null>
}

/** `placeOf`: where it lies, null when it is not here. Pieces that cannot be read are null as well. */
export async function* readRun<Ref>(
  refs: readonly Ref[],
  signal: AbortSignal,
  parts: {
    readonly placeOf: (ref: Ref) => BlockPlace | null
    readonly files: OpenFiles
    readonly buffers: ReadBuffers
    readonly recent: RecentReads
  },
): AsyncGenerator<StoredPiece | null> {
  const { placeOf, files, buffers, recent } = parts
  const ahead: Reading[] = []
  /** Read, and its pieces may still be looked at: until so many pieces were asked for. */
  const shown: { readonly reading: Reading; readonly until: number }[] = []
  let plans: PlannedRead[] = []
  let looked = 0
  let asked = 0

  function nextPlan(): PlannedRead | null {
    while (plans.length === 0) {
      if (looked >= refs.length) return null
      const some = refs.slice(looked, looked + lookAhead)
      looked += some.length
      plans = planReads(some.map(soundPlace), joinedBytes)
    }
    return plans.shift() ?? null
  }

  function soundPlace(ref: Ref): BlockPlace | null {
    const place = placeOf(ref)
    if (place === null) return null
    return place.at >= 0 && place.bytes >= 0 && place.bytes <= storedBytesMax ? place : null
  }

  function begin(): boolean {
    const plan = nextPlan()
    if (plan === null) return false
    const buffer = plan.bytes > 0 && plan.bytes <= readBytes ? buffers.take() : null
    if (buffer === null && plan.pieces.length > 1 && plan.file !== 0) {
      // No buffer is free: one piece at a time, in memory of its own.
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
    // What follows the last byte is read along: a file of whole pages has it, another has no more.
    const past = isLarge && !recent.note(file, at)
    try {
      if (!past) return await files.read(file, into.subarray(0, bytes), at)
      const pages = Math.ceil(bytes / pageBytes) * pageBytes
      return await files.readPast(file, into.subarray(0, pages), at)
    } catch {
      return null
    }
  }

  function giveBack({ into, pooled }: Reading): void {
    if (pooled) buffers.give(into)
  }

  function releaseOld(): void {
    for (let first = shown[0]; first !== undefined && first.until <= asked; first = shown[0]) {
      giveBack(first.reading)
      shown.shift()
    }
  }

  try {
    for (;;) {
      signal.throwIfAborted()
      while (ahead.length < readsAhead + 1 && begin());
      const [reading] = ahead
      if (reading === undefined) return
      const got = await reading.done
      ahead.shift()
      shown.push({ reading, until: asked + reading.plan.pieces.length + piecesAhead })
      while (ahead.length < readsAhead && begin());
      for (const piece of reading.plan.pieces) {
        signal.throwIfAborted()
        asked += 1
        releaseOld()
        yield pieceOf(piece, reading.into, got)
      }
    }
  } finally {
    for (const { reading } of shown) giveBack(reading)
    for (const reading of ahead) void reading.done.then(() => giveBack(reading))
  }
}

function pieceOf(piece: PlannedPiece, into: Uint8Array, got: number | null): StoredPiece | null {
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
