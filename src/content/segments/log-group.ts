// Records that share one write of a log: copied one after another into a reused buffer, together with the promises of their
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

/** Records in order of arrival. */
export type LogGroup = {
  /** Full chunks; the last one is in `chunk`. */
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
  /** Whether its location is known and one call writes and syncs it. */
  atOnce: boolean
}

/** Location of a group, and the end of the log after it. */
export type Written = Place & { readonly end: Place }

/** Blocks of a group that were joined to it. */
export type Joined = {
  count: number
  readonly names: Uint8Array
  /** Of each block: its offset in the group, and its length. */
  readonly ranges: Float64Array
  readonly done: (count: number) => void
  readonly outcome: PromiseWithResolvers<readonly number[]>
}

const chunkBytes = 1024 * 1024
const groupBytesMax = 16 * 1024 * 1024
/**
 * Limited, so that later records are hashed and copied while earlier groups are written
 * (docs/explanation/decisions/0034-four-log-writes-in-flight.md).
 */
const groupWaitersMax = 64
/** Enough for four groups being written, the one reported last, and the one being filled. */
const spareChunksMax = 6
const nothing = new Uint8Array(0)
/** Maximum number of blocks in one call. */
export const joinedMax = 256
const joinedCapacity = groupWaitersMax + joinedMax

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
    names: new Uint8Array(joinedCapacity * nameBytes),
    ranges: new Float64Array(joinedCapacity * 2),
    done,
    outcome: Promise.withResolvers<readonly number[]>(),
  }
}

/** Whether the group accepts no more records. */
export function isFullGroup({ bytes, waiters, joined }: LogGroup): boolean {
  return bytes >= groupBytesMax || waiters.length + (joined?.count ?? 0) >= groupWaitersMax
}

/** The buffers to write, in order. */
export function buffersOf({ chunks, chunk, used }: LogGroup): readonly Uint8Array[] {
  return [...chunks, chunk.subarray(0, used)]
}

export type GroupMemory = {
  /** Copies one record to the end of the group; returns the offset of its payload in the group. */
  copy(group: LogGroup, kind: RecordKind, key: Uint8Array, payload: Uint8Array): number
  /** Call when nothing reads the group any more. */
  release(group: LogGroup): void
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
    release({ chunks, chunk }) {
      for (const each of [...chunks, chunk]) {
        const isReusable = each.buffer.byteLength === chunkBytes
        if (isReusable && spare.length < spareChunksMax) spare.push(new Uint8Array(each.buffer))
      }
    },
  }
}
