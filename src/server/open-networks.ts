// Opens the networks of the settings: the embedded chain, chains behind upstreams, or both; the first is the
// default. The only module that turns a network's settings into its parts.
// Tested by test/upstream/networks-started.test.ts
import { type Clock, backgroundFailed } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { PubSub } from '../base/pub-sub.ts'
import {
  type NetworkConfig,
  type UpstreamNetworkConfig,
  activeUpstreams,
} from '../config/network-config.ts'
import type { Obtainer } from '../content/obtain.ts'
import type { Rows } from '../db/rows.ts'
import type { Writer } from '../db/writer.ts'
import { findKnownNetwork } from '../base/known-networks.ts'
import type { ConsensusWitness } from '../chain/upstream/head/consensus-source.ts'
import {
  createInvalidReplyLog,
  type InvalidReplyLog,
} from '../chain/upstream/pool/invalid-reply-log.ts'
import {
  type UpstreamNetwork,
  openUpstreamNetwork,
} from '../chain/upstream/open-upstream-network.ts'
import type { VerifyMode } from '../rpc/relay/prove-or-relay.ts'
import { servingPolicies } from '../rpc/relay/relayed-methods.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/settings.ts'
import type { Network } from '../chain/network.ts'
import type { PoolStatus } from '../chain/upstream/pool/upstream-pool.ts'
import type { Operations, RpcOperation } from '../rpc/operation.ts'
import {
  createEmbeddedOperations,
  createUpstreamOperations,
} from '../rpc/relay/upstream-operations.ts'
import { createProofRate, type ProofRate } from '../proved-calls/proof-rate.ts'
import {
  createProvedCallThread,
  type ProvedCallThread,
} from '../proved-calls/proved-call-thread.ts'
import type { OpenBeacon } from './open-beacon.ts'
import type { NetworkSources } from './open-content.ts'
import type { OpenChain } from './open-chain.ts'
import { openProvedCalls } from './open-proved-calls.ts'

type OpenUpstreamsParts = {
  readonly ledger: InvalidReplyLog
  /** The light client; absent: the head comes from votes alone. */
  readonly consensus?: ConsensusWitness | undefined
  readonly obtaining: Obtainer
  readonly pubSub?: PubSub | undefined
  /** Computes calls of all networks. */
  readonly callThread: ProvedCallThread
  readonly proofRate: ProofRate
  readonly clock: Clock
  readonly log: Log
}

/** Returns without waiting for upstreams; `started` of the network resolves when it can serve. */
function openUpstreams(config: UpstreamNetworkConfig, parts: OpenUpstreamsParts): UpstreamNetwork {
  const { ledger, consensus, clock, log } = parts
  const { name, chainId, heads, genesisHash, blobSchedule } = config
  const { obtain, peek, peekNode } = parts.obtaining
  const { callThread: thread, proofRate } = parts
  const calls = openProvedCalls(config, { thread, proofRate, clock, log })
  return openUpstreamNetwork({
    name,
    chainId,
    upstreams: activeUpstreams(config),
    heads: {
      quorum: heads.quorum,
      quorumRequired: heads.require !== 'any',
      consensusRequired: heads.require === 'consensus',
      pollMs: heads.pollMs,
      maxAgeMs: heads.maxAgeMs,
    },
    genesisHash,
    blobFractions:
      blobSchedule?.map(({ from, baseFeeUpdateFraction }) => ({
        from: BigInt(from),
        fraction: BigInt(baseFeeUpdateFraction),
      })) ?? null,
    methods: servingPolicies,
    requireProof: verifyOf(config, 'eth_getBlockByHash') === 'require',
    ...(calls !== null && { calls }),
    ledger,
    consensus,
    content: { obtain, peek, peekNode },
    pubSub: parts.pubSub,
    clock,
    log,
  })
}

/**
 * The operator's setting, otherwise a default for the network: blocks require a proof, state only if nodes supply one, and unknown
 * networks require none.
 */
function verifyOf({ verify, policy, chainId }: UpstreamNetworkConfig, method: string): VerifyMode {
  const served = servingPolicies.get(method)
  const data = served?.serve === 'prove' ? served.data : null
  const written = verify.methods[method] ?? verify.default
  // Wallets cannot send a transaction without a fee suggestion, so it is refused without a proof only if the operator names the
  // method.
  const isAdvice = data === 'fees' && verify.methods[method] === undefined
  if (written !== null) return isAdvice && written === 'require' ? 'prefer' : written
  if (policy === 'none') return 'off'
  if (data === 'state' || data === 'fees') return 'prefer'
  if (data === 'call' || data === 'simulation') return 'prefer'
  // The roots of this chain do not commit to its lists, so only headers can be proved.
  if (policy === 'header-only') return data === 'header' ? 'require' : 'header'
  const isFull =
    policy === 'full' || (policy === null && findKnownNetwork(chainId)?.family === 'ethereum')
  return isFull ? 'require' : 'prefer'
}

