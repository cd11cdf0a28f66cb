// Opens the networks that the settings name: the embedded chain, chains behind upstreams, or both; the first is the
// default. The one place that knows how a network's settings become its parts.
// Tested by test/upstream/networks-started.test.ts
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { UpstreamNetworkConfig } from './config/network-config.ts'
import { type Config, embeddedChain } from './config/settings.ts'
import type { Obtaining } from './content/obtain.ts'
import type { Hint } from './content/ref.ts'
import type { Source } from './content/source.ts'
import type { Store } from './content/store.ts'
import type { Database } from './db/sqlite.ts'
import type { ThreadWriter } from './db/thread-writer.ts'
import { findKnownNetwork } from './ethereum/known-networks.ts'
import type { Network } from './ethereum/network.ts'
import type { SenderCache } from './ethereum/sender-cache.ts'
import { createLieLedger } from './ethereum/upstream/lie-ledger.ts'
import {
  openUpstreamNetwork,
  type UpstreamNetwork,
} from './ethereum/upstream/open-upstream-network.ts'
import type { Operations, RpcOperation } from './gateway/operation.ts'
import type { Verify } from './gateway/prove-or-relay.ts'
import { headerMethods, stateMethods } from './gateway/relayed-methods.ts'
import {
  createEmbeddedOperations,
  createUpstreamOperations,
} from './gateway/upstream-operations.ts'
import { type OnImport, openChain } from './open-chain.ts'

export type OpenNetworksParts = {
  readonly config: Config
  readonly database: Database
  readonly store: Store
  readonly obtaining: Obtaining
  /** Where the sources of each network are looked up. */
  readonly sources: NetworkSources
  /** All operations of this server by wire name. */
  readonly operations: ReadonlyMap<string, RpcOperation<unknown>>
  /** The database file. */
  readonly path: string
  readonly writer: ThreadWriter
  readonly clock: Clock
  readonly log: Log
  readonly onImport: OnImport
  readonly onSigned: SenderCache['note']
}

export type OpenNetworks = {
  /** The default first. */
  readonly networks: readonly Network[]
  readonly operationsOf: (network: Network) => Operations
  /** Somebody can be answered: a chain of our own, or a head that was vouched for lately. */
  isReady(): boolean
  /** Those behind upstreams. */
  readonly upstream: readonly UpstreamNetwork[]
  close(): Promise<void>
}

export type NetworkSources = {
  readonly of: (hint: Hint) => readonly Source[]
  set(network: string, source: Source | null): void
}

/** Sources by network name: a hint without one, or of a chain of our own, has none. */
export function createNetworkSources(): NetworkSources {
  const sources = new Map<string, readonly Source[]>()
  const none: readonly Source[] = []
  return {
    of: ({ network }) => (network === undefined ? none : (sources.get(network) ?? none)),
    set(network, source) {
      if (source === null) sources.delete(network)
      else sources.set(network, [source])
    },
  }
}

/** How long the start waits for the first words of upstreams. */
const firstWordsMs = 5_000

/**
 * Resolves when every network can answer, or its upstreams have had their time: those that come later are taken in
 * as they come. Rejects as `openChain`.
 */
export async function openNetworks(parts: OpenNetworksParts): Promise<OpenNetworks> {
  const { config, operations } = parts
  await using opening = new AsyncDisposableStack()
  const offered = new WeakMap<Network, Operations>()
  const upstream: UpstreamNetwork[] = []
  const networks: Network[] = []
  const chain = embeddedChain(config)
  for (const listed of config.networks ?? [chain]) {
    if (listed === null) continue
    if (listed.embedded) {
      const opened = await openChain(parts)
      opening.defer(() => opened.close())
      offered.set(opened.network, createEmbeddedOperations(operations))
      networks.push(opened.network)
      continue
    }
    const opened = openUpstreams(listed, parts)
    opening.defer(async () => {
      parts.sources.set(listed.name, null)
      await opened.close()
    })
    parts.sources.set(listed.name, opened.source)
    offered.set(
      opened.network,
      createUpstreamOperations(operations, {
        verifyOf: (method) => verifyOf(listed, method),
        lists: { allow: listed.allow, deny: listed.deny },
      }),
    )
    upstream.push(opened)
    networks.push(opened.network)
  }
  await within(firstWordsMs, Promise.all(upstream.map(({ started }) => started)), parts.clock)
  const running = opening.move()
  return {
    networks,
    upstream,
    isReady: () => networks.some(hasHead),
    operationsOf(network) {
      const found = offered.get(network)
      if (found === undefined) throw new TypeError(`network ${network.name} was not opened here`)
      return found
    },
    close: () => running.disposeAsync(),
  }
}

function openUpstreams(config: UpstreamNetworkConfig, parts: OpenNetworksParts): UpstreamNetwork {
  const { writer, clock, log } = parts
  const { name, chainId, heads, genesisHash, upstreams } = config
  const { obtain, held, heldNode } = parts.obtaining
  return openUpstreamNetwork({
    name,
    chainId,
    upstreams,
    heads: {
      quorum: heads.quorum,
      quorumRequired: heads.require === 'quorum',
      pollMs: heads.pollMs,
      maxAgeMs: heads.maxAgeMs,
    },
    genesisHash,
    requireProof: verifyOf(config, 'eth_getBlockByHash') === 'require',
    ledger: createLieLedger({ network: name, writer, clock, log }),
    content: { obtain, held, heldNode },
    clock,
    log,
  })
}

/**
 * What the operator wrote, else by what is known of the network (verification 2.3): blocks must be proved, state
 * only where a node can; nothing must be on a network nobody has described.
 */
function verifyOf({ verify, policy, chainId }: UpstreamNetworkConfig, method: string): Verify {
  const written = verify.methods[method] ?? verify.default
  if (written !== null) return written
  if (policy === 'none') return 'off'
  if (stateMethods.has(method)) return 'prefer'
  // Its lists are not what its roots commit to: only headers can be proved.
  if (policy === 'header-only') return headerMethods.has(method) ? 'require' : 'header'
  const isFull = policy === 'full' || (policy === null && findKnownNetwork(chainId) !== null)
  return isFull ? 'require' : 'prefer'
}

function hasHead({ head }: Network): boolean {
  try {
    head.latest()
    return true
  } catch {
    return false
  }
}

async function within(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = clock.after(ms, resolve)
  await Promise.race([work, promise])
  stop()
}
