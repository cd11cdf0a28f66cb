// Restarts the network process: after 1, 2, 4 … 60 s. A process that sends no counts for 15 s is considered hung and is killed. Up
// to two minutes in which it mostly waited for a processor do not count. After five ends within ten minutes the network is down,
// and the restarts continue.
// Tested by src/ipfs/network/supervisor.test.ts
import type { Clock } from '../../base/clock.ts'

/** A running process. */
export type NetRun = {
  /** Resolves to the reason of the end. Never rejects. */
  readonly ended: Promise<string>
  /** Kills the process with SIGKILL. */
  kill(reason: string): void
  /** Stops the process gracefully. */
  stop(): void
  /** Milliseconds since its start in which it waited for a processor; 0 where this is not known. */
  waitedMs(): number
}

export type Death = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly reason: string
}

export type SupervisorLimits = {
  readonly firstDelayMs: number
  readonly delayMsMax: number
  /** After a process that ran this long, delays start again with the first one. */
  readonly soundMs: number
  readonly checkMs: number
  /** Number of checks without counts; one more than the time requires, because the first check may follow immediately. */
  readonly silentChecksMax: number
  /** Number of checks without counts that are excused, because the process waited for a processor. */
  readonly starvedChecksMax: number
  readonly deathsMax: number
  readonly deathsMs: number
}

export const defaultSupervisorLimits: SupervisorLimits = {
  firstDelayMs: 1000,
  delayMsMax: 60_000,
  soundMs: 600_000,
  checkMs: 5000,
  silentChecksMax: 4,
  starvedChecksMax: 24,
  deathsMax: 5,
  deathsMs: 600_000,
}

export type Supervisor = {
  /** Null: waiting for the next start. */
  readonly run: NetRun | null
  /** The last ends, the newest last. */
  readonly deaths: readonly Death[]
  readonly isDown: boolean
  /** Number of restarts since the start of the server. */
  readonly restarts: number
  /** Records a sign of life of the process. */
  alive(): void
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

/** `start`: never throws. `onEnd`: called before a restart is planned. */
export function supervise(parts: {
  readonly start: () => NetRun
  readonly onEnd: (reason: string, restartMs: number) => void
  readonly clock: Clock
  readonly limits?: SupervisorLimits
}): Supervisor {
  const { start, onEnd, clock, limits = defaultSupervisorLimits } = parts
  let run: NetRun | null = null
  let ending: Promise<void> = Promise.resolve()
  let stopped = false
  let silentChecks = 0
  let starvedChecks = 0
  let waitedMs = 0
  let delayMs = limits.firstDelayMs
  let restarts = 0
  let deaths: readonly Death[] = []
  let stopDelay = (): void => {}

  // Counts checks instead of time, so that the process can still answer after the whole machine was suspended.
  const stopChecks = clock.every(limits.checkMs, () => {
    if (run === null) return
    const before = waitedMs
    waitedMs = run.waitedMs()
    if (waitedMs - before >= limits.checkMs / 2 && starvedChecks < limits.starvedChecksMax) {
      starvedChecks += 1
      return
    }
    silentChecks += 1
    if (silentChecks >= limits.silentChecksMax) {
      const seconds = (limits.checkMs * (limits.silentChecksMax - 1)) / 1000
      run.kill(`no answer for ${seconds} s`)
    }
  })

  function begin(): void {
    silentChecks = 0
    starvedChecks = 0
    waitedMs = 0
    const started = clock.monotonic()
    const current = start()
    run = current
    ending = current.ended.then((reason) => {
      run = null
      if (stopped) return
      if (clock.monotonic() - started >= limits.soundMs) delayMs = limits.firstDelayMs
      deaths = [...deaths, { at: clock.now(), reason }].slice(-limits.deathsMax)
      onEnd(reason, delayMs)
      restarts += 1
      stopDelay = clock.after(delayMs, begin)
      delayMs = Math.min(delayMs * 2, limits.delayMsMax)
    })
  }

  begin()
  return {
    get run() {
      return run
    },
    get deaths() {
      return deaths
    },
    get isDown() {
      const [oldest] = deaths
      if (oldest === undefined || deaths.length < limits.deathsMax) return false
      return clock.now() - oldest.at < limits.deathsMs
    },
    get restarts() {
      return restarts
    },
    alive() {
      silentChecks = 0
      starvedChecks = 0
    },
    async stop() {
      stopped = true
      stopChecks()
      stopDelay()
      run?.stop()
      await ending
    },
  }
}
