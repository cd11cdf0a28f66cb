// Counts the bytes of all sockets of the process that `net` opens or accepts after the start, and their rates.
// Tested by test/network/child.test.ts
import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import type { Clock } from '../../../base/clock.ts'

export type Traffic = {
  total(): { readonly in: number; readonly out: number }
  /** Bytes per second over the last seconds. */
  rates(): { readonly in: number; readonly out: number }
}

const periodMs = 5_000

export function measureTraffic(clock: Clock): Traffic {
  const sockets = new Set<Socket>()
  const closed = { in: 0, out: 0 }

  function note(message: unknown): void {
    const { socket } = message as { readonly socket?: unknown }
    if (!(socket instanceof Socket)) return
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      closed.in += socket.bytesRead
      closed.out += socket.bytesWritten
    })
  }

  function total(): { in: number; out: number } {
    const sum = { ...closed }
    for (const { bytesRead, bytesWritten } of sockets) {
      sum.in += bytesRead
      sum.out += bytesWritten
    }
    return sum
  }

  let before = { at: clock.monotonic(), ...total() }
  let rates = { in: 0, out: 0 }
  clock.every(periodMs, () => {
    const now = { at: clock.monotonic(), ...total() }
    const seconds = Math.max(1, now.at - before.at) / 1000
    rates = { in: (now.in - before.in) / seconds, out: (now.out - before.out) / seconds }
    before = now
  })
  subscribe('net.client.socket', note)
  subscribe('net.server.socket', note)
  return { total, rates: () => rates }
}
