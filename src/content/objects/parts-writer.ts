// Cuts the bytes of one object into parts, and sends full parts while the next one is filled. An object smaller than one part is
// stored by a single request.
// Tested by test/suites/object-store.suite.ts
import { copyBytes } from '../../base/copy-bytes.ts'
import type { PartsWriter } from './object-store.ts'
import type { PartBuffers } from './part-buffers.ts'

/** Concurrent part requests of one object, while the next part is filled. */
const sendingMax = 2

/** `Part`: what the target needs to assemble the parts. `number` counts from 1. */
export type PartsTarget<Part> = {
  /** Stores an object without parts. */
  put(body: Uint8Array, signal: AbortSignal): Promise<void>
  begin(signal: AbortSignal): Promise<string>
  putPart(id: string, number: number, body: Uint8Array, signal: AbortSignal): Promise<Part>
  end(id: string, parts: readonly Part[], signal: AbortSignal): Promise<void>
  /** Ignores the `signal`s of the writer. */
  abort(id: string): Promise<void>
}

export function createPartsWriter<Part>(
  target: PartsTarget<Part>,
  buffers: PartBuffers,
): PartsWriter {
  const stopping = new AbortController()
  const { signal } = stopping
  const parts: Part[] = []
  const sending = new Set<Promise<void>>()
  let begun: Promise<string> | null = null
  let sent = 0
  let buffer: Uint8Array | null = null
  let filled = 0
  let bytes = 0
  let failure: { readonly error: unknown } | null = null
  let state: 'open' | 'ended' | 'aborted' = 'open'

  function mustBeOpen(): void {
    if (failure !== null) throw failure.error
    if (state !== 'open') throw new Error(`object already ${state}`)
  }

  function release(): void {
    if (buffer !== null) buffers.release(buffer)
    buffer = null
    filled = 0
  }

  /** Sends the filled part. */
  function send(): void {
    if (buffer === null) return
    const [body, length, index] = [buffer, filled, sent]
    buffer = null
    filled = 0
    sent += 1
    begun ??= target.begin(signal)
    const done = begun
      .then(async (id) => {
        parts[index] = await target.putPart(id, index + 1, body.subarray(0, length), signal)
      })
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        buffers.release(body)
        sending.delete(done)
      })
    sending.add(done)
  }

  async function abort(): Promise<void> {
    if (state !== 'open') return
    state = 'aborted'
    stopping.abort(new Error('object aborted'))
    release()
    await Promise.all(sending)
    const id = await begun?.catch(() => null)
    if (id !== null && id !== undefined) await target.abort(id)
  }

  return {
    get bytes() {
      return bytes
    },
    async write(piece) {
      mustBeOpen()
      for (let at = 0; at < piece.length;) {
        if (buffer === null) {
          while (sending.size >= sendingMax) await Promise.race(sending)
          mustBeOpen()
          buffer = await buffers.acquire()
          // An abort during the wait could not release the buffer.
          if (state !== 'open') release()
          mustBeOpen()
        }
        const part = piece.subarray(at, at + buffer.length - filled)
        copyBytes(part, buffer, filled)
        filled += part.length
        at += part.length
        bytes += part.length
        if (filled === buffer.length) send()
      }
    },
    async end() {
      mustBeOpen()
      try {
        if (sent === 0) {
          await target.put(buffer?.subarray(0, filled) ?? new Uint8Array(0), signal)
        } else {
          if (filled > 0) send()
          await Promise.all(sending)
          if (failure !== null) throw failure.error
          await target.end((await begun) ?? '', parts, signal)
        }
        release()
        state = 'ended'
      } catch (error) {
        failure ??= { error }
        throw error
      }
    },
    abort,
  }
}
