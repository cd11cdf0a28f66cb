// A real S3 service for tests: versitygw on a folder and a free port, with one bucket. Stops with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '../../../src/base/clock.ts'
import type { S3Access } from '../../../src/backup/open-target.ts'
import { findProgram, needs } from '../../deploy/programs.ts'

const program = 'versitygw'
export const bucket = 'stones'
const startsMax = 200

/** False if the program is installed, else the reason to skip tests. */
export function missingVersitygw(): string | false {
  return needs(program).skip ?? false
}

export type S3Service = {
  readonly url: string
  readonly access: S3Access & { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** The folder with the files of the bucket. */
  readonly folder: string
  /** Process ID. */
  readonly pid: number
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Restarts it with the same port and files. */
  restart(): Promise<void>
}

/** `t`: a test, or another owner that runs the `after` hooks when it ends. */
export async function startVersitygw(t: {
  after(end: () => Promise<void>): void
}): Promise<S3Service> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-s3-'))
  await mkdir(join(root, bucket))
  const port = await freePort()
  const accessKeyId = 'cairn-test'
  const secretAccessKey = 'a stone on a stone'
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  async function start(): Promise<void> {
    const running = spawn(
      findProgram(program) ?? program,
      ['--port', `127.0.0.1:${port}`, 'posix', root],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ROOT_ACCESS_KEY: accessKeyId,
          ROOT_SECRET_KEY: secretAccessKey,
        },
      },
    )
    child = running
    let output = ''
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', (text: Buffer) => (output = `${output}${text.toString()}`.slice(-4096)))
    }
    for (let tries = 0; !(await answers(url)); tries += 1) {
      if (running.exitCode !== null || tries === startsMax) {
        throw new Error(`${program} does not start: ${output}`)
      }
      await pause(50)
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
    await rm(root, { recursive: true, force: true })
  })
  await start()
  const access = { endpoint: url, region: 'us-east-1', accessKeyId, secretAccessKey }
  return {
    url,
    access,
    folder: join(root, bucket),
    get pid() {
      return child?.pid ?? 0
    },
    kill,
    restart: start,
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
