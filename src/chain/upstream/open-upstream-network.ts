// A chain behind upstream nodes: their pool, the head they vouch for, the source that fetches and the relay that
// hands on. Opens at once; what it says of its head it says once somebody has answered.
// Tested by test/upstream/networks-started.test.ts
import type { Clock } from '../../base/clock.ts'
import { fromHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { Peek, PeekNode, Obtain } from '../../content/ref.ts'
import type { Source } from '../../content/source.ts'
import { getHeader, rememberBlock } from '../blocks.ts'
import { type BlobFractions, blobFractionAt, findKnownNetwork } from '../known-networks.ts'
import type { Network } from '../network.ts'
import { createAccountMemory } from '../proved-account.ts'
import { createHeaderMemory, type ProvedHeader } from '../proved-header.ts'
import { findInHistory } from './head/block-history.ts'
import { createCallAt } from './source/block-parameter.ts'
import { createUpstream } from './node/create-upstream.ts'
import { createHeadCanary } from './pool/head-canary.ts'
import { createHeadFollower, type HeadSettings } from './head/head-follower.ts'
import type { HeadSource } from './head/head-source.ts'
import type { InvalidReplyLog } from './pool/invalid-reply-log.ts'
import { createNumberedBlocks } from './head/numbered-blocks.ts'
import { createPendingWatch } from './pending-watch.ts'
import { createProber, type Prober } from './node/prober.ts'
import { createUpstreamTransactionLookup } from './upstream-transaction-lookup.ts'
import { createUpstreamPool, type UpstreamPool } from './pool/upstream-pool.ts'
import { createUpstreamRelay } from './upstream-relay.ts'
import { createUpstreamSource } from './source/upstream-source.ts'
import { createUpstreamTransactionPool } from './upstream-transaction-pool.ts'
import type { UpstreamOptions } from './node/upstream.ts'
import { completeRead } from '../read.ts'

export type UpstreamNetworkOptions = {
  readonly name: string
  readonly chainId: bigint
  readonly upstreams: readonly UpstreamOptions[]
  readonly heads: HeadSettings
  /** 32 bytes as `0x` hex; null: of the known networks, else whatever upstreams say. */
  readonly genesisHash: string | null
  /** Null: of the known networks, else the price of blob gas comes from an upstream. */
  readonly blobFractions: BlobFractions | null
  /** One untrusted upstream's word that a block is unknown is not enough. */
  readonly requireProof: boolean
  readonly ledger: InvalidReplyLog
  readonly content: { readonly obtain: Obtain; readonly peek: Peek; readonly peekNode: PeekNode }
  readonly clock: Clock
  readonly log: Log
}

export type UpstreamNetwork = {
  readonly network: Network
  /** For reads whose hint names this network. */
  readonly source: Source
  readonly pool: UpstreamPool
  /** Resolves with the first head, or when each upstream was asked for one. */
  readonly started: Promise<void>
  /** What the last probe of each upstream found. */
  readonly probes: Pick<Prober, 'started' | 'reports'>
  /** Milliseconds since the head was last vouched for; null when it never was. */
  headAge(): number | null
  close(): Promise<void>
}

/** How long a look for newer heads may hold up an answer. */
const catchUpMs = 1_000
/** Decoded headers kept, about 2 KB each. */
const headersMax = 4_096
/** Proved accounts kept for each network, about 1 KB each. */
const accountsMax = 4_096

export function openUpstreamNetwork(options: UpstreamNetworkOptions): UpstreamNetwork {
  const { name, chainId, heads, content, clock, log } = options
  /** Of the newest block that is in the memory of headers. */
  let newest: Uint8Array = new Uint8Array(32)
  const upstreams = options.upstreams.map((upstream) =>
    createUpstream(upstream, { chainId, clock, log }),
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
  const words = createUpstreamTransactionLookup({ network: name, upstreams, catchUp, clock })
  /** Ends also while a slow upstream has not answered. */
  async function catchUp(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stop = clock.after(catchUpMs, resolve)
    await Promise.race([head.poll(), late])
    stop()
  }
  const pending = createPendingWatch(upstreams, { clock, log, network: name })
  const known = findKnownNetwork(chainId)
  const blobFractions = options.blobFractions ?? known?.blobFractions ?? []
  const genesisHash = options.genesisHash ?? known?.genesisHash ?? null
  const older = createNumberedBlocks({
    network: name,
    sources: upstreams,
    quorum: heads.quorum,
    quorumRequired: heads.quorumRequired,
    genesisHash: genesisHash === null ? null : fromHex(genesisHash),
    finalized: () => head.finalized(),
    history: (number, latest, signal) => findInHistory(network, number, latest, signal),
    numberOf: async (hash, signal) =>
      (await completeRead(getHeader(network, hash), signal)).header.number,
  })
  const head = createHeadFollower({
    network: name,
    sources: upstreams satisfies readonly HeadSource[],
    settings: heads,
    header: async (hash, signal) => (await completeRead(getHeader(network, hash), signal)).header,
    older,
    locate: (hash, signal) => words.locate(hash, signal),
    clock,
    log,
  })
  const network: Network = {
    name,
    chainId,
    head,
    ...content,
    headers: createHeaderMemory(headersMax),
    accounts: createAccountMemory(accountsMax),
    hint: { network: name },
    pool: createUpstreamTransactionPool({ network: name, pool, words, arrivals: pending.arrivals }),
    executor: null,
    relay: createUpstreamRelay({
      network: name,
      pool,
      agree: Math.min(heads.quorum, upstreams.length),
    }),
    blobFeeFraction: (timestamp) => blobFractionAt(blobFractions, timestamp),
    forkConfigs: () => null,
  }
  head.watch(({ added }) => {
    for (const block of added) {
      rememberBlock(network, block)
      newest = block.hash
    }
  })
  const probes = createProber({ network: name, upstreams, clock, log })
  return {
    network,
    source,
    pool,
    probes,
    started: head.started,
    headAge: () => head.age(),
    async close() {
      head.stop()
      pending.stop()
      probes.stop()
      await pool.close()
    },
  }
}
