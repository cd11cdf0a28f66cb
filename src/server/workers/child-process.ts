// A child process of the primary: the keeper, or a worker that shares its listening socket with the others (node:cluster).
// Tested by test/server/workers.test.ts
import { fork, type ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'
import type { FromChild, Greeting, ToChild } from './process-messages.ts'
import type { Role } from './role.ts'
import { passUntakenConnections } from './untaken-connections.ts'

export type Child = {
  readonly role: Role
  readonly pid: number
  /** The keeper accepts links of workers. Rejects if the start fails. */
  readonly opened: Promise<void>
  /** URL and port of a worker. Rejects if the start fails. */
  readonly listening: Promise<{ readonly port: number; readonly url: string }>
  /** True for a worker that listens. */
  readonly isListening: boolean
  /** Greeting of the keeper; null for a worker. Rejects with a sentence for the operator if the start fails. */
  readonly ready: Promise<Greeting | null>
  /** Resolves when the process has ended, with the reason. */
  readonly ended: Promise<string>
  bound(port: number): void
  reload(): void
  /** Rejects with a sentence for the operator if the settings are refused. */
  apply(config: Config): Promise<void>
  /** Stops the process after its drain, at the latest after `limitMs`. */
  stop(limitMs: number): Promise<void>
}

/** The same flag as in bin/cairn.js for a single process. */
const heapGrowth = '--heap-growing-percent=200'

// The build does not rewrite this name: the build runs .js, a checkout runs .ts.
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const entry = fileURLToPath(new URL(`./child${extension}`, import.meta.url))

function begin(role: Role, isServed: () => boolean): ChildProcess {
  if (role.kind === 'worker') {
    cluster.setupPrimary({
      exec: entry,
      args: [],
      execArgv: [heapGrowth],
      serialization: 'advanced',
    })
    const { process } = cluster.fork()
    passUntakenConnections(process, isServed)
    return process
  }
  // In the child, the descriptor has the number 4.
  const passed = role.admin === null ? [] : [role.admin]
  return fork(entry, [], {
    serialization: 'advanced',
    execArgv: [heapGrowth],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...passed],
  })
}

/** Descriptor of the passed socket in the keeper. */
const passedDescriptor = 4

/** Starts the process with these settings. `isServed`: whether a worker listens. */
export function startChild(
  role: Role,
  config: Config,
  { clock, isServed }: { readonly clock: Clock; readonly isServed: () => boolean },
): Child {
  const opened = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<{ readonly port: number; readonly url: string }>()
  const ready = Promise.withResolvers<Greeting | null>()
  const ended = Promise.withResolvers<string>()
  const applying = new Map<number, (problem: string | null) => void>()
  let isListening = false
  let nextId = 1
  // Handles rejections, because these promises may be awaited late or never.
  for (const { promise } of [opened, listening, ready]) promise.catch(() => {})
  const child = begin(role, isServed)

  function fail(error: Error): void {
    for (const { reject } of [opened, listening, ready]) reject(error)
  }

  function send(message: ToChild): void {
    // The promise `ended` reports a process that has ended.
    if (child.connected) child.send(message, () => {})
  }

  child.on('message', (message: FromChild) => {
    switch (message.kind) {
      case 'loaded':
        return send({
          kind: 'start',
          role: role.kind === 'worker' || role.admin === null ? role : passedRole,
          config,
        })
      case 'open':
        return opened.resolve()
      case 'listening':
        isListening = true
        return listening.resolve(message)
      case 'ready':
        return ready.resolve(message.greeting)
      case 'failed': {
        const error = new Error(message.problem)
        return fail(message.code === null ? error : Object.assign(error, { code: message.code }))
      }
      case 'drained':
        return send({ kind: 'end' })
      case 'applied':
        applying.get(message.id)?.(message.problem)
        applying.delete(message.id)
    }
  })
  child.once('error', (error) => {
    fail(error)
    ended.resolve(error.message)
  })
  child.once('exit', (code, signal) => {
    const reason = signal ?? `code ${code}`
    fail(new Error(`the ${role.kind} process ended at its start: ${reason}`))
    for (const settle of applying.values()) settle(`the ${role.kind} process ended`)
    ended.resolve(reason)
  })

  return {
    role,
    pid: child.pid ?? 0,
    opened: opened.promise,
    listening: listening.promise,
    get isListening() {
      return isListening && child.connected
    },
    ready: ready.promise,
    ended: ended.promise,
    bound: (port) => send({ kind: 'bound', port }),
    reload: () => send({ kind: 'reload' }),
    apply: (next) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        applying.set(id, (problem) => (problem === null ? resolve() : reject(new Error(problem))))
        send({ kind: 'settings', id, config: next })
      }),
    async stop(limitMs) {
      send({ kind: 'stop' })
      const stopTimer = clock.after(limitMs, () => child.kill('SIGKILL'))
      await ended.promise
      stopTimer()
    },
  }
}

const passedRole: Role = { kind: 'keeper', admin: passedDescriptor }
