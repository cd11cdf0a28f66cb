import { deepEqual } from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { Socket } from 'node:net'
import { createAddressCap } from './connection-limits.ts'

test('who owns many IPv6 addresses has the connections of one, and gets them back', () => {
  const underCap = createAddressCap(2)
  const opened: Socket[] = []
  const takes = (remoteAddress: string): boolean => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy() {} })
    opened.push(socket as unknown as Socket)
    return underCap(socket as unknown as Socket)
  }
  deepEqual(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::3'].map(takes), [true, true, false])
  deepEqual(['2001:db8:0:1::1', '::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1'].map(takes), [
    true,
    true,
    true,
    false,
  ])
  opened[0]?.emit('close')
  deepEqual(['2001:db8::7', '2001:db8::8'].map(takes), [true, false])
})

test('at the limit of an address its idle connections give way; with none idle the new one is cut', () => {
  const idle: Socket[] = []
  const asked: number[] = []
  const underCap = createAddressCap(
    2,
    () => false,
    (open) => {
      asked.push(open.size)
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
  // Its place was given away already.
  first.emit('close')
  deepEqual([connect('10.0.0.1'), connect('10.0.0.2')].map(underCap), [false, true])
  deepEqual(asked, [2, 2, 2])
})
