// Iterates over the valid records of a log file. Data after an invalid record head is an incomplete write that was never
// acknowledged. Payloads are not verified.
// Tested by src/content/segments/rebuild-index.test.ts
import type { OpenFiles } from './open-files.ts'
import { type RecordHead, type RecordKind, headBytes, headBytesMax, readHead } from './record.ts'

/** `key` and `payload` are views, valid until the next record. `at`: offset of the payload. */
export type StoredRecord = {
  readonly kind: RecordKind
  readonly key: Uint8Array
  readonly payload: Uint8Array
  readonly at: number
}

/** Maximum payload size; a head with a larger one is invalid. */
const payloadBytesMax = 64 * 1024 * 1024
const windowBytes = 4 * 1024 * 1024
/** Reads of bytes that are not a record head before they are considered the end. */
const readsMax = 3

/** `bytes`: size of the file. `from`: offset of a record. Throws the system's error if the file cannot be read. */
export async function* readRecords(
  files: Pick<OpenFiles, 'read'>,
  file: number,
  bytes: number,
  from = 0,
): AsyncGenerator<StoredRecord> {
  let window: Uint8Array = new Uint8Array(0)
  let windowAt = 0

  /** `wanted` bytes from `at` on, fewer at the end of the file. */
  async function view(at: number, wanted: number): Promise<Uint8Array> {
    if (at < windowAt || at + wanted > windowAt + window.length) {
      const length = Math.max(0, Math.min(Math.max(windowBytes, wanted), bytes - at))
      const into = Buffer.allocUnsafeSlow(length)
      window = into.subarray(0, await files.read(file, into, at))
      windowAt = at
    }
    return window.subarray(at - windowAt, at - windowAt + wanted)
  }

  async function headAt(at: number): Promise<RecordHead | null> {
    for (let read = 1; ; read += 1) {
      const head = readHead(await view(at, headBytesMax))
      if (head !== null || read === readsMax) return head
      window = new Uint8Array(0)
    }
  }

  for (let at = from; at < bytes;) {
    const head = await headAt(at)
    if (head === null || head.payloadBytes > payloadBytesMax) return
    const { kind, keyBytes, payloadBytes } = head
    const whole = await view(at, headBytes + keyBytes + payloadBytes)
    const payloadAt = headBytes + keyBytes
    if (whole.length < payloadAt + payloadBytes) return
    yield {
      kind,
      key: whole.subarray(headBytes, payloadAt),
      payload: whole.subarray(payloadAt),
      at: at + payloadAt,
    }
    at += payloadAt + payloadBytes
  }
}
