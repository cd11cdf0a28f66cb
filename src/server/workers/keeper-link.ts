// The worker's end of its link to the keeper. Reconnects after a restart of the keeper and repeats calls without a reply, so calls
// must be safe to run twice.
// Tested by src/server/workers/keeper-link.test.ts
import { connect, type Socket } from 'node:net'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { createFrameReader, writeFrame } from './frames.ts'
import { type CallReply, type Calls, type Notice, receiveError } from './keeper-calls.ts'

export type LinkLimits = {
  /** Maximum of pending calls. Further ones fail with `overloaded`. */
  readonly pendingMax: number
  /** Time limit of a call, including a restart of the keeper; then it fails with `overloaded`. */
  readonly callMs: number
  /** Delay before the next attempt to connect. */
  readonly againMs: number
}

export const defaultLinkLimits: LinkLimits = { pendingMax: 16_384, callMs: 5_000, againMs: 50 }

export type KeeperLink<Offered extends Calls> = {
  call<Name extends keyof Offered & string>(
    name: Name,
    argument: Parameters<Offered[Name]>[0],
  ): Promise<Awaited<ReturnType<Offered[Name]>>>
  /** Calls `run` when a link is open: now, and after each restart of the keeper. */
  onOpen(run: () => void): void
  /** Calls `listener` for each notice from the keeper. */
  onNotice(listener: (notice: unknown) => void): void
  /** True if the keeper is reachable now. */
  readonly isOpen: boolean
  /** Closes the link; pending calls fail with `shutting_down`. */
  close(): void
}

type Pending = {
  readonly id: number
  readonly name: string
  readonly argument: unknown
  readonly until: number
  readonly settle: (reply: CallReply | Fault) => void
}

/** `path`: the keeper's socket for links. */
export function createKeeperLink<Offered extends Calls>(parts: {
  readonly path: string
  readonly limits?: LinkLimits
  readonly clock: Clock
  readonly log: Log
}): KeeperLink<Offered> {
  const { path, limits = defaultLinkLimits, clock, log } = parts
  const pending = new Map<number, Pending>()
  let nextId = 1
  let open: Socket | null = null
  let closed = false
  const openers: (() => void)[] = []
  const listeners: ((notice: unknown) => void)[] = []

  function send(socket: Socket, { id, name, argument }: Pending): void {
    writeFrame(socket, { id, name, argument })
  }

  function begin(): void {
    if (closed) return
    const socket = connect(path)
    const read = createFrameReader((message) => receive(message as CallReply | Notice))
    socket.on('connect', () => {
      open = socket
      for (const call of pending.values()) send(socket, call)
      for (const run of openers) run()
    })
    socket.on('data', (bytes) => {
      try {
        read(bytes)
      } catch (error) {
        log('error', 'keeper_link_failed', { error })
        socket.destroy()
      }
    })
    // `close`, which follows, reconnects.
    socket.on('error', () => {})
    socket.on('close', () => {
      if (open === socket) open = null
      if (!closed) clock.after(limits.againMs, begin)
    })
  }

  function receive(message: CallReply | Notice): void {
    if ('id' in message) return settle(message)
    for (const listener of listeners) listener(message.notice)
  }

  function settle(reply: CallReply): void {
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    call?.settle(reply)
  }

  function refuseLate(): void {
    const now = clock.monotonic()
    for (const [id, call] of pending) {
      // Pending calls are in the order of their deadlines.
      if (call.until > now) return
      pending.delete(id)
      call.settle(new Fault('overloaded'))
    }
  }

  const stopTimer = clock.every(limits.againMs, refuseLate)
  begin()

  return {
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Fault('shutting_down'))
        if (pending.size >= limits.pendingMax) return reject(new Fault('overloaded'))
        const call: Pending = {
          id: nextId++,
          name,
          argument,
          until: clock.monotonic() + limits.callMs,
          settle(reply) {
            if (reply instanceof Fault) reject(reply)
            else if ('error' in reply) reject(receiveError(reply.error))
            else resolve(reply.value as never)
          },
        }
        pending.set(call.id, call)
        if (open !== null) send(open, call)
      }),
    onOpen(run) {
      openers.push(run)
      if (open !== null) run()
    },
    onNotice: (listener) => void listeners.push(listener),
    get isOpen() {
      return open !== null
    },
    close() {
      closed = true
      stopTimer()
      open?.destroy()
      for (const call of pending.values()) call.settle(new Fault('shutting_down'))
      pending.clear()
    },
  }
}
