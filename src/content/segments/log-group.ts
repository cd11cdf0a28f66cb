// Records that share one write of a log: copied one after another into a reused buffer, with their waiting
// callers.
// Tested by src/content/segments/log-writer.test.ts
import { sha256NameBytes as nameBytes } from '../../codec/ipld/multihash.ts'
import type { Place } from './extents.ts'
import { type RecordKind, recordBytes, writeHead } from './record.ts'

type Waiter = {
  readonly offsets: readonly number[]
  readonly resolve: (places: readonly Place[]) => void
  readonly reject: (error: unknown) => void
}

/** In the order in which they came. */
export type LogGroup = {
  /** Full chunks, the last one not yet among them. */
  readonly chunks: Uint8Array[]
  chunk: Uint8Array
  used: number
  bytes: number
  durable: boolean
  records: number
  readonly waiters: Waiter[]
  joined: Joined | null
  /** Its location, once its write was started. */
  writing: Promise<Written> | null
  /** It has its place and was handed over, written and synced in one. */
  atOnce: boolean
}

/** Where a group begins, and where the log ends behind it. */
export type Written = Place & { readonly end: Place }

/** Blocks of a group that were joined to it. */
export type Joined = {
  count: number
  readonly names: Uint8Array
  /** Of each: its offset in the group, and its length. */
  readonly lies: Float64Array
  readonly done: (count: number) => void
  readonly outcome: PromiseWithResolvers<readonly number[]>
}

const chunkBytes = 1024 * 1024
const groupBytesMax = 16 * 1024 * 1024
/** So that the next ones are named and copied while others are written (docs/explanation/decisions/0034-four-log-writes-in-flight.md). */
const groupWaitersMax = 64
/** For four groups being written, the one last reported, and the one being filled. */
const spareChunksMax = 6
const nothing = new Uint8Array(0)
/** Of one call. */
export const joinedMax = 256
const joinedRoom = groupWaitersMax + joinedMax

export function emptyGroup(): LogGroup {
  return {
    chunks: [],
    chunk: nothing,
    used: 0,
    bytes: 0,
    durable: false,
    records: 0,
    waiters: [],
    joined: null,
    writing: null,
    atOnce: false,
  }
}

export function emptyJoined(done: (count: number) => void): Joined {
  return {
    count: 0,
    names: new Uint8Array(joinedRoom * nameBytes),
    lies: new Float64Array(joinedRoom * 2),
    done,
    outcome: Promise.withResolvers<readonly number[]>(),
  }
}

/** The group is closed for new records. */
export function isFullGroup({ bytes, waiters, joined }: LogGroup): boolean {
  return bytes >= groupBytesMax || waiters.length + (joined?.count ?? 0) >= groupWaitersMax
}

/** What is to be written, in order. */
export function buffersOf({ chunks, chunk, used }: LogGroup): readonly Uint8Array[] {
  return [...chunks, chunk.subarray(0, used)]
}

export type GroupMemory = {
  /** Copies one record to the end of the group; where in the group its payload starts. */
  copy(group: LogGroup, kind: RecordKind, key: Uint8Array, payload: Uint8Array): number
  /** Called when no reader of the group is left. */
  giveBack(group: LogGroup): void
}

export function createGroupMemory(): GroupMemory {
  const spare: Uint8Array[] = []
  return {
    copy(group, kind, key, payload) {
      const bytes = recordBytes(key, payload.length)
      if (group.used + bytes > group.chunk.length) {
        if (group.used > 0) group.chunks.push(group.chunk.subarray(0, group.used))
        group.chunk =
          bytes > chunkBytes
            ? Buffer.allocUnsafeSlow(bytes)
            : (spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes))
        group.used = 0
      }
      const payloadAt = writeHead(group.chunk, group.used, kind, key, payload.length)
      group.chunk.set(payload, payloadAt)
      const offset = group.bytes + payloadAt - group.used
      group.used += bytes
      group.bytes += bytes
      group.records += 1
      return offset
    },
    giveBack({ chunks, chunk }) {
      for (const each of [...chunks, chunk]) {
        const whole = each.buffer.byteLength === chunkBytes
        if (whole && spare.length < spareChunksMax) spare.push(new Uint8Array(each.buffer))
      }
    },
  }
}
