// A real Valkey or Redis for tests, on a free port, in memory only. Stops with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pause } from '../../src/base/clock.ts'
import { findProgram, needs } from '../deploy/programs.ts'
import { freePort } from './free-port.ts'

const startsMax = 200

const program = (): string | null => findProgram('valkey-server') ?? findProgram('redis-server')

/** False if one of them is installed, else the reason to skip its tests. */
export function missingValkey(): string | false {
  return program() === null ? (needs('redis-server').skip ?? false) : false
}

export type Valkey = {
  readonly url: string
  readonly port: number
  /** Sends SIGKILL: all data is lost. */
  kill(): Promise<void>
  /** Restarts it on the same port. */
  start(): Promise<void>
  /** Sends SIGSTOP: connections stay open without replies. */
  freeze(): void
  thaw(): void
}

/** `more`: further options of the server. */
export async function startValkey(
  t: Pick<TestContext, 'after'>,
  more: readonly string[] = [],
): Promise<Valkey> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-valkey-'))
  const port = await freePort()
  let child: ChildProcess | null = null
  async function start(): Promise<void> {
    const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    const options = [...own, ...more]
    const started = spawn(program() ?? 'redis-server', options, { stdio: 'ignore' })
    child = started
    for (let tries = 0; !(await answers(port)); tries += 1) {
      if (started.exitCode !== null || tries === startsMax) throw new Error('valkey does not start')
      await pause(20)
    }
  }
  async function kill(): Promise<void> {
    const running = child
    child = null
    if (running === null || running.exitCode !== null) return
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
    running.kill('SIGKILL')
    await ended
  }
  t.after(async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url: `valkey://127.0.0.1:${port}`,
    port,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (alive: boolean): void => {
      socket.destroy()
      resolve(alive)
    }
    socket.once('data', (bytes) => end(bytes.toString().startsWith('+PONG')))
    socket.once('error', () => end(false))
  })
}
