import { deepEqual, equal } from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createIdleSockets, createAddressCap } from './connection-limits.ts'

/** Emits `close` one turn after `destroy`, like a socket. */
class FakeSocket extends EventEmitter {
  destroyed = false
  destroy(): void {
    this.destroyed = true
  }
}

function open(connectionsMax: number) {
  const clock = createManualClock()
  const others: { socket: Socket; idleMs: number }[] = []
  const idle = createIdleSockets({ connectionsMax, others: () => others, clock })
  const make = (): Socket => new FakeSocket() as unknown as Socket
  const add = (): Socket => {
    const socket = make()
    idle.add(socket)
    return socket
  }
  return { clock, others, idle, make, add }
}

function use(idle: ReturnType<typeof open>['idle'], socket: Socket): EventEmitter {
  const response = new EventEmitter()
  idle.used({ socket } as IncomingMessage, response as ServerResponse)
  return response
}

test('the longest idle connection of either listener is closed, never one with a request', () => {
  const { clock, others, idle, make, add } = open(4)
  const [busy, first, second] = [add(), add(), add()] as [Socket, Socket, Socket]
  const response = use(idle, busy)
  clock.advance(5_000)
  use(idle, first).emit('close')
  const lean = make()
  others.push({ socket: lean, idleMs: 1_000 })
  const closed = () =>
    idle.closeOldest(4).map((socket) => [second, lean, first, busy].indexOf(socket))
  deepEqual([closed(), closed(), closed(), closed()], [[0], [1], [2], []])
  response.emit('close')
  deepEqual(closed(), [3])
})

test('room is made near the limit alone, and connections that are closing count as room', () => {
  const { idle, add } = open(64)
  const sockets = Array.from({ length: 62 }, add)
  const closed = () => sockets.filter(({ destroyed }) => destroyed).length
  idle.makeRoom(61)
  equal(closed(), 0)
  idle.makeRoom(62)
  equal(closed(), 2)
  idle.makeRoom(63)
  equal(closed(), 2)
  idle.makeRoom(64)
  equal(closed(), 4)
})

test('an upgraded connection is not closed, and only connections that were named are', () => {
  const { idle, add } = open(8)
  const [upgraded, named, other] = [add(), add(), add()] as [Socket, Socket, Socket]
  idle.upgraded(upgraded)
  deepEqual(idle.closeOldest(8, new Set([upgraded, named])), [named])
  equal(other.destroyed, false)
})

test('who owns many IPv6 addresses has the connections of one, and gets them back', () => {
  const underCap = createAddressCap(2)
  const opened: Socket[] = []
  const accepts = (remoteAddress: string): boolean => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy() {} })
    opened.push(socket as unknown as Socket)
    return underCap(socket as unknown as Socket)
  }
  deepEqual(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::3'].map(accepts), [true, true, false])
  deepEqual(['2001:db8:0:1::1', '::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1'].map(accepts), [
    true,
    true,
    true,
    false,
  ])
  opened[0]?.emit('close')
  deepEqual(['2001:db8::7', '2001:db8::8'].map(accepts), [true, false])
})

test('at the limit of an address its idle connections give way; with none idle the new one is cut', () => {
  const idle: Socket[] = []
  const requested: number[] = []
  const underCap = createAddressCap(
    2,
    () => false,
    (open) => {
      requested.push(open.size)
      return idle.splice(0).filter((socket) => open.has(socket))
    },
  )
  const connect = (remoteAddress: string): Socket => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy() {} })
    return socket as unknown as Socket
  }
  const [first, second, third, fourth] = ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1'].map(
    connect,
  ) as [Socket, Socket, Socket, Socket]
  deepEqual([first, second].map(underCap), [true, true])
  idle.push(first)
  deepEqual([third, fourth].map(underCap), [true, false])
  // Another connection has already replaced it in the count.
  first.emit('close')
  deepEqual([connect('10.0.0.1'), connect('10.0.0.2')].map(underCap), [false, true])
  deepEqual(requested, [2, 2, 2])
})
