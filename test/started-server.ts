// Starts Cairn as a user does (bin/cairn.js in a separate process) on a free port and a new data folder. The complete run
// starts the package that test/built-package.ts builds, because that takes a quarter less processor time than the source.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const checkout = fileURLToPath(new URL('..', import.meta.url))
/** The command of the built package if there is one, otherwise of the checkout. */
export const bin = join(process.env['CAIRN_TEST_PACKAGE'] ?? checkout, 'bin/cairn.js')

/** Uses one cache of compiled code for all servers of this test run, whose V8 flags differ from those of the tests. */
function environment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: caches, ...others } = process.env
  return { ...others, ...(caches === undefined ? {} : { XDG_CACHE_HOME: caches }), ...own }
}

export type Started = {
  readonly url: string
  readonly apiKey: string
  readonly apiKeySecret: string
  /** The link that creates the first operator; null if an operator exists. */
  readonly firstRunLink: string | null
  readonly dataDir: string
  readonly child: ChildProcess
  /** The log output so far. */
  log(): string
  /** Runs a CLI command against the same data folder; resolves with its parsed JSON. */
  cli(...args: string[]): Promise<Record<string, unknown>>
  /** One JSON-RPC call with the first key. Resolves with the parsed reply body. */
  rpc(method: string, params?: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }>
  /** Sends SIGTERM and waits for the exit. Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'cairn-test-'))
}

/**
 * Starts a server. `dataDir`: created if absent, and then removed by `stop`. `nodeArgs`: arguments of Node. `behind`: a command in
 * front of the server's that executes it, such as `prlimit`; `program`: bin/cairn.js of another checkout.
 */
export async function startCairn(
  options: {
    dataDir?: string
    program?: string
    args?: readonly string[]
    nodeArgs?: readonly string[]
    behind?: readonly string[]
    env?: Record<string, string>
  } = {},
): Promise<Started> {
  const dataDir = options.dataDir ?? (await temporaryFolder())
  const [program = '', ...args] = [
    ...(options.behind ?? []),
    process.execPath,
    ...(options.nodeArgs ?? []),
    // Hooks in these arguments recognize modules of src/ by their files.
    options.program ?? (options.nodeArgs === undefined ? bin : join(checkout, 'bin/cairn.js')),
    'start',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--json',
    ...(options.args ?? []),
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(options.env),
  })
  let logged = ''
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()))
  const { url, apiKey, apiKeySecret, firstRunLink } = await firstLine(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const cli = (...command: string[]) => runCli([...command, '--data-dir', dataDir, '--json'])
  const key = apiKey ?? ''
  const cleanUp = async () => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    url,
    apiKey: key,
    apiKeySecret: apiKeySecret ?? '',
    firstRunLink: firstRunLink ?? null,
    dataDir,
    child,
    log: () => logged,
    cli,
    rpc: (method, params = []) => rpc(url, key, method, params),
    async stop() {
      child.kill('SIGTERM')
      const code = await ended
      await cleanUp()
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export async function rpc(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<{ result?: unknown; error?: unknown }> {
  const response = await fetch(`${url}/v3/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as { result?: unknown; error?: unknown }
}

/** Runs `cairn` with these arguments and parses its output. Rejects on a non-zero exit code. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], {
    env: environment(env),
  })
  return JSON.parse(stdout) as Record<string, unknown>
}

type Greeting = { url: string; apiKey?: string; apiKeySecret?: string; firstRunLink?: string }

function firstLine(child: ChildProcess): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    let out = ''
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      const end = out.indexOf('\n')
      if (end !== -1) resolve(JSON.parse(out.slice(0, end)) as Greeting)
    })
    child.once('exit', (code) => reject(new Error(`cairn start ended with ${code}: ${errors}`)))
  })
}
