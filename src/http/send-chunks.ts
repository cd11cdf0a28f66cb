// Sends bytes as the body of a response, with back-pressure. The headers wait for the first chunk, so most failures become error
// replies; after a later failure the caller closes the connection.
import type { ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'
import type { Clock } from '../base/clock.ts'

export type SendTerms = WriteTerms & {
  /** The declared number of bytes; null: unknown. */
  readonly length: bigint | null
}

/** `begin` writes the headers; `beforeEnd` runs after the last chunk, for trailers. */
export type ChunkFrame = {
  readonly begin: () => void
  readonly beforeEnd?: () => void
}

/**
 * Writes the headers when the first chunk has arrived, then all chunks, and ends the response. Counts bytes in `sent`. Throws the
 * errors of `chunks`, `hung_up` and `deadline` if the client disconnects or stalls, and Error if the number of bytes differs from
 * `length`.
 */
export async function sendChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { begin, beforeEnd = () => {} }: ChunkFrame,
  terms: SendTerms,
  sent: { bytes: number },
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const writer = openChunkWriter(response, terms)
  try {
    let step = await iterator.next()
    if (response.destroyed) throw new Fault('hung_up')
    begin()
    for (; step.done !== true; step = await iterator.next()) {
      if (response.destroyed) throw new Fault('hung_up')
      if (terms.length !== null && BigInt(sent.bytes + step.value.length) > terms.length) {
        throw new Error(`more than ${terms.length} bytes came`)
      }
      sent.bytes += step.value.length
      const waiting = writer.write(step.value)
      if (waiting !== null) await waiting
    }
    if (terms.length !== null && BigInt(sent.bytes) !== terms.length) {
      throw new Error(`${sent.bytes} bytes came, not ${terms.length}`)
    }
    beforeEnd()
    response.end()
  } finally {
    writer.close()
    await iterator.return?.()
  }
}

export type WriteTerms = {
  readonly clock: Clock
  /** A client that reads no bytes for this long is disconnected. */
  readonly idleMs: number
}

export interface ChunkWriter {
  /**
   * Null, or a promise to await before the next chunk is requested. It rejects with `deadline` if the client reads no
   * bytes, and with `hung_up` if it has disconnected.
   */
  write(chunk: Uint8Array): Promise<void> | null
  /** Call after the last write, also after a failed one. */
  close(): void
}

type Waiter = {
  readonly chunk: Uint8Array | null
  readonly resolve: () => void
  readonly reject: (fault: Fault) => void
}

/** Smaller chunks are copied, so that many of them are sent together. */
const copiedBytesMax = 16 * 1024

/** One timer and one listener for all chunks of the body. */
export function openChunkWriter(
  response: ServerResponse,
  { clock, idleMs }: WriteTerms,
): ChunkWriter {
  let waiter: Waiter | null = null
  let since = clock.monotonic()
  let stopTimer = clock.after(idleMs, look)

  function look(): void {
    const idle = clock.monotonic() - since
    if (waiter !== null && idle >= idleMs) {
      settle(waiter, new Fault('deadline', { detail: 'the caller stopped reading' }))
      // Unsent bytes must not be written, because the caller reuses their memory.
      response.destroy()
    } else stopTimer = clock.after(waiter === null ? idleMs : idleMs - idle, look)
  }

  function settle(one: Waiter | null, fault: Fault | null): void {
    if (one === null || one !== waiter) return
    waiter = null
    if (fault === null) one.resolve()
    else one.reject(fault)
  }

  function drained(): void {
    if (waiter?.chunk === null) settle(waiter, null)
  }

  const closed = (): void => settle(waiter, new Fault('hung_up'))
  response.on('close', closed).on('drain', drained)

  /** Resolves when the socket has sent `chunk`; with null, when it has sent all earlier bytes. */
  function whenTaken(chunk: Uint8Array | null): Promise<void> {
    since = clock.monotonic()
    return new Promise((resolve, reject) => {
      const pending = { chunk, resolve, reject }
      waiter = pending
      if (chunk !== null) {
        response.write(chunk, (error) => settle(pending, error ? new Fault('hung_up') : null))
      }
      if (response.destroyed) closed()
    })
  }

  return {
    write(chunk) {
      if (chunk.length > copiedBytesMax) return whenTaken(chunk)
      return response.write(Buffer.from(chunk)) ? null : whenTaken(null)
    },
    close() {
      stopTimer()
      response.off('close', closed).off('drain', drained)
    },
  }
}
