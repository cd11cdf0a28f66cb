// A real Kubo for recordings: a new repository, no peers, loopback only, a free port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Kubo = {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** As `ipfs version --number` prints it. */
  readonly version: string
  stop(): Promise<void>
}

/**
 * Starts `program` with the configuration profiles `profiles`, and with `settings` applied to those of a new repository. Throws if
 * it exits before it listens.
 */
export async function startKubo(
  program: string,
  options: {
    readonly profiles?: readonly string[]
    readonly settings?: Readonly<Record<string, unknown>>
  } = {},
): Promise<Kubo> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-kubo-'))
  const env = { ...process.env, IPFS_PATH: folder, IPFS_TELEMETRY: 'off' }
  const run = (...args: string[]) => execFileSync(program, args, { env, encoding: 'utf8' })
  // `test`: no bootstrap nodes, no discovery, random ports of loopback.
  run('init', '--profile=test')
  for (const profile of options.profiles ?? []) run('config', 'profile', 'apply', profile)
  const settings = { 'AutoConf.Enabled': false, 'Routing.Type': 'none', ...options.settings }
  for (const [name, value] of Object.entries(settings)) {
    run('config', '--json', name, JSON.stringify(value))
  }
  const child = spawn(program, ['daemon'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const port = await listening(child)
  return {
    url: `http://127.0.0.1:${port}`,
    version: run('version', '--number').trim(),
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new TypeError('no output to read')
  let errors = ''
  stderr.on('data', (text: Buffer) => (errors += text.toString()))
  let port: string | undefined
  for await (const line of createInterface({ input: stdout })) {
    port ??= /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(line)?.[1]
    if (line === 'Daemon is ready') break
  }
  if (port === undefined) throw new Error(`Kubo did not start: ${errors}`)
  // Read continuously, or Kubo blocks on a full pipe.
  stdout.resume()
  return port
}
