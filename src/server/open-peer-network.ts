// Opens the IPFS network as configured; with `ipfsNetwork.mode: off`, loads nothing.
// Tested by test/network/network-off.test.ts
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { obtainPeerSeed } from '../access/accounts/server-identity.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { createKeyedSemaphore } from '../base/keyed-semaphore.ts'
import type { Log } from '../base/log.ts'
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import { commandsPerAccountMax, type KuboNetwork } from '../kubo/network-command.ts'
import type { NetLive, ProviderCheck } from '../ipfs/network/net-messages.ts'
import type { PeerNetwork } from '../ipfs/network/peer-network.ts'
import type { NetThreadOptions } from '../ipfs/network/thread-messages.ts'
import type { DenyLists } from './deny-lists.ts'
import type { OpenProvidePlan } from './open-provide-plan.ts'
import type { OpenRows } from './open-rows.ts'
import { segmentsOf } from './open-content.ts'
import { cairnVersion } from './version.ts'

/** Bootstrap peers of the public DHT, as in Kubo 0.43. */
const publicBootstrap: readonly string[] = [
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmQCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
  '/dnsaddr/va1.bootstrap.libp2p.io/p2p/12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8',
  '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ',
]

const codecs = [rawCodec, dagPbCodec, dagCborCodec]

// The build does not rewrite this name: the build runs .js, a checkout runs .ts.
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const program = fileURLToPath(new URL(`../ipfs/network/child/main${extension}`, import.meta.url))

/** The settings that apply without a restart. */
export function netLiveOf({ ipfsNetwork: { routers, peers, limits } }: Config): NetLive {
  const { connectionsMax, bytesPerSecondMax } = limits
  return { routers, peers, limits: { connectionsMax, bytesPerSecondMax } }
}

export function needsCardOf({ card }: Config): boolean {
  return card.adapter !== 'none'
}

/** `key`: of the peer, as in `NetHello.key`. */
export function netOptionsOf(
  config: Config,
  path: string | undefined,
  key: string,
): NetThreadOptions {
  const { ipfsNetwork: settings, dataDir } = config
  const { listen, announce, bootstrap, dht } = settings
  const announces = settings.mode === 'provide'
  // The network thread cannot read blocks in a bucket. The gateway can, and its address is announced instead.
  const serves = announces && config.database.url === null
  return {
    databasePath: join(dataDir, 'cairn.db'),
    storePath: segmentsOf(dataDir),
    program,
    path: path ?? '',
    needsCard: needsCardOf(config),
    heapMiB: Math.floor(settings.limits.heapBytesMax / 2 ** 20),
    hello: {
      v: 1,
      mode: serves ? 'provide' : 'fetch',
      key,
      listen: serves ? listen : [],
      announce: announces ? announce : [],
      bootstrap: bootstrap ?? (settings.private ? [] : publicBootstrap),
      dht,
      private: settings.private,
      agent: `cairn/${cairnVersion()}`,
      ...netLiveOf(config),
    },
  }
}

/** Concurrent checks of providers, which use the lookups of reads. */
const checksMax = 2

export type OpenPeerNetwork = {
  readonly network: PeerNetwork
  /** Null: the server announces nothing. */
  readonly plan: OpenProvidePlan | null
  /** As in `ServerStatus`. Throws `overloaded`, and `conflict` if another machine announces. */
  checkProvider(cid: string, signal: AbortSignal): Promise<readonly ProviderCheck[]>
  close(): Promise<void>
}

/** Null: turned off. */
export async function openPeerNetwork(parts: {
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly path: string | undefined
  readonly denied: DenyLists
  /** Rows of pins and of the announcement plan. */
  readonly rows: Rows
  readonly opening: Pick<OpenRows, 'leases' | 'fenced'>
  readonly onDown: (reason: string) => void
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenPeerNetwork | null> {
  const { config, settings, path, denied, rows, opening, onDown, clock, log } = parts
  const { mode } = config.ipfsNetwork
  if (mode === 'off') return null
  const { createPeerNetwork } = await import('../ipfs/network/peer-network.ts')
  function isDenied(multihash: Uint8Array): boolean {
    denied.refreshNow()
    // A deny rule may contain the hash of a whole CID, including its codec, so each codec is checked.
    return codecs.some((codec) => denied.denialOf(cidOf(1, codec, multihash)) !== null)
  }
  const network = createPeerNetwork({
    options: netOptionsOf(config, path, obtainPeerSeed(config.dataDir)),
    isDenied,
    onDown,
    clock,
    log,
  })
  let checks = 0
  let plan: OpenProvidePlan | null = null
  async function checkProvider(
    arg: string,
    signal: AbortSignal,
  ): Promise<readonly ProviderCheck[]> {
    if (plan?.isRunning === false) {
      throw new Fault('conflict', { detail: 'another server of this database announces' })
    }
    if (checks >= checksMax) throw new Fault('overloaded')
    checks += 1
    try {
      const values = network.command({ name: 'provider-check', arg }, signal)
      return await Array.fromAsync(values as AsyncGenerator<ProviderCheck>)
    } finally {
      checks -= 1
    }
  }
  if (mode !== 'provide')
    return { network, plan: null, checkProvider, close: () => network.close() }
  const { openProvidePlan } = await import('./open-provide-plan.ts')
  const opened = await openProvidePlan({
    rows,
    leases: opening.leases,
    fenced: opening.fenced,
    announce: (multihashes, { region, signal }) =>
      network.provide(multihashes, region?.bits ?? 0, signal),
    isDenied,
    settings: () => settings.now.ipfsNetwork.provide,
    clock,
    log,
  })
  plan = opened
  return {
    network,
    plan: opened,
    checkProvider,
    async close() {
      await opened.stop()
      await network.close()
    },
  }
}

/** Functions of the network for IPFS commands; null: turned off. */
export function kuboNetworkOf(
  open: OpenPeerNetwork | null,
  settings: { readonly now: Config },
  clock: Clock,
): KuboNetwork | null {
  if (open === null) return null
  const { network, plan } = open
  return {
    command: network.command,
    wantsOf: network.wantsOf,
    routingType() {
      const { dht, routers } = settings.now.ipfsNetwork
      if (routers.length === 0) return dht === 'off' ? 'none' : 'dhtclient'
      return dht === 'off' ? 'delegated' : 'autoclient'
    },
    provideStat: () => plan?.stat() ?? null,
    isOperator: (accountId) => settings.now.ipfsNetwork.operators.includes(accountId),
    running: createKeyedSemaphore(commandsPerAccountMax),
    clock,
  }
}
