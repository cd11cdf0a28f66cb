// The IPFS network as the request thread sees it: a source of blocks, commands, announcements and counts. The net thread and the
// network process behind it start and end together; while they are not running, wants fail and everything else continues.
// Tested by test/network/network-process.test.ts
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { Source } from '../../content/source.ts'
import { provideMax } from './net-frames.ts'
import type { NetCommand, NetCounts, NetLive, NetReady, NetReply } from './net-messages.ts'
import { createNetworkSource, networkFault } from './network-source.ts'
import { processorWaitMs } from './processor-wait.ts'
import { type Death, type NetRun, supervise, type SupervisorLimits } from './supervisor.ts'
import type { RequestCounts, FromThread, NetThreadOptions, ToThread } from './thread-messages.ts'

/** Sums since the start of the server, over all processes. */
type NetworkTotals = Readonly<Record<(typeof summed)[number], number>>

const summed = [
  'blocksReceived',
  'bytesReceived',
  'blocksSent',
  'bytesSent',
  'connectionBytesIn',
  'connectionBytesOut',
  'lies',
  'routerRequests',
  'routerFailures',
  'provided',
  'provideFailures',
] as const satisfies readonly (keyof NetCounts)[]

export type PeerNetworkStatus = {
  readonly mode: 'fetch' | 'provide'
  /** `down`: the process ended five times within ten minutes. */
  readonly state: 'starting' | 'up' | 'down'
  /** PID of the network process; null: it is not running. */
  readonly pid: number | null
  /** Null: not started yet, or ended. */
  readonly ready: NetReady | null
  /** The latest counts; null: none yet. */
  readonly counts: NetCounts | null
  readonly totals: NetworkTotals
  readonly peerRequests: RequestCounts | null
  readonly restarts: number
  /** The last five ends of the process, the newest last. */
  readonly deaths: readonly Death[]
  /** Wants of this server that wait for a block. */
  readonly wants: number
}

