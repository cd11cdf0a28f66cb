// A request body into memory, bounded in bytes and time. The face decides what each ending means.
// Tested by src/http/rpc.test.ts
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../base/clock.ts'

/** `over`: more came than allowed, the rest is unread; `late`: time ran out; `gone`: the caller hung up. */
export type Body = {
  readonly ending: 'whole' | 'over' | 'late' | 'gone'
  /** What arrived, at most `bytesMax`. */
  readonly bytes: Buffer
}

/** Never rejects. Copies into one growing buffer: a body of one-byte chunks costs no more than another. */
export function readBody(
  request: IncomingMessage,
  limits: { readonly bytesMax: number; readonly timeMs: number },
  clock: Clock,
): Promise<Body> {
  return new Promise((resolve) => {
    let first: Buffer | null = null
    let gathered: Buffer | null = null
    let length = 0

    function finish(ending: Body['ending']): void {
      stopTimer()
      request.off('data', take).off('end', whole).off('close', gone).off('error', gone)
      request.on('error', ignore)
      if (ending !== 'whole') request.pause()
      const bytes = gathered === null ? (first ?? Buffer.alloc(0)) : gathered.subarray(0, length)
      resolve({ ending, bytes: bytes.subarray(0, limits.bytesMax) })
    }
    function take(chunk: Buffer): void {
      if (first === null) first = chunk
      else {
        gathered = roomFor(gathered ?? first, length, length + chunk.length)
        chunk.copy(gathered, length)
      }
      length += chunk.length
      if (length > limits.bytesMax) finish('over')
    }
    const whole = (): void => finish('whole')
    const gone = (): void => finish('gone')
    const stopTimer = clock.after(limits.timeMs, () => finish('late'))
    request.on('data', take).on('end', whole).on('close', gone).on('error', gone)
    // `close` never comes again for a caller that left before we listened.
    if (request.destroyed && !request.readableEnded) finish('gone')
  })
}

function ignore(): void {}

function roomFor(buffer: Buffer, used: number, needed: number): Buffer {
  if (needed <= buffer.length) return buffer
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, buffer.length * 2))
  buffer.copy(larger, 0, 0, used)
  return larger
}
