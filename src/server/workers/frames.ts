// Framing of messages on a byte stream: four bytes of length, then the value in the serialization of node:v8. Both ends run the
// same program on one machine.
// Tested by src/server/workers/keeper-link.test.ts
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

const lengthBytes = 4
/** Limit of one message; the largest is a write of verified chain content. */
const frameBytesMax = 128 * 1024 * 1024

/** Calls `take` with each complete message. The returned function throws for a message over `frameBytesMax`. */
export function createFrameReader(take: (message: unknown) => void): (bytes: Buffer) => void {
  let parts: Buffer[] = []
  let buffered = 0
  let needed = lengthBytes

  return (bytes) => {
    parts.push(bytes)
    buffered += bytes.length
    while (buffered >= needed) {
      const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, buffered)
      const end = lengthBytes + all.readUInt32BE(0)
      if (end > lengthBytes + frameBytesMax) throw new Error(`a message of ${end} bytes`)
      if (buffered < end) {
        parts = [all]
        needed = end
        return
      }
      const rest = all.subarray(end)
      parts = rest.length === 0 ? [] : [rest]
      buffered = rest.length
      needed = lengthBytes
      take(deserialize(all.subarray(lengthBytes, end)))
    }
  }
}

/** Messages of one turn of the event loop are sent together. */
export function writeFrame(socket: Socket, message: unknown): void {
  const body = serialize(message)
  const head = Buffer.allocUnsafe(lengthBytes)
  head.writeUInt32BE(body.length)
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(head)
  socket.write(body)
}