export type OpenNetworksParts = {
  readonly config: Config
  /** The networks of the settings that this process serves. */
  readonly listed: (config: Config) => readonly NetworkConfig[]
  /** Opens the embedded chain of these settings; `find`: another network as currently served, for a fork. */
  readonly openChain: (config: Config, find: (name: string) => Network | null) => Promise<OpenChain>
  readonly obtaining: Obtainer
  /** Registry of the sources of each network. */
  readonly sources: NetworkSources
  /** All operations of this server by wire name. */
  readonly operations: ReadonlyMap<string, RpcOperation<unknown>>
  readonly writer: Writer
  /** Rows of `cairn.db`. */
  readonly localRows: Rows
  /** Messages between nodes; absent: no other nodes. */
  readonly pubSub?: PubSub | undefined
  readonly clock: Clock
  readonly log: Log
}

type OpeningParts = OpenNetworksParts &
  Pick<OpenUpstreamsParts, 'callThread' | 'proofRate'> & {
    /** A network behind upstreams by its name, also while it is being opened. */
    readonly find: (name: string) => Network | null
  }

export type OpenNetworks = {
  /** The networks in force, the default first; returns the same array until it changes. */
  readonly networks: () => readonly Network[]
  readonly operationsOf: (network: Network) => Operations
  /** True if a network can serve requests: the embedded chain, or a recently confirmed head. */
  isReady(): boolean
  /**
   * Health of networks behind upstreams, and milliseconds since their head was last confirmed (null: never). `equivocations`: of
   * the sync committee, as seen by this process; null: heads by votes.
   */
  statuses(): readonly {
    readonly network: string
    readonly status: PoolStatus
    readonly headAge: number | null
    readonly equivocations: number | null
  }[]
  /**
   * Replaces the networks by those of other settings, all together. Unchanged networks, including the embedded chain, continue. New
   * ones are opened first; removed or changed ones close when no request can still run on them. If one cannot be opened, throws and
   * changes nothing.
   */
  replace(config: Config): Promise<void>
  close(): Promise<void>
}

/** One served network. */
type Opened = {
  readonly listed: NetworkConfig
  readonly network: Network
  readonly operations: Operations
  /** Null: the embedded chain. */
  readonly upstream: UpstreamNetwork | null
  /** Null: heads by votes. */
  readonly beacon: Pick<OpenBeacon, 'equivocations'> | null
  close(): Promise<void>
}

/** Time limit of startup for the first replies of upstreams. */
const firstReplyMs = 5_000
/** The same if the embedded chain is a fork, which cannot start without them. */
const forkedReplyMs = 30_000

/** Longer than the longest request, so a request from before the change has ended. */
const retireSpareMs = 1_000

/**
 * Resolves when every network can serve, or after the time limit for their upstreams; slower networks are served as soon as they
 * are ready. Rejects as `openChain`.
 */
