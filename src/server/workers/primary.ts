// The primary process of a server with workers. It starts the keeper and the workers, restarts them when they end, and replaces
// them one after the other for new settings or a new program. It opens no data, so that its event loop stays free: it accepts all
// connections.
// Tested by test/server/workers.test.ts
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { guardClock, systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import type { Config } from '../../config/settings.ts'
import type { RunningServer } from '../app.ts'
import { createReload, type ReloadParts } from '../reload.ts'
import type { PassedSockets } from '../systemd.ts'
import { type Child, startChild } from './child-process.ts'
import { keeperPaths, type Role } from './role.ts'

export type RunningWorkers = Omit<RunningServer, 'apply'> & {
  /** Replaces every process, one after the other. Never throws: failures are logged. */
  restart(): Promise<void>
}

/** Delay before a process that ended is restarted: the first and the longest. */
const againMs = { first: 100, longest: 5_000 }
/** A process that ran for this long is restarted after the first delay again. */
const steadyMs = 10_000
/** Time in addition to the drain, for pending writes. */
const endSpareMs = 10_000
const workersMaxOfAuto = 16

/** Number of workers, for settings with workers. */
function workersOf({ workers }: Config): number {
  if (workers !== 'auto') return workers
  return Math.max(1, Math.min(workersMaxOfAuto, availableParallelism() - 1))
}

/**
 * Chooses a free port if the setting is 0. Otherwise later workers would get another port if all others had ended. `passed`:
 * descriptor of a socket, which has its port; null: none.
 */
async function choosePort(config: Config, passed: number | null): Promise<Config> {
  const { host, port } = config.http
  if (port !== 0 || passed !== null) return config
  const server = createServer()
  try {
    await once(server.listen(0, host), 'listening')
  } catch {
    // The first worker reports the reason.
    return config
  }
  const { port: free } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return { ...config, http: { ...config.http, port: free } }
}

/** Resolves when all processes serve. Rejects with a sentence for the operator. */
export async function startWorkers(
  first: Config,
  {
    print,
    sockets,
    source,
    onSocketLost,
  }: {
    readonly print: (line: string) => void
    readonly sockets: PassedSockets
    /** The last worker ended, and node:cluster closed a passed socket: only the program that passed it can restart the server. */
    readonly onSocketLost: () => void
    /** The settings file, watched while the server runs; null: none. */
    readonly source: Pick<ReloadParts, 'file' | 'load'> | null
  },
): Promise<RunningWorkers> {
  /** Settings as read. */
  let loaded = first
  let config = await choosePort(first, sockets.http)
  const log = createLog(
    () => config.log.level,
    systemClock.now,
    (line) => print(line.trimEnd()),
  )
  const clock = guardClock(systemClock, log)
  keeperPaths(config.dataDir)
  let stopping = false
  let isReady = false
  let nextNumber = 1
  let port = 0
  const living = new Set<Child>()
  let keeper: Child | null = null
  /** By index: a new worker takes the index of one that ended. */
  let workers: (Child | null)[] = []
  /** The last restart or change of settings; they run one after the other. Never rejects. */
  let last: Promise<void> = Promise.resolve()

  function enqueue(work: () => Promise<void>): Promise<void> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  const stopMs = (): number => config.http.drainMs + endSpareMs

  const isServed = (): boolean => [...living].some((child) => child.isListening)

  function begin(role: Role): Child {
    if (stopping) throw new Error('the server is stopping')
    const child = startChild(role, config, { clock, isServed })
    living.add(child)
    void child.ended.then(() => {
      living.delete(child)
      if (role.kind === 'worker') checkSocket()
    })
    log('info', 'process_started', { role: role.kind, pid: child.pid })
    return child
  }

  async function end(child: Child): Promise<void> {
    log('info', 'process_stopping', { role: child.role.kind, pid: child.pid })
    await child.stop(stopMs())
  }

  /** node:cluster closes a passed descriptor with the last worker that listens on it. */
  function checkSocket(): void {
    if (stopping || !isReady || sockets.http === null || isServed()) return
    log('error', 'passed_socket_lost')
    onSocketLost()
  }

  function newWorker(): Child {
    const of = workersOf(config)
    return begin({ kind: 'worker', number: nextNumber++, of, http: sockets.http })
  }

  function newKeeper(): Child {
    const child = begin({ kind: 'keeper', admin: sockets.admin })
    void child.opened.then(
      () => (port === 0 ? undefined : child.bound(port)),
      () => {},
    )
    return child
  }

  /** Starts `create` again when its process ends, while `isWanted`; `set` receives each process. */
  function guard(
    child: Child,
    {
      create,
      set,
      isWanted,
    }: { create(): Child; set(child: Child): void; isWanted(of: Child): boolean },
    pauseMs = againMs.first,
  ): void {
    set(child)
    const began = clock.monotonic()
    child.ready.catch(({ message }: Error) => {
      if (stopping || !isWanted(child)) return
      log('error', 'process_not_ready', { role: child.role.kind, problem: message })
      // It would wait for messages; its end starts another one.
      void child.stop(endSpareMs)
    })
    void child.ended.then((reason) => {
      if (stopping || !isWanted(child)) return
      log('error', 'process_ended', { role: child.role.kind, pid: child.pid, reason })
      const isSteady = clock.monotonic() - began > steadyMs
      const waitMs = isSteady ? againMs.first : pauseMs
      clock.after(waitMs, () => {
        if (stopping || !isWanted(child)) return
        guard(create(), { create, set, isWanted }, Math.min(2 * waitMs, againMs.longest))
      })
    })
  }

  function guardKeeper(child: Child): void {
    guard(child, {
      create: newKeeper,
      set: (one) => (keeper = one),
      isWanted: (one) => keeper === one,
    })
  }

  function guardWorker(child: Child, place: number): void {
    guard(child, {
      create: newWorker,
      set: (one) => (workers[place] = one),
      isWanted: (one) => workers[place] === one,
    })
  }

  async function replaceKeeper(): Promise<void> {
    const old = keeper
    // From here on, its end does not count as a failure.
    keeper = null
    if (old !== null) await end(old)
    const child = newKeeper()
    guardKeeper(child)
    await child.ready
  }

  /** The new worker serves before the old one drains. */
  async function replaceWorker(place: number): Promise<void> {
    const old = workers[place] ?? null
    const child = newWorker()
    try {
      await child.ready
    } catch (error) {
      await child.stop(0)
      throw error
    }
    guardWorker(child, place)
    if (old !== null) await end(old)
  }

  async function replaceAll(): Promise<void> {
    log('info', 'restarting', { workers: workersOf(config) })
    await replaceKeeper()
    const wanted = workersOf(config)
    for (let place = 0; place < wanted; place++) await replaceWorker(place)
    const surplus = workers.slice(wanted)
    workers = workers.slice(0, wanted)
    for (const worker of surplus) if (worker !== null) await end(worker)
    log('info', 'restarted', { workers: wanted })
  }

  async function restart(): Promise<void> {
    try {
      await enqueue(replaceAll)
    } catch (error) {
      log('error', 'restart_failed', { problem: (error as Error).message })
    }
  }

  async function stop(): Promise<void> {
    log('info', 'stopping')
    stopping = true
    // Workers first, because they write their usage through the keeper.
    for (const kind of ['worker', 'keeper']) {
      const all = [...living].filter(({ role }) => role.kind === kind)
      await Promise.all(all.map(end))
    }
    log('info', 'stopped')
  }

  async function startAll(): Promise<
    Pick<RunningServer, 'url' | 'adminUrl' | 'firstKey' | 'firstRun' | 'config'>
  > {
    const child = newKeeper()
    keeper = child
    await child.opened
    const begun = Array.from({ length: workersOf(config) }, newWorker)
    workers = begun
    const all = await Promise.all(begun.map((worker) => worker.listening))
    const [{ port: bound, url } = { port: 0, url: '' }] = all
    port = bound
    child.bound(port)
    const greeting = await child.ready
    if (greeting === null) throw new TypeError('a keeper without a greeting')
    await Promise.all(begun.map((worker) => worker.ready))
    guardKeeper(child)
    begun.forEach(guardWorker)
    return { ...greeting, url }
  }

  const greeting = await startAll().catch(async (error: unknown) => {
    await stop()
    throw error
  })

  isReady = true

  async function applyToAll(next: Config): Promise<void> {
    const own = withPort(next)
    await keeper?.apply(own)
    for (const worker of workers) await worker?.apply(own)
    loaded = next
    config = own
  }

  /** Keeps the free port that was chosen at startup. */
  function withPort(next: Config): Config {
    return first.http.port === 0 && next.http.port === 0
      ? { ...next, http: { ...next.http, port } }
      : next
  }

  const reload =
    source === null
      ? null
      : createReload({
          ...source,
          // As loaded, so that the chosen port does not count as a change.
          current: () => loaded,
          apply: (changes) => enqueue(() => applyToAll(changes.config)),
          async restart(next) {
            loaded = next
            config = withPort(next)
            await restart()
          },
          clock,
          log,
        })

  return {
    ...greeting,
    restart,
    async reload() {
      keeper?.reload()
      for (const worker of workers) worker?.reload()
      await reload?.now()
    },
    async stop() {
      await stop()
      await reload?.stop()
    },
  }
}
