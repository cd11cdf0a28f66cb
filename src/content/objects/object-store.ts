// An ObjectStore stores immutable objects under names that are never used twice. Every implementation runs
// test/suites/object-store.suite.ts.

/** Names consist of letters, digits and `._-/`. All methods throw a Fault, ObjectNotFound where stated, or `signal.reason`. */
export interface ObjectStore {
  /**
   * Stores the object completely or not at all; durable when it resolves. The store compares a checksum. `body` must not change
   * until then.
   */
  put(name: string, body: Uint8Array, signal: AbortSignal): Promise<void>
  /** Starts an object for content too large for memory. Does not send anything yet. */
  putParts(name: string): PartsWriter
  /**
   * Reads `bytes` bytes, at most 16 MiB, and the following ones up to `most` if the object has more. Throws ObjectNotFound if the
   * object is missing or shorter.
   */
  read(
    name: string,
    at: number,
    bytes: number,
    signal: AbortSignal,
    most?: number,
  ): Promise<Uint8Array>
  /** Absent names are not an error. */
  remove(names: readonly string[], signal: AbortSignal): Promise<void>
  /** Names that start with `prefix`, in order, after `after`. Slow, so only for checks. */
  list(prefix: string, after: string, signal: AbortSignal): AsyncIterable<string>
  /** False: calls fail, most of them immediately. A caller should refuse a body before it is sent. */
  readonly isAvailable: boolean
  close(): Promise<void>
}

/** One object, written in order, one call at a time. An object without `end` does not exist. */
export interface PartsWriter {
  /** Copies `piece`. Resolves when more can be written: the buffers of the store limit memory. */
  write(piece: Uint8Array): Promise<void>
  /** Bytes written so far. */
  readonly bytes: number
  /** Completes the object; durable when it resolves. */
  end(): Promise<void>
  /** Discards everything. Safe to call at any time; no effect after `end`. */
  abort(): Promise<void>
}

/** The object is missing, or shorter than its index claims. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound'
  constructor(object: string, cause?: unknown) {
    super(`object ${object} is missing or too short`, { cause })
  }
}
