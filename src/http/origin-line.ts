// The first line of a connection that a worker passes to the keeper: the number of the worker and the address of the client. The
// client's bytes follow unchanged, once the keeper has replied with a byte.
// Tested by src/http/tunnel.test.ts
import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import type { Clock } from '../base/clock.ts'

export type Origin = {
  readonly worker: number
  /** Empty: the client disconnected before the worker read it. */
  readonly address: string
}

/** The keeper's reply to a line: it has taken the connection. */
export const takenSign = '\n'

const lineForm = /^cairn (\d{1,9}) (\S{0,64})$/
const lineBytesMax = 96

export function originLine({ worker, address }: Origin): string {
  return `cairn ${worker} ${address}\n`
}

/**
 * Reads the line, replies to it, sets `remoteAddress` of the socket to the client address, and calls `onOrigin`. An invalid line, or none within
 * `limitMs`, closes the connection.
 */
export function readOrigin(
  socket: Socket,
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
  onOrigin: (origin: Origin) => void,
): void {
  let read: Buffer = Buffer.alloc(0)
  const destroy = (): void => void socket.destroy()
  const stopTimer = clock.after(limitMs, destroy)

  function onData(bytes: Buffer): void {
    read = read.length === 0 ? bytes : Buffer.concat([read, bytes])
    const end = read.indexOf(0x0a)
    if (end < 0 && read.length <= lineBytesMax) return
    const origin = end < 0 ? null : parseLine(read.toString('latin1', 0, end))
    if (origin === null) return destroy()
    leave()
    socket.write(takenSign)
    socket.pause()
    const rest = read.subarray(end + 1)
    if (rest.length > 0) socket.unshift(rest)
    // The peer of the Unix socket is the worker.
    Object.defineProperty(socket, 'remoteAddress', { value: origin.address, configurable: true })
    onOrigin(origin)
    socket.resume()
  }

  function leave(): void {
    stopTimer()
    socket.removeListener('data', onData).removeListener('end', destroy)
    socket.removeListener('error', destroy).removeListener('close', leave)
  }

  socket.on('data', onData).on('end', destroy).on('error', destroy).on('close', leave)
}

function parseLine(line: string): Origin | null {
  const [, worker, address = ''] = lineForm.exec(line) ?? []
  if (worker === undefined || (address !== '' && isIP(address) === 0)) return null
  return { worker: Number(worker), address }
}
