// Entry point of a child process: the keeper or a worker. The primary starts it, sends its role and the settings, and stops it.
// Terminal and systemd signals also reach the children, which ignore them and leave them to the primary.
// Tested by test/server/workers.test.ts
import { processEnvironment } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { startServer } from '../app.ts'
import { createKeeperParts } from './keeper-parts.ts'
import type { FromChild, Greeting, ToChild } from './process-messages.ts'
import { keeperPaths, type Role } from './role.ts'
import { startWorker } from './start-worker.ts'

type Running = {
  readonly greeting: Greeting | null
  apply(next: Config): Promise<void>
  reload(): Promise<void>
  stop(): Promise<void>
}

function send(message: FromChild): void {
  // Messages to a primary that has ended are discarded.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const print = (line: string): void => void process.stderr.write(`${line}\n`)

function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

const bound = Promise.withResolvers<number>()
const end = Promise.withResolvers<void>()

/**
 * Waits until the primary has no more connections for this process. node:cluster may have sent one before this process refused it.
 * If the process ended first, the connection would stay open in the primary, and its client would get no reply.
 */
async function refusePassed(): Promise<void> {
  if (!process.connected) return
  send({ kind: 'drained' })
  await end.promise
}

async function startKeeper(
  { admin }: Extract<Role, { kind: 'keeper' }>,
  config: Config,
): Promise<Running> {
  const server = await startServer(config, {
    print,
    writeOut,
    sockets: { http: null, admin },
    env: processEnvironment(),
    keeper: createKeeperParts({
      paths: keeperPaths(config.dataDir),
      bound() {
        send({ kind: 'open' })
        return bound.promise
      },
    }),
  })
  const { adminUrl, firstKey, firstRun } = server
  return {
    greeting: { adminUrl, firstKey, firstRun, config: server.config },
    apply: server.apply,
    reload: server.reload,
    stop: server.stop,
  }
}

async function startOne(role: Role, config: Config): Promise<Running> {
  if (role.kind === 'keeper') return await startKeeper(role, config)
  const paths = keeperPaths(config.dataDir)
  const env = processEnvironment()
  const worker = await startWorker(config, { ...role, paths, print, writeOut, env })
  send({ kind: 'listening', port: worker.port, url: worker.url })
  return { ...worker, greeting: null }
}

async function start({ role, config }: Extract<ToChild, { kind: 'start' }>): Promise<Running> {
  try {
    const running = await startOne(role, config)
    send({ kind: 'ready', greeting: running.greeting })
    return running
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    send({ kind: 'failed', problem, code })
    throw error
  }
}

async function apply(id: number, config: Config): Promise<void> {
  try {
    await (await running)?.apply(config)
    send({ kind: 'applied', id, problem: null })
  } catch (error) {
    send({ kind: 'applied', id, problem: error instanceof Error ? error.message : String(error) })
  }
}

/** Null: the start failed, or was never requested. */
let running: Promise<Running | null> = Promise.resolve(null)
let stopping = false

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  // A keeper that is starting waits for this port.
  bound.resolve(0)
  let code = 0
  try {
    await (await running)?.stop()
  } catch (error) {
    print(error instanceof Error ? error.message : String(error))
    code = 1
  }
  await refusePassed()
  process.exit(code)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)
  process.on(signal, () => {})
// No other process stops this one if the primary is gone.
process.on('disconnect', () => {
  end.resolve()
  void stop()
})
process.on('message', (message: ToChild) => {
  if (message.kind === 'start') running = start(message).catch(() => null)
  else if (message.kind === 'bound') bound.resolve(message.port)
  else if (message.kind === 'settings') void apply(message.id, message.config)
  else if (message.kind === 'end') end.resolve()
  else if (message.kind === 'reload') void running.then((one) => one?.reload())
  else void stop()
})
send({ kind: 'loaded' })