export async function openNetworks(given: OpenNetworksParts): Promise<OpenNetworks> {
  const { clock, log, sources } = given
  const callThread = createProvedCallThread({ clock, log })
  /** Networks in force, or those that a change is opening. */
  let opening: readonly Opened[] = []
  const find = (name: string): Network | null =>
    [...serving, ...opening].find(({ listed }) => listed.name === name)?.network ?? null
  const parts: OpeningParts = { ...given, callThread, proofRate: createProofRate(clock), find }
  const offered = new WeakMap<Network, Operations>()
  /** Replaced networks that are not closed yet. */
  const retiring = new Map<Opened, () => Promise<void>>()
  let requestMs = parts.config.rpc.requestMs
  let serving: readonly Opened[] = []
  let networks: readonly Network[] = []
  serve(await open(parts.config))

  async function open(config: Config): Promise<readonly Opened[]> {
    try {
      const onOpened = (one: Opened): void => void (opening = [...opening, one])
      return await openAll(parts.listed(config), serving, { ...parts, config, onOpened })
    } finally {
      opening = []
    }
  }

  function serve(next: readonly Opened[]): void {
    const old = serving.filter((one) => !next.includes(one))
    serving = next
    networks = next.map(({ network }) => network)
    for (const { network, operations } of next) offered.set(network, operations)
    for (const one of old) retire(one)
    const names = new Set([...next, ...old].map(({ listed }) => listed.name))
    for (const name of names) updateSources(name)
  }

  /** Requests that still run on a replaced network continue to use its sources. */
  function updateSources(name: string): void {
    const all = [...serving, ...retiring.keys()].filter(({ listed }) => listed.name === name)
    const found = all.flatMap(({ upstream }) => (upstream === null ? [] : [upstream.source]))
    sources.set(name, found)
  }

  function retire(one: Opened): void {
    const end = async (): Promise<void> => {
      stop()
      retiring.delete(one)
      updateSources(one.listed.name)
      await one.close()
      log('info', 'network_closed', { network: one.listed.name })
    }
    const stop = clock.after(requestMs + retireSpareMs, () => {
      end().catch((error: unknown) =>
        log('error', backgroundFailed, { in: 'network close', error }),
      )
    })
    retiring.set(one, end)
  }

  return {
    networks: () => networks,
    isReady: () => networks.some(hasHead),
    statuses: () =>
      serving.flatMap(({ network, upstream, beacon }) =>
        upstream === null
          ? []
          : [
              {
                network: network.name,
                status: upstream.pool.status(),
                headAge: upstream.headAge(),
                equivocations: beacon?.equivocations ?? null,
              },
            ],
      ),
    operationsOf(network) {
      const found = offered.get(network)
      if (found === undefined) throw new TypeError(`network ${network.name} was not opened here`)
      return found
    },
    async replace(config) {
      serve(await open(config))
      requestMs = config.rpc.requestMs
    },
    async close() {
      await Promise.all([...retiring.values()].map((end) => end()))
      for (const one of serving.toReversed()) await one.close()
      await callThread.close()
    },
  }
}

/** Reuses the unchanged networks of `before`. If one cannot be opened, closes those that it opened. */
async function openAll(
  listed: readonly NetworkConfig[],
  before: readonly Opened[],
  parts: OpeningParts & { readonly onOpened: (one: Opened) => void },
): Promise<readonly Opened[]> {
  await using opening = new AsyncDisposableStack()
  const opened = new Map<NetworkConfig, Opened>()
  const starting: Promise<unknown>[] = []
  // Opens embedded chains last, because one may be a fork of another network.
  const inOrder = listed.toSorted((one, other) => Number(one.embedded) - Number(other.embedded))
  for (const one of inOrder) {
    const same = before.find((old) => isDeepStrictEqual(old.listed, one))
    if (same !== undefined) {
      opened.set(one, same)
      continue
    }
    const isFork = one.embedded && one.fork !== null
    if (isFork) await within(forkedReplyMs, Promise.all(starting), parts.clock)
    const fresh = one.embedded ? await openEmbedded(one, parts) : await openBehind(one, parts)
    const isNew = !before.some((old) => old.listed.name === one.name)
    opening.defer(async () => {
      if (isNew) parts.sources.set(one.name, [])
      await fresh.close()
    })
    opened.set(one, fresh)
    parts.onOpened(fresh)
    if (fresh.upstream === null) continue
    starting.push(fresh.upstream.started)
    // The head looks up its sources by name. If a network with this name is still open, it keeps its sources until it is replaced.
    if (isNew) parts.sources.set(one.name, [fresh.upstream.source])
  }
  await within(firstReplyMs, Promise.all(starting), parts.clock)
  opening.move()
  return listed.flatMap((one) => opened.get(one) ?? [])
}

async function openEmbedded(listed: NetworkConfig, parts: OpeningParts): Promise<Opened> {
  const { network, close } = await parts.openChain(parts.config, parts.find)
  const operations = createEmbeddedOperations(parts.operations)
  return { listed, network, operations, upstream: null, beacon: null, close }
}

async function openBehind(listed: UpstreamNetworkConfig, parts: OpeningParts): Promise<Opened> {
  const { writer, localRows: rows, clock, log } = parts
  const ledger = createInvalidReplyLog({ network: listed.name, writer, clock, log })
  const isVoted = listed.heads.trust === 'votes'
  const beacon = isVoted
    ? null
    : await (await import('./open-beacon.ts')).openBeacon(listed, { rows, ledger, clock, log })
  const upstream = openUpstreams(listed, { ...parts, ledger, consensus: beacon?.witness })
  const operations = createUpstreamOperations(parts.operations, {
    verifyOf: (method) => verifyOf(listed, method),
    lists: { allow: listed.allow, deny: listed.deny },
  })
  const { network } = upstream
  const close = async (): Promise<void> => {
    await beacon?.close()
    await upstream.close()
  }
  return { listed, network, operations, upstream, beacon, close }
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
