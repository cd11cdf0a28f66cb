// One keep-alive connection with at most one call in flight.
import { connect, type Socket } from 'node:net'
import { Splitter, type Reply } from './splitter.ts'

export type Lane = {
  readonly idle: boolean
  send(request: string): void
  close(): void
}

/** Calls `settled` with each reply, or with the error of the call in flight. After that the lane is idle. */
export function openLane(port: number, settled: (outcome: Reply | Error) => void): Promise<Lane> {
  let splitter = new Splitter()
  let busy = false
  let closed = false
  let socket: Socket

  const settle = (outcome: Reply | Error) => {
    busy = false
    settled(outcome)
  }
  const open = () => {
    splitter = new Splitter()
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    let cause: Error = new Error('the server closed the connection')
    opened.on('error', (error) => (cause = error))
    opened.on('data', (chunk: Buffer) => {
      try {
        const reply = splitter.push(chunk)
        if (reply !== null) settle(reply)
      } catch (error) {
        cause = error as Error
        opened.destroy()
      }
    })
    opened.on('close', () => {
      if (closed || socket !== opened) return
      socket = open()
      if (busy) setImmediate(settle, cause)
    })
    return opened
  }

  socket = open()
  const lane: Lane = {
    get idle() {
      return !busy
    },
    send(request) {
      busy = true
      socket.write(request, 'latin1')
    },
    close() {
      closed = true
      socket.destroy()
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(lane))
    socket.once('error', reject)
  })
}
