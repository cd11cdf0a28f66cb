// One chunk of a streamed body on its way to the caller. Its memory may be a buffer that is used again, so nobody asks
// for the next chunk before the socket is done with this one.
// Tested by src/http/files.test.ts
import type { ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'

export type WriteTerms = {
  readonly clock: Clock
  /** A caller that takes nothing for this long is given up. */
  readonly idleMs: number
}

/** A smaller chunk is copied, so that many of them can go out together. */
const copiedBytesMax = 16 * 1024

/**
 * Null, or a promise to wait for before the next chunk is asked for: rejects with `deadline` when the caller takes
 * nothing, with `hung_up` when it is gone.
 */
export function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  terms: WriteTerms,
): Promise<void> | null {
  if (chunk.length > copiedBytesMax) return taken(response, chunk, terms)
  return response.write(Buffer.from(chunk)) ? null : taken(response, null, terms)
}

/** Resolves when the socket has taken `chunk`, or with null what was written before. */
function taken(
  response: ServerResponse,
  chunk: Uint8Array | null,
  { clock, idleMs }: WriteTerms,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      stopTimer()
      response.off('drain', ready).off('close', gone)
    }
    const ready = (): void => {
      settle()
      resolve()
    }
    const gone = (): void => {
      settle()
      reject(new Fault('hung_up'))
    }
    const stopTimer = clock.after(idleMs, () => {
      settle()
      reject(new Fault('deadline', { detail: 'the caller stopped reading' }))
    })
    response.on('close', gone)
    if (chunk === null) response.on('drain', ready)
    else response.write(chunk, (error) => (error ? gone() : ready()))
    if (response.destroyed) gone()
  })
}
