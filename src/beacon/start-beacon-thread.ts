// Runs the light client of one network in a thread: starts it, restarts it when it ends, and stores its last status.
// Tested by test/upstream/consensus-started.test.ts
import { Worker } from 'node:worker_threads'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { BeaconOrder, FromBeacon } from './beacon-worker.ts'
import type { Evidence, LightStatus } from './light-client.ts'
import type { SavedText } from './saved-store.ts'
import { timeOfSlot } from './spec.ts'

export type BeaconThread = {
  readonly status: LightStatus
  /** Milliseconds since the slot of the newest signed header began; infinite without one. */
  ageMs(): number
  /** Calls `listener` for each change of the status. Returns a stop function. */
  watch(listener: () => void): () => void
  close(): Promise<void>
}

const heapMiB = 256
const restartMs = { first: 1000, most: 60_000 }

export function startBeaconThread(
  order: BeaconOrder,
  parts: {
    readonly network: string
    readonly onStore: (saved: SavedText) => void
    readonly onEvidence: (evidence: Evidence) => void
    readonly clock: Clock
    readonly log: Log
  },
): BeaconThread {
  const { network, clock, log } = parts
  const listeners = new Set<() => void>()
  let { saved } = order
  let status: LightStatus = { state: 'bootstrapping', reason: null, latest: null, finalized: null }
  let worker: Worker | null = null
  let deaths = 0
  let isClosing = false
  let stopTimer = (): void => {}

  function receive(message: FromBeacon): void {
    if (message.kind === 'store') {
      saved = message.saved
      parts.onStore(message.saved)
    } else if (message.kind === 'evidence') {
      parts.onEvidence(message.evidence)
    } else {
      show(message.status)
    }
  }

  function show(next: LightStatus): void {
    const { state, reason } = next
    if (state !== status.state) {
      const level = state === 'stopped' || state === 'stale' ? 'error' : 'info'
      log(level, 'light_client_state', { network, state, reason, slot: next.latest?.slot ?? null })
    }
    status = next
    deaths = 0
    for (const listener of listeners) listener()
  }

  function start(): void {
    // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
    const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    const thread = new Worker(new URL(`./beacon-worker${extension}`, import.meta.url), {
      workerData: { ...order, saved } satisfies BeaconOrder,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
      execArgv: [],
    })
    thread.unref()
    worker = thread
    thread.on('message', receive)
    thread.on('error', (error) => log('error', 'light_client_ended', { network, error }))
    thread.once('exit', () => {
      if (isClosing) return
      const delayMs = Math.min(restartMs.first * 2 ** deaths++, restartMs.most)
      stopTimer = clock.after(delayMs, start)
    })
  }

  start()
  return {
    get status() {
      return status
    },
    ageMs() {
      const { latest } = status
      return latest === null ? Infinity : clock.now() - timeOfSlot(order.spec, latest.slot)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      isClosing = true
      stopTimer()
      await worker?.terminate()
    },
  }
}
