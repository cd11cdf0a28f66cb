// Bitswap streams of connected peers. Each peer has one outbound stream, written when it has buffer space and a message is
// available; streams that the peer opened are read under limits. A peer that accepts no bytes for 30 s is disconnected.
// Tested by src/ipfs/network/child/peer-streams.test.ts, test/network/child.test.ts
import type { Connection, Stream } from '@libp2p/interface'
import type { Clock } from '../../../base/clock.ts'
import {
  type BitswapMessage,
  bitswapProtocol,
  createMessageReader,
  decodeMessage,
  type MessageReader,
} from './bitswap-message.ts'
import { createMessageMemory } from './message-memory.ts'
import type { NetNode } from './node.ts'

export type PeerHooks = {
  /** `bytes`: size of the message without framing. */
  receive(peer: string, message: BitswapMessage, bytes: number): void
  /** The next message to write, with its length prefix; null: none at the moment. */
  next(peer: string): Uint8Array | null
  /** The last connection to the peer has closed. */
  disconnected(peer: string): void
  /** The bytes are not a valid message, or exceed a limit. */
  broken(peer: string): void
}

export type PeerStreams = {
  /** Call when a message for the peer may be available. */
  wake(peer: string): void
  /** Stops or resumes reading all streams, which applies back-pressure to peers. */
  pauseReading(isPaused: boolean): void
  readonly messagesReceived: number
}

export const writeBufferBytesMax = 512 * 1024
const openMs = 10_000
export const stuckMs = 30_000
/** Interval of an additional check: a missed drain event then delays writing by at most a second. */
const drainCheckMs = 1000
/**
 * Limit per connection. Kubo opens one stream per message, several at once; a stream over the limit is reset, and its blocks are
 * lost.
 */
export const inboundStreamsMax = 512
const outboundStreamsMax = 4
export const unfinishedBytesMax = 64 * 1024 * 1024
/** Of all streams while reading is paused. A paused stream still receives its window, and a connection has hundreds of streams. */
export const unreadBytesMax = 64 * 1024 * 1024
export const unreadCheckMs = 500

