// One WebSocket: answers a limited number of frames at a time and sends replies in the order of their completion. Both queues have
// limits: Cairn stops reading from a client that sends too fast and disconnects one that reads too slowly.
// Tested by src/rpc/api/web-socket-api.test.ts
import type { WebSocket } from 'ws'
import type { Caller } from '../../access/accounts/caller.ts'
import { Fault } from '../../base/fault.ts'
import type { Network } from '../../chain/network.ts'
import type { Subscriptions, SubscriptionsFrame } from '../subscriptions/subscriptions.ts'
import type { Credential } from '../../pipeline/authenticate-request.ts'
import type { WebSocketClient } from '../rpc-pipeline.ts'
import { rollbackAll } from '../revocable.ts'
import type { Deadlines } from '../../http/deadlines.ts'
import { answerFrame, type FrameParts, type FrameReply, FrameRequest } from './web-socket-frame.ts'

/** Why Cairn closes a connection (RFC 6455 7.4.1 and its IANA registry). */
export const closeCodes = {
  binary: 1003,
  refused: 1008,
  stopping: 1012,
  tooSlow: 1013,
} as const

/** RFC 6455 5.5: a control frame holds 125 bytes, two of them the code. Cairn's reasons are ASCII. */
const reasonCharsMax = 123
const readTooSlowly = 'the client reads too slowly'

export type ConnectionLimits = {
  readonly framesInFlightMax: number
  /** Frames received in one packet that wait for those in flight. */
  readonly framesQueuedMax: number
  /** While the send buffer holds more than this, no further frame is started. */
  readonly congestedBytes: number
  /** A connection with a larger send buffer is closed as too slow. At least the size of one reply. */
  readonly bufferBytesMax: number
  /** The same limit for the events in the buffer, without replies. */
  readonly eventBytesMax: number
  /**
   * Limit for the send buffers of all connections. Beyond it, sending to a connection over `congestedBytes` closes that connection.
   */
  readonly totalBytesMax: number
}

/** Of all connections together: frames in flight, bytes in the send buffers. */
type WebSocketLoad = { frames: number; bytes: number }

export type ConnectionParts = FrameParts & {
  readonly socket: WebSocket
  readonly caller: Caller
  readonly network: Network
  readonly credential: Credential
  readonly requestId: string
  /** True: each result includes its proof bundle. */
  readonly proof: boolean
  readonly limits: ConnectionLimits
  readonly deadlines: Deadlines
  readonly load: WebSocketLoad
}

export class WebSocketConnection implements WebSocketClient {
  readonly #parts: ConnectionParts
  readonly #socket: WebSocket
  readonly #waiting: Buffer[] = []
  /** Frames with a pending reply; all others are answered synchronously. */
  readonly #running = new Set<FrameRequest>()
  readonly #subscriptions: Subscriptions
  #inFlight = 0
  #ending = false
  #draining = false
  #answered = true
  /** Bytes in the send buffer at the last ping. */
  #leftUnread = 0
  /** Replies in the send buffer, in characters. */
  #replyBytes = 0
  /** This connection's share of the load. */
  #loadBytes = 0

