// Usage that could not be written to a remote database yet: numbered flushes in a local file, one per line, in the order of their
// numbers. After a kill, the next process writes the flushes that remain there.
// Tested by src/access/usage/usage-spool.test.ts
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import type { Log } from '../../base/log.ts'
import type { FlushedRow } from './usage-row.ts'

/** `writer` and `seq` together identify one flush. */
export type NumberedFlush = {
  readonly writer: string
  readonly seq: number
  readonly rows: readonly FlushedRow[]
}

export type UsageSpool = {
  /** Returns false and stores nothing if the file is full or cannot be written. */
  append(flush: NumberedFlush): boolean
  /** The oldest flush; null: the spool is empty. */
  first(): NumberedFlush | null
  /** Removes the oldest flush. */
  drop(): void
  readonly isFull: boolean
  close(): void
}

const bytesMax = 64 * 1024 * 1024
const stepBytes = 256 * 1024
const openFlags = constants.O_RDWR | constants.O_CREAT

/** Opens or creates the file at `path`. Throws as `node:fs`. */
export function openUsageSpool(
  path: string,
  log: Log,
  limits: { readonly bytesMax: number } = { bytesMax },
): UsageSpool {
  const file = openSync(path, openFlags, 0o600)
  let end = fstatSync(file).size
  let read = 0
  /** The flush at `read`, with the length of its line; null: not read yet. */
  let head: { readonly flush: NumberedFlush; readonly bytes: number } | null = null

  /** The line at `from`, without its end; null: it is incomplete, after a kill. */
  function lineAt(from: number): Buffer | null {
    const pieces: Buffer[] = []
    for (let at = from; at < end;) {
      const piece = Buffer.alloc(Math.min(stepBytes, end - at))
      const bytes = readSync(file, piece, 0, piece.length, at)
      if (bytes === 0) return null
      const stop = piece.subarray(0, bytes).indexOf(10)
      pieces.push(piece.subarray(0, stop === -1 ? bytes : stop))
      if (stop !== -1) return Buffer.concat(pieces)
      at += bytes
    }
    return null
  }

  function clear(): void {
    ftruncateSync(file, 0)
    read = 0
    end = 0
    head = null
  }

  function first(): NumberedFlush | null {
    while (head === null && read < end) {
      const line = lineAt(read)
      if (line === null) {
        log('error', 'usage_spool_damaged', { path, at: read })
        clear()
        return null
      }
      const flush = parseFlush(line.toString('utf8'))
      if (flush !== null) head = { flush, bytes: line.length + 1 }
      else {
        log('error', 'usage_spool_damaged', { path, at: read })
        read += line.length + 1
      }
    }
    return head?.flush ?? null
  }

  return {
    append(flush) {
      if (end >= limits.bytesMax) return false
      const line = Buffer.from(`${JSON.stringify(flush, plainLatency)}\n`)
      try {
        for (let at = 0; at < line.length;)
          at += writeSync(file, line, at, line.length - at, end + at)
      } catch (error) {
        log('error', 'usage_spool_not_written', { path, error })
        return false
      }
      end += line.length
      return true
    },
    first,
    drop() {
      if (first() === null) return
      read += head?.bytes ?? 0
      head = null
      if (read >= end) clear()
    },
    get isFull() {
      return end >= limits.bytesMax
    },
    close: () => closeSync(file),
  }
}

function plainLatency(_name: string, value: unknown): unknown {
  return value instanceof Uint32Array ? [...value] : value
}

/** Null: the line is damaged. */
function parseFlush(line: string): NumberedFlush | null {
  try {
    const { writer, seq, rows } = JSON.parse(line) as Record<keyof NumberedFlush, unknown>
    if (typeof writer !== 'string' || typeof seq !== 'number' || !Array.isArray(rows)) return null
    return { writer, seq, rows: rows.map(toRow) }
  } catch {
    return null
  }
}

/** This program wrote it, or an older version that counted no labels. */
function toRow(row: FlushedRow & { readonly latency: readonly number[] | null }): FlushedRow {
  return {
    ...row,
    verified: row.verified ?? '',
    latency: row.latency === null ? null : Uint32Array.from(row.latency),
  }
}
