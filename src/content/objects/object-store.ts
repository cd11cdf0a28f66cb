// An ObjectStore stores immutable objects under names that are never used twice. Every implementation runs
// test/suites/object-store.suite.ts.

/** Names consist of letters, digits and `._-/`. All methods throw a Fault, ObjectGone where stated, or `signal.reason`. */
export interface ObjectStore {
  /** Complete or absent; durable when it resolves. The store compares a checksum. `body` must not change meanwhile. */
  put(name: string, body: Uint8Array, signal: AbortSignal): Promise<void>
  /** Opens an object for content too large for memory. Sends nothing yet. */
  putParts(name: string): PartsWriter
  /**
   * `bytes` bytes, at most 16 MiB, and those behind them up to `most` if the object has more. Throws ObjectGone if the
   * object is missing or ends before.
   */
  read(
    name: string,
    at: number,
    bytes: number,
    signal: AbortSignal,
    most?: number,
  ): Promise<Uint8Array>
  /** No error for absent names. */
  remove(names: readonly string[], signal: AbortSignal): Promise<void>
  /** Names that start with `prefix`, in order, from behind `after`. For checks only: slow. */
  list(prefix: string, after: string, signal: AbortSignal): AsyncIterable<string>
  /** False: calls fail, and most of them immediately. Refuse a body before it is sent. */
  readonly isAvailable: boolean
  close(): Promise<void>
}

/** One object, written in order. One call at a time. An object that was not ended does not exist. */
export interface PartsWriter {
  /** Copies `piece`. Resolves when more can be taken: memory is bounded by the buffers of the store. */
  write(piece: Uint8Array): Promise<void>
  /** Bytes taken so far. */
  readonly bytes: number
  /** The object is complete and durable when it resolves. */
  end(): Promise<void>
  /** Drops everything. Safe to call at any time; no effect after `end`. */
  abort(): Promise<void>
}

/** The object is missing, or shorter than its index claims. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone'
  constructor(object: string, cause?: unknown) {
    super(`object ${object} is missing or too short`, { cause })
  }
}