export async function openPeerStreams(
  node: NetNode,
  hooks: PeerHooks,
  clock: Clock,
): Promise<PeerStreams> {
  const { libp2p } = node
  const reading = new Map<Stream, { readonly peer: string; readonly reader: MessageReader }>()
  const memory = createMessageMemory(unfinishedBytesMax, dropMessages)
  const writing = new Map<string, { again: boolean }>()
  let isPaused = false
  let stopChecking = (): void => {}
  let messagesReceived = 0

  function read(stream: Stream, connection: Connection): void {
    const peer = connection.remotePeer.toString()
    const reader = createMessageReader(memory.of(peer), (bytes) => {
      messagesReceived += 1
      hooks.receive(peer, decodeMessage(bytes), bytes.length)
    })
    reading.set(stream, { peer, reader })
    stream.addEventListener('message', ({ data }) => {
      try {
        for (const part of data instanceof Uint8Array ? [data] : data) reader.push(part)
      } catch (error) {
        stream.abort(error as Error)
        hooks.broken(peer)
      }
    })
    // Not on `remoteCloseWrite`: a stream closed by both ends discards data that a paused reader has not read.
    stream.addEventListener('end', () => void stream.close().catch(() => {}))
    stream.addEventListener('close', () => {
      reading.delete(stream)
      reader.end()
    })
    if (isPaused) setPaused(stream, true)
  }

  function checkUnread(): void {
    let total = 0
    const byPeer = new Map<string, number>()
    for (const [{ readBufferLength: bytes }, { peer }] of reading) {
      total += bytes
      byPeer.set(peer, (byPeer.get(peer) ?? 0) + bytes)
    }
    for (const [peer, bytes] of [...byPeer].toSorted(([, one], [, other]) => other - one)) {
      if (total <= unreadBytesMax) return
      total -= bytes
      dropMessages(peer)
    }
  }

  function dropMessages(peer: string): void {
    for (const [stream, one] of reading) {
      if (one.peer !== peer) continue
      one.reader.end()
      stream.abort(new Error('too many unfinished messages'))
    }
  }

  async function write(peer: string, state: { again: boolean }): Promise<void> {
    let stream: Stream | null = null
    try {
      do {
        state.again = false
        for (let bytes = hooks.next(peer); bytes !== null; bytes = hooks.next(peer)) {
          stream = await streamOf(peer, openMs)
          stream.send(bytes)
          await hasRoom(stream, clock)
        }
      } while (state.again)
    } catch (error) {
      for (const connection of connectionsOf(peer)) connection.abort(error as Error)
      hooks.disconnected(peer)
    } finally {
      writing.delete(peer)
    }
  }

  const outbound = new Map<string, Stream>()

  async function streamOf(peer: string, ms: number): Promise<Stream> {
    const open = outbound.get(peer)
    if (open !== undefined && open.writeStatus === 'writable') return open
    const [connection] = connectionsOf(peer)
    if (connection === undefined) throw new Error('no connection')
    const aborter = new AbortController()
    const stop = clock.after(ms, () => aborter.abort(new Error('no stream in time')))
    try {
      const stream = await connection.newStream(bitswapProtocol, { signal: aborter.signal })
      outbound.set(peer, stream)
      stream.addEventListener('close', () => {
        if (outbound.get(peer) === stream) outbound.delete(peer)
      })
      return stream
    } finally {
      stop()
    }
  }

  function connectionsOf(peer: string): readonly Connection[] {
    return libp2p
      .getConnections()
      .filter((one) => one.status === 'open' && one.remotePeer.toString() === peer)
  }

  await libp2p.handle(bitswapProtocol, read, {
    maxInboundStreams: inboundStreamsMax,
    maxOutboundStreams: outboundStreamsMax,
  })
  libp2p.addEventListener('peer:disconnect', ({ detail }) => hooks.disconnected(detail.toString()))

  return {
    wake(peer) {
      const running = writing.get(peer)
      if (running !== undefined) {
        running.again = true
        return
      }
      const state = { again: false }
      writing.set(peer, state)
      void write(peer, state)
    },
    pauseReading(next) {
      if (next === isPaused) return
      isPaused = next
      stopChecking()
      stopChecking = isPaused ? clock.every(unreadCheckMs, checkUnread) : () => {}
      for (const stream of reading.keys()) setPaused(stream, next)
    },
    get messagesReceived() {
      return messagesReceived
    },
  }
}

function setPaused(stream: Stream, isPaused: boolean): void {
  if (stream.readStatus === 'closing' || stream.readStatus === 'closed') return
  if (isPaused) stream.pause()
  else stream.resume()
}

/**
 * Resolves when the stream accepts more data. Does not use `onDrain` of the stream, which resolves immediately after the first
 * drain. Rejects when the stream closes, or accepts no byte for 30 s.
 */
export function hasRoom(stream: Stream, clock: Clock): Promise<void> {
  const isFull = (): boolean =>
    stream.writableNeedsDrain || stream.writeBufferLength > writeBufferBytesMax
  if (!isFull()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    let before = stream.writeBufferLength
    let stillMs = 0
    const check = (): void => {
      if (stream.writeStatus !== 'writable') end(new Error('the stream is closed'))
      else if (!isFull()) end(null)
    }
    const stop = clock.every(drainCheckMs, () => {
      stillMs = stream.writeBufferLength === before ? stillMs + drainCheckMs : 0
      before = stream.writeBufferLength
      if (stillMs >= stuckMs) end(new Error('the peer takes no bytes'))
      else check()
    })
    // The stream's own `drain` listener first clears `writableNeedsDrain` and then sends more of its buffer.
    const drained = (): void => queueMicrotask(check)
    stream.addEventListener('drain', drained)
    stream.addEventListener('close', check)
    function end(error: Error | null): void {
      stop()
      stream.removeEventListener('drain', drained)
      stream.removeEventListener('close', check)
      if (error === null) resolve()
      else reject(error)
    }
  })
}
