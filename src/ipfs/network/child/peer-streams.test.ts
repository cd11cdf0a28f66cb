// Back-pressure of the streams to peers: who takes no bytes is not written to, and is given up after 30 s.
import { equal, rejects } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import type { Connection, Stream } from '@libp2p/interface'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import type { NetNode } from './node.ts'
import {
  hasRoom,
  openPeerStreams,
  stuckMs,
  unreadBytesMax,
  unreadCheckMs,
  writeBufferBytesMax,
} from './peer-streams.ts'

/** A stream with this much unsent data. */
class FakeStream extends EventTarget {
  writeStatus = 'writable'
  writableNeedsDrain = false
  writeBufferLength = 0
  readStatus = 'readable'
  readBufferLength = 0
  isAborted = false
  pause(): void {}
  resume(): void {}
  abort(): void {
    this.isAborted = true
    this.dispatchEvent(new Event('close'))
  }
}

function rig() {
  const clock = createManualClock()
  const stream = new FakeStream()
  const wait = () => hasRoom(stream as unknown as Stream, clock)
  return { clock, stream, wait }
}

test('a stream is full at 512 KiB, or when it says so, until it drains', async () => {
  const { clock, stream, wait } = rig()
  stream.writeBufferLength = writeBufferBytesMax
  await wait()
  stream.writeBufferLength = writeBufferBytesMax + 1
  stream.writableNeedsDrain = true
  let isReady = false
  const ready = wait().then(() => (isReady = true))
  stream.writeBufferLength = 0
  stream.dispatchEvent(new Event('drain'))
  await setImmediate()
  equal(isReady, false)
  stream.writableNeedsDrain = false
  stream.dispatchEvent(new Event('drain'))
  await ready
  equal(clock.timers, 0)
})

test('a drain event that was missed delays writing by a second', async () => {
  const { clock, stream, wait } = rig()
  stream.writableNeedsDrain = true
  const ready = wait()
  stream.writableNeedsDrain = false
  clock.advance(1_000)
  await ready
})

test('a peer that takes no byte for 30 s is given up, one that takes some is not', async () => {
  const { clock, stream, wait } = rig()
  stream.writeBufferLength = 10 * writeBufferBytesMax
  const given = rejects(wait(), /takes no bytes/)
  clock.advance(stuckMs - 1_000)
  stream.writeBufferLength -= 1
  // The second in which a byte was taken does not count.
  clock.advance(stuckMs)
  equal(clock.timers, 1)
  clock.advance(1_000)
  await given
  equal(clock.timers, 0)
})

test('a stream that closes is not waited for', async () => {
  const { clock, stream, wait } = rig()
  stream.writableNeedsDrain = true
  const closed = rejects(wait(), /is closed/)
  stream.writeStatus = 'closed'
  stream.dispatchEvent(new Event('close'))
  await closed
  equal(clock.timers, 0)
})

test('while reading is paused, the peers with the most unread bytes lose their streams', async () => {
  const clock = createManualClock()
  let accept = (_stream: Stream, _connection: Connection): void => {}
  const libp2p = {
    handle: async (_protocol: string, handler: typeof accept) => void (accept = handler),
    addEventListener: () => {},
    getConnections: () => [],
  }
  const hooks = { receive() {}, next: () => null, disconnected() {}, broken() {} }
  const streams = await openPeerStreams({ libp2p } as unknown as NetNode, hooks, clock)
  const open = (peer: string, readBufferLength: number): FakeStream => {
    const stream = Object.assign(new FakeStream(), { readBufferLength })
    accept(stream as unknown as Stream, { remotePeer: peer } as unknown as Connection)
    return stream
  }
  const greedy = [open('greedy', unreadBytesMax / 2), open('greedy', unreadBytesMax / 2)]
  const small = open('small', 1)
  clock.advance(unreadCheckMs)
  equal(clock.timers, 0)
  streams.pauseReading(true)
  clock.advance(unreadCheckMs - 1)
  equal(
    greedy.some(({ isAborted }) => isAborted),
    false,
  )
  clock.advance(1)
  equal(
    greedy.every(({ isAborted }) => isAborted),
    true,
  )
  equal(small.isAborted, false)
  streams.pauseReading(false)
  equal(clock.timers, 0)
})
