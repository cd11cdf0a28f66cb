// toxiproxy in front of an engine: cuts, delays and silences its connections. Stops with the test.
import { spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { pause } from '../../src/base/clock.ts'
import { findProgram, needs } from '../deploy/programs.ts'
import { freePort } from './free-port.ts'

const program = 'toxiproxy-server'
const startsMax = 200

/** False if the program is installed, else the reason to skip its tests. */
export function missingToxiproxy(): string | false {
  return needs(program).skip ?? false
}

export type Toxiproxy = {
  /** Address in front of the engine. */
  readonly port: number
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  /** Delays every reply. */
  slow(latencyMs: number): Promise<void>
  /** Keeps connections open but forwards no byte of a reply. */
  silence(): Promise<void>
  /** Restores the initial state. */
  heal(): Promise<void>
}

export async function startToxiproxy(
  t: Pick<TestContext, 'after'>,
  enginePort: number,
): Promise<Toxiproxy> {
  const [admin, port] = [await freePort(), await freePort()]
  const child = spawn(
    findProgram(program) ?? program,
    ['-host', '127.0.0.1', '-port', `${admin}`],
    {
      stdio: 'ignore',
    },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null) await ended
  })
  const url = `http://127.0.0.1:${admin}`
  async function send(method: string, path: string, body?: unknown): Promise<void> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${url}${path}`, { method, ...sent })
    if (!reply.ok) throw new Error(`toxiproxy: ${reply.status} ${await reply.text()}`)
    await reply.arrayBuffer()
  }
  const isUp = (): Promise<boolean> =>
    send('GET', '/version').then(
      () => true,
      () => false,
    )
  for (let tries = 0; !(await isUp()); tries += 1) {
    if (child.exitCode !== null || tries === startsMax) throw new Error('toxiproxy does not start')
    await pause(20)
  }
  const engine = { name: 'engine', listen: `127.0.0.1:${port}` }
  await send('POST', '/proxies', { ...engine, upstream: `127.0.0.1:${enginePort}` })
  const toxic = (type: string, attributes: Readonly<Record<string, number>>): Promise<void> =>
    send('POST', '/proxies/engine/toxics', { name: type, type, stream: 'downstream', attributes })
  return {
    port,
    cut: () => send('POST', '/proxies/engine', { enabled: false }),
    slow: (latency) => toxic('latency', { latency, jitter: 0 }),
    silence: () => toxic('timeout', { timeout: 0 }),
    heal: () => send('POST', '/reset'),
  }
}
