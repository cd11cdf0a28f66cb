// Real Kubo nodes for tests, on loopback and TCP only, with the DHT of local networks. Stop with the test.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { findProgram, needs } from '../deploy/programs.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const startMs = 60_000
const callMs = 120_000

const program = (): string | null => process.env['CAIRN_KUBO'] ?? findProgram('ipfs')

/** False if Kubo is installed, else the reason to skip its tests. CAIRN_KUBO: path of the binary. */
export function missingKubo(): string | false {
  if (program() !== null) return false
  const isLeftOut = (process.env['CAIRN_CI_WITHOUT'] ?? '').split(' ').includes('kubo')
  if (isLeftOut) return 'left out by CAIRN_CI_WITHOUT: kubo'
  return needs('ipfs').skip ?? false
}

export type Kubo = {
  readonly peer: string
  /** Address including the peer ID. */
  readonly address: string
  /** Base URL of its API. */
  readonly api: string
  /** Calls an API command. Returns the text of the reply. Rejects with the text of an error. */
  call(command: string, query?: Readonly<Record<string, string>>): Promise<string>
  /** As `call`; returns the bytes of the reply. */
  bytes(command: string, query?: Readonly<Record<string, string>>): Promise<Buffer>
  /** Adds a file; returns its CID. */
  add(bytes: Uint8Array, query?: Readonly<Record<string, string>>): Promise<string>
  /** Adds files of one folder by name; returns the folder's CID. */
  addFolder(files: ReadonlyMap<string, Uint8Array>): Promise<string>
  /** Removes all pins and deletes all blocks. */
  empty(): Promise<void>
  connect(address: string): Promise<void>
}

export type KuboOptions = {
  /** Base URLs of routers, which Kubo uses instead of the DHT. */
  readonly routers?: readonly string[]
  readonly dhtServer?: boolean
}

export async function startKubo(
  t: Pick<TestContext, 'after'>,
  options: KuboOptions = {},
): Promise<Kubo> {
  const binary = program() ?? 'ipfs'
  const folder = await mkdtemp(join(tmpdir(), 'cairn-kubo-'))
  const env = { ...process.env, IPFS_PATH: folder, HOME: folder, IPFS_TELEMETRY: 'off' }
  await run(binary, ['init', '--empty-repo', '--profile=test'], { env, timeout: startMs })
  const [apiPort, swarmPort] = [await freePort(), await freePort()]
  const file = join(folder, 'config')
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  const settings = configOf(config, options, apiPort, swarmPort)
  await writeFile(file, JSON.stringify(settings))
  const child = spawn(binary, ['daemon', '--enable-gc=false'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    await stop(child)
    await rm(folder, { recursive: true, force: true })
  })
  await isReady(child)
  const { PeerID: peer } = (config as { Identity: { PeerID: string } }).Identity
  return clientOf(
    `http://127.0.0.1:${apiPort}`,
    peer,
    `/ip4/127.0.0.1/tcp/${swarmPort}/p2p/${peer}`,
  )
}

function configOf(
  config: Record<string, unknown>,
  { routers = [], dhtServer = true }: KuboOptions,
  apiPort: number,
  swarmPort: number,
): Record<string, unknown> {
  const routing =
    routers.length === 0
      ? { Type: dhtServer ? 'dhtserver' : 'dhtclient' }
      : { Type: 'delegated', DelegatedRouters: routers }
  return {
    ...config,
    Bootstrap: [],
    AutoConf: { Enabled: false },
    AutoTLS: { Enabled: false },
    Discovery: { MDNS: { Enabled: false } },
    Addresses: {
      Swarm: [`/ip4/127.0.0.1/tcp/${swarmPort}`],
      Announce: [],
      AppendAnnounce: [],
      NoAnnounce: [],
      API: `/ip4/127.0.0.1/tcp/${apiPort}`,
      Gateway: [],
    },
    Routing: { LoopbackAddressesOnLanDHT: true, DelegatedRouters: [], ...routing },
    Ipns: { DelegatedPublishers: [] },
    Version: { SwarmCheckEnabled: false },
    DNS: { Resolvers: {} },
    Provide: { Enabled: routers.length === 0 },
    Swarm: {
      RelayClient: { Enabled: false },
      RelayService: { Enabled: false },
      EnableHolePunching: false,
      DisableNatPortMap: true,
      Transports: { Network: { QUIC: false, WebTransport: false, WebRTCDirect: false } },
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  await ended
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      if (text.includes('Daemon is ready')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`kubo ended with ${code}: ${text}`)))
  })
}

function clientOf(api: string, peer: string, address: string): Kubo {
  async function request(
    command: string,
    query: Readonly<Record<string, string>>,
    body?: FormData,
  ): Promise<Buffer> {
    const reply = await fetch(`${api}/api/v0/${command}?${new URLSearchParams(query).toString()}`, {
      method: 'POST',
      signal: AbortSignal.timeout(callMs),
      ...(body === undefined ? {} : { body }),
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    if (!reply.ok) throw new Error(bytes.toString())
    return bytes
  }

  const call = async (command: string, query: Readonly<Record<string, string>> = {}) =>
    (await request(command, query)).toString()

  return {
    peer,
    address,
    api,
    call,
    bytes: (command, query = {}) => request(command, query),
    async add(bytes, query = {}) {
      const body = new FormData()
      body.set('file', new Blob([Buffer.from(bytes)]))
      const reply = await request('add', { 'raw-leaves': 'true', ...query }, body)
      const lines = reply.toString().trim().split('\n')
      return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
    },
    async addFolder(files) {
      const body = new FormData()
      for (const [name, bytes] of files) {
        body.append('file', new Blob([Buffer.from(bytes)]), encodeURIComponent(`folder/${name}`))
      }
      const query = { 'raw-leaves': 'true', 'cid-version': '1', pin: 'false', quieter: 'true' }
      const lines = (await request('add', query, body)).toString().trim().split('\n')
      return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
    },
    async empty() {
      const pins = JSON.parse(await call('pin/ls', { type: 'recursive' })) as {
        Keys?: Record<string, unknown>
      }
      for (const cid of Object.keys(pins.Keys ?? {})) await call('pin/rm', { arg: cid })
      await call('repo/gc', { quiet: 'true' })
    },
    async connect(to) {
      await call('swarm/connect', { arg: to })
    },
  }
}