export type PeerNetwork = {
  readonly source: Source
  /** CIDs that an account's reads wait for; null: of all accounts. */
  wantsOf(account: string | null): readonly Uint8Array[]
  /**
   * Yields the values of Kubo's reply. Throws `command_failed` with Kubo's text, `no_upstream` while the process is not running.
   */
  command(message: NetCommand, signal: AbortSignal): AsyncGenerator<unknown>
  /**
   * Announces at most 1,000 blocks and returns one code for each, as in the frame `provided`. `regionBits`: number of leading bits
   * that their keys share, so that the peers of the region are found once. Rejects with `no_upstream`.
   */
  provide(
    multihashes: readonly Uint8Array[],
    regionBits: number,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  readonly status: PeerNetworkStatus
  /** Settings that apply without a restart. */
  apply(live: NetLive, needsCard: boolean): void
  close(): Promise<void>
}

/** Maximum number of running commands; further ones are refused. */
const commandsMax = 64
/** Passed bytes are summed up to this size before a credit message is sent. */
const passedBytesMin = 512 * 1024
/** Maximum number of unread values of a reply. */
export const valuesMax = 10_000

type Reply = {
  take(message: NetReply | null): void
  fail(error: Fault): void
}

export type PeerNetworkParts = {
  /** Options of the next process. */
  readonly options: NetThreadOptions
  /** Whether a deny rule applies; it overrides an account's setting that makes the block public. */
  readonly isDenied: (multihash: Uint8Array) => boolean
  readonly clock: Clock
  readonly log: Log
  /** Called at each end of the process while the state is `down`. */
  readonly onDown?: (reason: string) => void
  readonly limits?: SupervisorLimits
}

export function createPeerNetwork(parts: PeerNetworkParts): PeerNetwork {
  const { isDenied, clock, log } = parts
  let options = parts.options
  let worker: Worker | null = null
  let ready: NetReady | null = null
  let counts: NetCounts | null = null
  let peerRequests: RequestCounts | null = null
  const totals = Object.fromEntries(summed.map((name) => [name, 0])) as {
    -readonly [Name in keyof NetworkTotals]: number
  }
  let pid: number | null = null
  let passedBytes = 0
  let nextId = 1
  const replies = new Map<number, Reply>()
  const announcements = new Map<number, (codes: Uint8Array | Fault) => void>()
  const newId = (): number => {
    const id = nextId
    nextId = (nextId % 0xffff_ffff) + 1
    return id
  }
  const post = (message: ToThread): boolean => {
    worker?.postMessage(message)
    return worker !== null
  }
  const wants = createNetworkSource({ post, newId, log })

  function take(message: FromThread): void {
    switch (message.kind) {
      case 'started':
        ;({ pid } = message)
        return
      case 'ready':
        ready = message.message
        supervisor.alive()
        log('info', 'network_up', { peer: ready.peer, addresses: ready.addrs })
        if (ready.listenProblem !== null) {
          log('warn', 'network_not_listening', { problem: ready.listenProblem })
        }
        return
      case 'counts':
        for (const name of summed) totals[name] += message.message[name] - (counts?.[name] ?? 0)
        ;({ message: counts, peerRequests } = message)
        return supervisor.alive()
      case 'found':
        wants.found(message.id, message.bytes)
        return pass(message.bytes.length)
      case 'none':
        return wants.none(message.id)
      case 'failed':
        return wants.failed(message.id, message.reason)
      case 'reply':
        return replies.get(message.id)?.take(message.message)
      case 'provided':
        return announcements.get(message.id)?.(message.codes)
      case 'check':
        post({ kind: 'checked', allowed: message.multihashes.map((hash) => !isDenied(hash)) })
        return
      case 'ended':
    }
  }

  /** Grants credit for passed blocks of that many bytes. */
  function pass(bytes: number): void {
    passedBytes += bytes
    if (passedBytes < passedBytesMin) return
    post({ kind: 'credit', bytes: passedBytes })
    passedBytes = 0
  }

  function start(): NetRun {
    // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
    const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    const thread = new Worker(new URL(`./net-thread${extension}`, import.meta.url), {
      workerData: options,
      execArgv: [],
    })
    thread.unref()
    worker = thread
    passedBytes = 0
    let reason = 'the net thread ended'
    function kill(why: string): void {
      reason = why
      if (pid !== null) killProcess(pid)
      void thread.terminate()
    }
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'ended') ({ reason } = message)
      else take(message)
    })
    thread.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error)
    })
    const ended = new Promise<string>((resolve) => {
      thread.once('exit', () => {
        worker = null
        ready = null
        counts = null
        pid = null
        failAll()
        resolve(reason)
      })
    })
    return {
      ended,
      kill,
      stop: () => thread.postMessage({ kind: 'stop' } satisfies ToThread),
      waitedMs: () => (pid === null ? 0 : processorWaitMs(pid)),
    }
  }

  function failAll(): void {
    const away = networkFault('ended')
    wants.failAll()
    for (const reply of replies.values()) reply.fail(away)
    for (const settle of announcements.values()) settle(away)
  }

  const supervisor = supervise({
    start,
    onEnd(reason, restartMs) {
      log('warn', 'network_process_ended', { reason, restartMs })
      if (!supervisor.isDown) return
      log('error', 'network_down', { deaths: supervisor.deaths })
      parts.onDown?.(reason)
    },
    clock,
    ...(parts.limits === undefined ? {} : { limits: parts.limits }),
  })

  return {
    source: wants.source,
    wantsOf: wants.of,
    async *command(message, signal) {
      signal.throwIfAborted()
      if (replies.size >= commandsMax) throw new Fault('overloaded')
      const id = newId()
      const values = createReply()
      replies.set(id, values)
      const leave = (): void => values.fail(reasonOf(signal))
      signal.addEventListener('abort', leave, { once: true })
      try {
        if (!post({ kind: 'command', id, message })) throw networkFault('ended')
        yield* values.read()
      } finally {
        signal.removeEventListener('abort', leave)
        replies.delete(id)
        if (!values.ended) post({ kind: 'cancel', id })
      }
    },
    async provide(multihashes, regionBits, signal) {
      if (multihashes.length > provideMax) throw new RangeError(`over ${provideMax} multihashes`)
      signal.throwIfAborted()
      const id = newId()
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
      const leave = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', leave, { once: true })
      announcements.set(id, (codes) => (codes instanceof Fault ? reject(codes) : resolve(codes)))
      try {
        if (!post({ kind: 'provide', id, regionBits, multihashes })) throw networkFault('ended')
        return await promise
      } finally {
        announcements.delete(id)
        signal.removeEventListener('abort', leave)
      }
    },
    get status() {
      const { mode } = options.hello
      const { restarts, deaths, isDown } = supervisor
      const state: PeerNetworkStatus['state'] = ready !== null ? 'up' : isDown ? 'down' : 'starting'
      return {
        mode,
        state,
        pid,
        ready,
        counts,
        totals,
        peerRequests,
        restarts,
        deaths,
        wants: wants.size,
      }
    },
    apply(live, needsCard) {
      options = { ...options, needsCard, hello: { ...options.hello, ...live } }
      post({ kind: 'live', message: live, needsCard })
    },
    close: () => supervisor.stop(),
  }
}

/** The fault that ended the signal; another reason is one of a caller that has left. */
function reasonOf({ reason }: AbortSignal): Fault {
  return reason instanceof Fault ? reason : new Fault('hung_up')
}

function createReply() {
  const waiting: unknown[] = []
  let fault: Fault | null = null
  let ended = false
  let wake = (): void => {}
  return {
    /** Whether the process has sent the end of the reply. */
    get ended() {
      return ended
    },
    take(message: NetReply | null): void {
      if (message === null) ended = true
      else if ('error' in message) fault ??= new Fault('command_failed', { detail: message.error })
      else if (waiting.length < valuesMax) waiting.push(message.value)
      else fault ??= new Fault('overloaded')
      wake()
    },
    fail(error: Fault): void {
      fault ??= error
      wake()
    },
    async *read(): AsyncGenerator<unknown> {
      while (true) {
        if (waiting.length > 0) yield waiting.shift()
        else if (fault !== null) throw fault
        else if (ended) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}
