// Reads a request body into memory, bounded in bytes and time. The API decides what each ending means.
// Tested by src/rpc/api/rpc-api.test.ts
import type { IncomingMessage } from 'node:http'
import type { Deadlines } from './deadlines.ts'

/** `over`: larger than allowed, the rest is unread; `late`: the deadline passed; `gone`: the client disconnected. */
export type Body = {
  readonly ending: 'whole' | 'over' | 'late' | 'gone'
  /** The bytes received, at most `bytesMax`. */
  readonly bytes: Buffer
}

/** Never rejects. Copies chunks into one growing buffer, so a body of one-byte chunks costs no more than another. */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  deadlines: Deadlines,
): Promise<Body> {
  // After one turn of the event loop, the stream's buffer holds a body that arrived in one packet with its headers.
  await aTurn
  const first = request.read() as Buffer | null
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (first !== null && first.length === declared && declared <= bytesMax) {
    return { ending: 'whole', bytes: first }
  }
  return await readRest(request, { first, declared, bytesMax }, deadlines)
}

function readRest(
  request: IncomingMessage,
  { first, declared, bytesMax }: { first: Buffer | null; declared: number; bytesMax: number },
  deadlines: Deadlines,
): Promise<Body> {
  return new Promise((resolve) => {
    let gathered: Buffer | null = null
    let length = first?.length ?? 0
    let finished = false

    function finish(ending: Body['ending']): void {
      if (finished) return
      finished = true
      deadline.stop()
      if (ending !== 'whole') request.pause()
      const bytes = gathered === null ? (first ?? nothing) : gathered.subarray(0, length)
      resolve({ ending, bytes: bytes.length > bytesMax ? bytes.subarray(0, bytesMax) : bytes })
    }
    const deadline = deadlines.start(() => finish('late'))
    if (length > bytesMax) return finish('over')
    request.on('data', (chunk: Buffer) => {
      if (finished) return
      if (first === null) first = chunk
      else gathered = append(gathered ?? first, length, chunk)
      length += chunk.length
      if (length > bytesMax) finish('over')
      // All declared bytes have arrived, so it need not wait for the stream's `end` event.
      else if (length === declared) finish('whole')
    })
    request.on('end', () => finish('whole'))
    request.on('close', () => finish('gone'))
    // `close` is not emitted again for a client that disconnected before this listener was added.
    if (request.destroyed && !request.readableEnded) finish('gone')
  })
}

const nothing = Buffer.alloc(0)
const aTurn = Promise.resolve()

/** Appends `chunk` to the first `used` bytes of `buffer`; returns `buffer`, or a copy at least twice as large. */
export function append(buffer: Buffer, used: number, chunk: Buffer): Buffer {
  const needed = used + chunk.length
  let grown = buffer
  if (needed > buffer.length) {
    grown = Buffer.allocUnsafeSlow(Math.max(needed, buffer.length * 2))
    buffer.copy(grown, 0, 0, used)
  }
  chunk.copy(grown, used)
  return grown
}