  /** The caller as last authorized. */
  caller: Caller

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#socket = parts.socket
    this.caller = parts.caller
    this.#subscriptions = parts.gateway.openSubscriptions(this, parts.network)
    const { socket } = parts
    socket.on('message', (data, isBinary) => this.#take(data as Buffer, isBinary))
    socket.on('pong', () => (this.#answered = true))
    // ws closes the connection itself, with 1009 for a frame that is too long and 1002 or 1007 for a malformed one.
    socket.on('error', () => (this.#ending = true))
    socket.on('close', () => {
      this.#ending = true
      this.#waiting.length = 0
      this.#subscriptions.close()
      this.#countLoad(0)
      for (const request of this.#running) request.abort(new Fault('hung_up'))
    })
  }

  send(event: string): void {
    if (this.#ending) return
    this.#socket.send(event, () => this.#countLoad(this.#socket.bufferedAmount))
    this.#judgeBuffer(
      this.#socket.bufferedAmount - this.#replyBytes > this.#parts.limits.eventBytesMax,
    )
  }

  end(fault: Fault): void {
    const code = fault.code === 'over_quota' ? closeCodes.refused : closeCodes.tooSlow
    this.close(code, fault.message)
  }

  /** Starts the closing handshake; later frames are ignored. */
  close(code: number, reason: string): void {
    if (this.#ending) return
    this.#ending = true
    this.#waiting.length = 0
    this.#subscriptions.close()
    this.#socket.close(code, reason.slice(0, reasonCharsMax))
    // While the socket is paused, the client's close frame would never be read.
    this.#socket.resume()
  }

  /** Stops reading, and closes the connection after the last pending reply. */
  drain(): void {
    if (this.#draining || this.#ending) return
    this.#draining = true
    this.#socket.pause()
    this.#goOn()
  }

  /** Sends a ping. Disconnects a client that neither answered nor read anything since the last one. */
  ping(): void {
    if (this.#ending) return
    if (this.#socket.isPaused) {
      // A paused socket receives no pong. So check instead that the client reads from the send buffer.
      const { bufferedAmount } = this.#socket
      const isStalled = bufferedAmount > 0 && bufferedAmount === this.#leftUnread
      if (isStalled) this.close(closeCodes.tooSlow, readTooSlowly)
      this.#leftUnread = bufferedAmount
      return
    }
    if (!this.#answered) {
      this.#socket.terminate()
      return
    }
    this.#answered = false
    this.#socket.ping()
  }

  cut(): void {
    this.#socket.terminate()
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    if (this.#ending) return
    this.#answered = true
    if (isBinary) this.close(closeCodes.binary, 'only text frames are accepted')
    else if (this.#waiting.length === 0 && this.#hasRoom()) this.#begin(bytes)
    else if (this.#waiting.length < this.#parts.limits.framesQueuedMax) this.#waiting.push(bytes)
    else this.close(closeCodes.refused, 'too many calls at once')
    if (!this.#hasRoom()) this.#socket.pause()
  }

  #hasRoom(): boolean {
    const { framesInFlightMax, congestedBytes } = this.#parts.limits
    return this.#inFlight < framesInFlightMax && this.#socket.bufferedAmount <= congestedBytes
  }

  #begin(bytes: Buffer): void {
    const { load, settings, network, credential, requestId, proof, deadlines } = this.#parts
    const request = new FrameRequest()
    const refusal = load.frames < settings.requestsInFlightMax ? null : new Fault('overloaded')
    const subscriptions = this.#subscriptions.openFrame()
    const { caller } = this
    const from = { caller, network, credential, requestId, proof }
    const frame = { ...from, bytes, request, subscriptions, refusal }
    const reply = answerFrame(this.#parts, frame)
    if (!(reply instanceof Promise)) {
      this.#reply(reply, subscriptions)
      return
    }
    const deadline = deadlines.start(() => request.abort(new Fault('deadline')))
    this.#inFlight++
    load.frames++
    this.#running.add(request)
    void reply.then((settled) => {
      deadline.stop()
      this.#inFlight--
      load.frames--
      this.#running.delete(request)
      this.#reply(settled, subscriptions)
      this.#goOn()
    })
  }

  #reply({ text, refused, outcomes }: FrameReply, subscriptions: SubscriptionsFrame): void {
    if (this.#ending) rollbackAll(outcomes)
    else if (text !== '') this.#sendReply(text)
    subscriptions.settle(!this.#ending && refused === null)
    // After the daily limit, Cairn would refuse every further call.
    if (refused === 'over_quota') this.end(new Fault('over_quota'))
  }

  #sendReply(text: string): void {
    this.#replyBytes += text.length
    this.#socket.send(text, (error) => {
      this.#replyBytes -= text.length
      this.#countLoad(this.#socket.bufferedAmount)
      if (!error) this.#goOn()
    })
    this.#judgeBuffer(this.#socket.bufferedAmount > this.#parts.limits.bufferBytesMax)
  }

  /** `over`: a limit of this connection is exceeded. */
  #judgeBuffer(over: boolean): void {
    const { limits, load } = this.#parts
    const { bufferedAmount } = this.#socket
    this.#countLoad(bufferedAmount)
    const overAll = load.bytes > limits.totalBytesMax && bufferedAmount > limits.congestedBytes
    if (over || overAll) this.close(closeCodes.tooSlow, readTooSlowly)
  }

  #countLoad(bytes: number): void {
    const now = this.#socket.readyState === this.#socket.CLOSED ? 0 : bytes
    this.#parts.load.bytes += now - this.#loadBytes
    this.#loadBytes = now
  }

  #goOn(): void {
    while (!this.#ending && this.#waiting.length > 0 && this.#hasRoom()) {
      this.#begin(this.#waiting.shift() as Buffer)
    }
    if (this.#ending) return
    if (this.#draining) {
      const left = this.#inFlight + this.#waiting.length
      if (left === 0) this.close(closeCodes.stopping, 'the server is stopping')
    } else if (this.#socket.isPaused && this.#hasRoom()) this.#socket.resume()
  }
}
