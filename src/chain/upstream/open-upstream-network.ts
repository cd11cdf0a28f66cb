// Opens a chain behind upstream nodes: their pool, the head from their votes, the source that fetches content and the relay that
// forwards calls. Opening does not wait; the head is available after the first reply.
// Tested by test/upstream/networks-started.test.ts
import type { Clock } from '../../base/clock.ts'
import { fromHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { PubSub } from '../../base/pub-sub.ts'
import type { Obtain, Peek, PeekNode } from '../../content/ref.ts'
import type { Source } from '../../content/source.ts'
import { getHeader, rememberBlock } from '../blocks.ts'
import type { BlobFractions, KnownNetwork } from '../../base/known-network.ts'
import { blobFractionAt, findKnownNetwork } from '../../base/known-networks.ts'
import type { Network, ScheduledRules } from '../network.ts'
import type { Relay } from '../relay.ts'
import { type ProvedHeader, createAccountMemory, createHeaderMemory } from '../proved-memory.ts'
import { findInHistory } from './head/block-history.ts'
import { createCallAt } from './source/block-parameter.ts'
import { createUpstream } from './node/create-upstream.ts'
import { createHeadCanary } from './pool/canaries.ts'
import { createHeadFollower, windowBlocks } from './head/head-follower.ts'
import type { HeadSettings } from './head/head-settings.ts'
import { shareHeadHints } from './head/head-hints.ts'
import type { ConsensusWitness } from './head/consensus-source.ts'
import type { HeadSource } from './head/head-source.ts'
import type { InvalidReplyLog } from './pool/invalid-reply-log.ts'
import { createNumberedBlocks } from './head/numbered-blocks.ts'
import { createPendingWatch } from './pending-watch.ts'
import { createProber, type Prober } from './node/prober.ts'
import { createUpstreamTransactionLookup } from './upstream-transaction-lookup.ts'
import { type UpstreamPool, createUpstreamPool } from './pool/upstream-pool.ts'
import { createUpstreamRelay } from './upstream-relay.ts'
import { createUpstreamSource } from './source/upstream-source.ts'
import { createUpstreamTransactionPool } from './upstream-transaction-pool.ts'
import type { MethodPolicies } from './node/method-policy.ts'
import type { UpstreamOptions } from './node/upstream.ts'
import { completeRead } from '../read.ts'

export type UpstreamNetworkOptions = {
  readonly name: string
  readonly chainId: bigint
  readonly upstreams: readonly UpstreamOptions[]
  readonly heads: HeadSettings
  /** The light client; absent: the head comes from votes alone. */
  readonly consensus?: ConsensusWitness | undefined
  /** 32 bytes as `0x` hex; null: that of the known network, otherwise as upstreams report it. */
  readonly genesisHash: string | null
  /** Null: those of the known network, otherwise the price of blob gas comes from an upstream. */
  readonly blobFractions: BlobFractions | null
  /** True: the reply of one untrusted upstream that a block is unknown is not sufficient. */
  readonly requireProof: boolean
  readonly methods: MethodPolicies
  readonly ledger: InvalidReplyLog
  /** Runs calls and fee methods on proved data; null if the fork schedule is unknown. */
  readonly calls?: (relay: Relay) => ScheduledRules | null
  readonly content: { readonly obtain: Obtain; readonly peek: Peek; readonly peekNode: PeekNode }
  /** Messages with the heads of other nodes; absent: no other nodes. */
  readonly pubSub?: PubSub | undefined
  readonly clock: Clock
  readonly log: Log
}

export type UpstreamNetwork = {
  readonly network: Network
  /** Source of reads whose fetch context names this network. */
  readonly source: Source
  readonly pool: UpstreamPool
  /** Resolves with the first head, or after one request to each upstream. */
  readonly started: Promise<void>
  /** The last probe report of each upstream. */
  readonly probes: Pick<Prober, 'started' | 'reports'>
  /** Milliseconds since the last confirmation of the head; null without one. */
  headAge(): number | null
  close(): Promise<void>
}

/** Maximum time that a poll for newer heads delays an answer. */
const catchUpMs = 1_000
/** Decoded headers in memory, about 2 KB each. */
const headersMax = 4_096
/** Proved accounts in memory per network, about 1 KB each. */
const accountsMax = 4_096

/** Null for a chain with the chain ID of a known network but another genesis block. */
function knownNetworkOf({ chainId, genesisHash }: UpstreamNetworkOptions): KnownNetwork | null {
  const known = findKnownNetwork(chainId)
  const isOther = genesisHash !== null && known?.genesisHash !== genesisHash
  return known === null || (isOther && known.genesisHash !== null) ? null : known
}

export function openUpstreamNetwork(options: UpstreamNetworkOptions): UpstreamNetwork {
  const { name, chainId, heads, methods, content, clock, log } = options
  /** Hash of the newest block in the header cache. */
  let newest: Uint8Array = new Uint8Array(32)
  const upstreams = options.upstreams.map((upstream) =>
    createUpstream(upstream, { chainId, methods, clock, log }),
  )
  const pool = createUpstreamPool({
    network: name,
    upstreams,
    ledger: options.ledger,
    canary: createHeadCanary(newestHeader, createCallAt()),
    clock,
    log,
  })
  function newestHeader(): ProvedHeader | null {
    return network.headers.find(newest)
  }
  const source = createUpstreamSource({
    name,
    pool,
    require: options.requireProof,
    peekNode: content.peekNode,
    onUnknownFields: (upstream) =>
      log('warn', 'header_fields_unknown', { network: name, upstream: upstream.name }),
  })
  const transactionLookup = createUpstreamTransactionLookup({
    network: name,
    upstreams,
    catchUp,
    clock,
  })
  /** Ends after a time limit, even if a slow upstream has not replied. */
  async function catchUp(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stop = clock.after(catchUpMs, resolve)
    await Promise.race([head.poll(), late])
    stop()
  }
  const pending = createPendingWatch(upstreams, { clock, log, network: name })
  const known = knownNetworkOf(options)
  const blobFractions = options.blobFractions ?? known?.blobFractions ?? []
  const genesisHash = options.genesisHash ?? known?.genesisHash ?? null
  const older = createNumberedBlocks({
    network: name,
    sources: upstreams,
    quorum: heads.quorum,
    quorumRequired: heads.quorumRequired,
    genesisHash: genesisHash === null ? null : fromHex(genesisHash),
    finalized: () => head.finalized(),
    windowBlocks: BigInt(windowBlocks),
    history: (number, latest, signal) => findInHistory(network, number, latest, signal),
    numberOf: async (hash, signal) =>
      (await completeRead(getHeader(network, hash), signal)).header.number,
  })
  const head = createHeadFollower({
    network: name,
    sources: upstreams satisfies readonly HeadSource[],
    consensus: options.consensus,
    settings: heads,
    header: async (hash, signal) => (await completeRead(getHeader(network, hash), signal)).header,
    older,
    locate: (hash, signal) => transactionLookup.locate(hash, signal),
    clock,
    log,
  })
  const relay = createUpstreamRelay({
    network: name,
    pool,
    agree: Math.min(heads.quorum, upstreams.length),
  })
  const calls = options.calls?.(relay) ?? null
  const network: Network = {
    name,
    chainId,
    ...(known !== null && { known }),
    head,
    ...content,
    headers: createHeaderMemory(headersMax),
    accounts: createAccountMemory(accountsMax),
    hint: { network: name },
    pool: createUpstreamTransactionPool({
      network: name,
      pool,
      lookup: transactionLookup,
      arrivals: pending.arrivals,
    }),
    executor: null,
    relay,
    ...(calls !== null && { calls }),
    blobFeeFraction: (timestamp) => blobFractionAt(blobFractions, timestamp),
    feeRules: calls?.feeRules ?? null,
    forkConfigs: () => null,
  }
  head.watch(({ added }) => {
    for (const block of added) {
      rememberBlock(network, block)
      newest = block.hash
    }
    const latest = added.at(-1)
    if (latest !== undefined) calls?.onHead(network, latest)
  })
  const { pubSub } = options
  const stopHints =
    pubSub === undefined ? () => {} : shareHeadHints({ network: name, head, pubSub, clock })
  const probes = createProber({ network: name, upstreams, clock, log })
  return {
    network,
    source,
    pool,
    probes,
    started: head.started,
    headAge: () => head.age(),
    async close() {
      stopHints()
      head.stop()
      pending.stop()
      probes.stop()
      await pool.close()
    },
  }
}
