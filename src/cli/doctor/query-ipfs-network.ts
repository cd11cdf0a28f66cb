// Queries the routers of the IPFS network for providers of the empty directory, and the server for the state of its network. On
// request, it also joins the DHT for some seconds, with a new key, and connects to the announced gateways.
// Tested by src/cli/doctor/ipfs-network-checks.test.ts
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, systemClock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Config } from '../../config/settings.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { createHttpClient } from '../../ipfs/sources/http-client.ts'
import { reachedUrl, tlsFilesOf } from '../../server/open-access.ts'
import { netOptionsOf } from '../../server/open-peer-network.ts'
import type { Machine } from './machine.ts'
import { hostAndPort } from './peer-host.ts'

export type QueriedIpfsNetwork = {
  /** `failure` null: the router replied. `date`: its clock, milliseconds since 1970; null: not in the reply. */
  readonly routers: readonly {
    readonly host: string
    readonly failure: string | null
    readonly date: number | null
    readonly ms: number
  }[]
  /** This machine's clock at the same time. */
  readonly now: number
  /** The running server reports it. */
  readonly isDown: boolean
  /** Null: not probed, or turned off. */
  readonly dht: ProbedDht | null
  /** Announced gateways that were probed. `protocol`: negotiated by ALPN, such as `h2`; '' = none. */
  readonly gateways: readonly {
    readonly address: string
    readonly protocol: string
    readonly failure: string | null
  }[]
}

type Probe = { readonly ms: number; readonly path: string | undefined }

type ProbedDht = {
  /** Peers in the routing table. */
  readonly peers: number
  readonly ms: number
  readonly failure: string | null
}

const askMs = 5000
const replyBytesMax = 1024 * 1024
const emptyDirectory = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const pollMs = 250
/** Time for the network process to end. */
const closeMs = 30_000

/**
 * Null: the network is off. `probe`: time limit of the DHT probe and the variable PATH; null: no probe, and the other checks take a
 * few seconds. Errors of routers are part of the result, not thrown.
 */
export async function queryIpfsNetwork(
  config: Config,
  machine: Pick<Machine, 'negotiate'>,
  probe: Probe | null,
): Promise<QueriedIpfsNetwork | null> {
  const { mode, routers, dht, announce } = config.ipfsNetwork
  if (mode === 'off') return null
  const announced = mode === 'provide' && probe !== null ? announce : []
  const [answers, isDown, probed, gateways] = await Promise.all([
    Promise.all(routers.map(queryRouter)),
    isNetworkDown(config),
    probe !== null && dht === 'client' ? probeDht(config, probe) : null,
    Promise.all(announced.flatMap((address) => probeGateway(address, machine) ?? [])),
  ])
  return { routers: answers, now: systemClock.now(), isDown, dht: probed, gateways }
}

async function queryRouter(url: string) {
  const { host } = new URL(url)
  const began = systemClock.monotonic()
  const since = (): number => Math.round(systemClock.monotonic() - began)
  try {
    const { status, date } = await ask(url, `/routing/v1/providers/${emptyDirectory}`)
    const failure = status === 200 || status === 404 ? null : `status ${status}`
    return { host, failure, date, ms: since() }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return { host, failure, date: null, ms: since() }
  }
}

/** Null: the gateway does not use TLS. */
function probeGateway(address: string, { negotiate }: Pick<Machine, 'negotiate'>) {
  const found = hostAndPort(address)
  if (found === null || !found.isGateway) return null
  return negotiate(found.host, found.port).then((answer) => ({ address, ...answer }))
}

/** Works next to a running server: the peer has a new key, opens no port and serves nothing. */
async function probeDht(config: Config, { ms, path }: Probe): Promise<ProbedDht> {
  const { createPeerNetwork } = await import('../../ipfs/network/peer-network.ts')
  const began = systemClock.monotonic()
  const since = (): number => Math.round(systemClock.monotonic() - began)
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = privateKey.export({ format: 'jwk' }).d ?? ''
  // A temporary data folder: a check must not change the real one.
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  openDatabase(join(dataDir, 'cairn.db')).close()
  const ipfsNetwork = { ...config.ipfsNetwork, mode: 'fetch' as const }
  const network = createPeerNetwork({
    options: netOptionsOf({ ...config, dataDir, ipfsNetwork }, path, key),
    isDenied: () => true,
    clock: systemClock,
    log: () => {},
  })
  // The network process does not keep this process alive.
  const timer = new AbortController()
  pause(ms + closeMs, timer.signal).catch(() => {})
  try {
    for (;;) {
      const { counts, deaths } = network.status
      const peers = counts?.dhtPeers ?? 0
      const failure = deaths.at(-1)?.reason ?? null
      if (peers > 0 || failure !== null || since() >= ms) return { peers, ms: since(), failure }
      await pause(pollMs)
    }
  } finally {
    await network.close()
    timer.abort()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** False if no server responds. */
async function isNetworkDown({ http }: Pick<Config, 'http'>): Promise<boolean> {
  if (http.port === 0) return false
  try {
    const { bytes } = await ask(reachedUrl(http, tlsFilesOf(http) !== null), '/readyz')
    const { details = [] } = JSON.parse(Buffer.from(bytes).toString()) as { details?: unknown[] }
    return details.includes('network_down')
  } catch {
    return false
  }
}

async function ask(url: string, path: string) {
  const clock = systemClock
  const client = createHttpClient({ url, headers: {}, connections: 1, clock })
  using deadline = withDeadline(null, askMs, clock)
  try {
    const request = { method: 'GET', path, replyBytesMax, timeoutMs: askMs } as const
    return await client.send(request, deadline.signal)
  } finally {
    await client.close()
  }
}
