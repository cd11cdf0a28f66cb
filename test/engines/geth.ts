// A real geth, or op-geth for OP Stack chains, on loopback, with only the genesis block: enough state to read, prove and call.
// Stops with the test.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { findProgram, needs } from '../deploy/programs.ts'
import { until } from '../fakes/until.ts'
import { freePort } from './free-port.ts'

const startMs = 60_000

type Program = 'geth' | 'op-geth'

/** Variables with the paths of the binaries. */
const variables: Readonly<Record<Program, string>> = {
  geth: 'CAIRN_GETH',
  'op-geth': 'CAIRN_OP_GETH',
}

const binaryOf = (name: Program): string | null => process.env[variables[name]] ?? findProgram(name)

function missing(name: Program): string | false {
  if (binaryOf(name) !== null) return false
  const isLeftOut = (process.env['CAIRN_CI_WITHOUT'] ?? '').split(' ').includes(name)
  if (isLeftOut) return `left out by CAIRN_CI_WITHOUT: ${name}`
  return needs(name).skip ?? false
}

/** False if it is installed, else the reason to skip its tests. */
export const missingGeth = (): string | false => missing('geth')
export const missingOpGeth = (): string | false => missing('op-geth')

export type GethReply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type Geth = {
  readonly url: string
  /** The genesis file. */
  readonly genesisFile: string
  call(method: string, params: readonly unknown[]): Promise<GethReply>
}

/** `genesis`: as in a genesis file; `more`: further options of geth. */
export function startGeth(
  t: Pick<TestContext, 'after'>,
  genesis: unknown,
  more: readonly string[] = [],
): Promise<Geth> {
  return start(t, 'geth', genesis, more)
}

export function startOpGeth(t: Pick<TestContext, 'after'>, genesis: unknown): Promise<Geth> {
  return start(t, 'op-geth', genesis)
}

/** Mines a block for each transaction (`--dev`). The genesis is after the merge. */
export function startMiningGeth(
  t: { after(end: () => unknown): void },
  genesis: unknown,
): Promise<Geth> {
  return start(t, 'geth', genesis, ['--dev', '--miner.gasprice', '1'])
}

async function start(
  t: { after(end: () => unknown): void },
  name: Program,
  genesis: unknown,
  more: readonly string[] = [],
): Promise<Geth> {
  const binary = binaryOf(name) ?? name
  const folder = await mkdtemp(join(tmpdir(), 'cairn-geth-'))
  const genesisFile = join(folder, 'genesis.json')
  await writeFile(genesisFile, JSON.stringify(genesis))
  const dataDir = join(folder, 'data')
  await promisify(execFile)(binary, ['init', '--datadir', dataDir, genesisFile])
  const [port, engine] = [await freePort(), await freePort()]
  const child = spawn(
    binary,
    [
      ['--datadir', dataDir],
      ['--http', '--http.port', String(port), '--http.api', 'eth,debug,net,web3'],
      ['--authrpc.port', String(engine)],
      ['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable', '--nat', 'none'],
      ['--syncmode', 'full', '--verbosity', '1', ...more],
    ].flat(),
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  async function call(method: string, params: readonly unknown[]): Promise<GethReply> {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await reply.json()) as GethReply
  }
  await until(async () => void (await call('eth_chainId', [])), startMs)
  return { url, genesisFile, call }
}
