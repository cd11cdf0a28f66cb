// Collects the metrics of the running server and serves `/metrics`.
// Tested by test/server/metrics.test.ts
import type { Answer } from '../http/text-answer.ts'
import type { Config } from '../config/settings.ts'
import { showUrl } from '../config/show.ts'
import { databaseBytes } from '../db/database-bytes.ts'
import type { Database } from '../db/sqlite.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import { countPinRequestsByStatus } from '../tables/pinning/pin-requests.ts'
import type { Rows } from '../db/rows.ts'
import {
  countInvalidReplies,
  listInvalidReplies,
  listInvalidRepliesOf,
} from '../tables/invalid-replies.ts'
import { describeReach } from './network-checks/query-upstreams.ts'
import type { ServerStatus } from '../admin/resources/server/server-status.ts'
import type { RecentErrors } from '../pipeline/request-log/recent-errors.ts'
import type { OpenEvents } from './open-events.ts'
import type { OpenNetworks } from './open-networks.ts'
import { cairnVersion } from './version.ts'
import type { Clock } from '../base/clock.ts'
import { hasCode } from '../base/fault.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { countSessions } from '../tables/sessions.ts'
import { relayedMethods } from '../rpc/relay/relayed-methods.ts'
import { countUsage } from '../metrics/count-usage.ts'
import type { Counters } from '../metrics/counters.ts'
import { type Observed, type ObservedHead, observe } from '../metrics/observe.ts'
import { createMetrics } from '../metrics/registry.ts'
import { countQuarantined } from '../tables/quarantine.ts'
import type { SegmentStore } from '../content/segments/segment-store.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import type { PeerNetworkStatus } from '../ipfs/network/peer-network.ts'
import type { Usage } from '../access/usage/usage.ts'
import type { Backups } from './run-backups.ts'
import { gatewayRulesOf } from './private-server.ts'
import type { IntegrityWatch } from './watch-integrity.ts'

export const livePath = '/livez'
export const readyPath = '/readyz'

/** Always 200: a reply proves that the process runs. */
export function liveAnswer(): Answer {
  return jsonAnswer(200, 'live')
}

/**
 * 200 if the server accepts requests; 503 before startup has finished and after a drain has begun. `details`: parts that fail while
 * all others work.
 */
export function readyAnswer(state: {
  readonly ready: boolean
  readonly draining: boolean
  readonly details?: readonly string[]
}): Answer {
  if (state.draining) return jsonAnswer(503, 'draining')
  const { details = [] } = state
  if (!state.ready) return jsonAnswer(503, 'starting')
  return jsonAnswer(200, 'ready', details.length === 0 ? {} : { details })
}

function jsonAnswer(status: number, word: string, more: object = {}): Answer {
  return {
    status,
    type: 'application/json',
    body: JSON.stringify({ status: word, ...more }) + '\n',
  }
}

export type ServerStatusDeps = {
  readonly opened: Pick<OpenNetworks, 'networks' | 'statuses'>
  readonly store: { readonly isWritable: boolean; readonly bytes: number }
  /** Bytes of unfinished uploads on disk. */
  readonly uploadBytes: () => number
  readonly database: Database
  readonly rows: Pick<Rows, 'find'>
  readonly settings: { readonly now: Config }
  /** The settings with the saved networks. */
  readonly networks: () => Pick<Config, 'networks'>
  readonly ready: () => boolean
  /** Ports of the APIs; null before they listen. */
  readonly port: () => number | null
  readonly started: number
  readonly recentErrors: Pick<RecentErrors, 'list'>
  /** Null: the IPFS network is turned off. */
  readonly ipfsNetwork: () => PeerNetworkStatus | null
  readonly announcements: ServerStatus['announcements']
  readonly checkProvider: ServerStatus['checkProvider']
  readonly clock: Pick<Clock, 'now'>
}

export function openServerStatus(parts: ServerStatusDeps): ServerStatus {
  const { opened, store, uploadBytes, database, rows, settings, ready, port, started, clock } =
    parts

  function urlOf(network: string, upstream: string): string {
    const listed = parts.networks().networks?.find(({ name }) => name === network)
    if (listed === undefined || listed.embedded) return ''
    const found = listed.upstreams.find(({ name }) => name === upstream)
    return found === undefined ? '' : showUrl(found.url)
  }

  return {
    version: cairnVersion(),
    started,
    get ready() {
      return ready()
    },
    get facesPort() {
      return settings.now.admin.host === null ? null : port()
    },
    networks: () =>
      opened.networks().map((network) => {
        const head = latestOf(network)
        const { name, chainId, relay } = network
        return {
          name,
          chainId,
          embedded: relay === null,
          head: head?.number ?? null,
          headAgeMs: head === null ? null : ageOf(network, head, clock.now()),
          anchor: head?.anchor ?? null,
        }
      }),
    store: () => ({
      writable: store.isWritable,
      // The database contains chain data, and `store.bytesMax` limits both together.
      bytes: store.bytes + databaseBytes(database) + uploadBytes(),
      bytesMax: settings.now.store.bytesMax,
    }),
    gateway: () => gatewayRulesOf(settings.now),
    upstreams: () =>
      opened.statuses().flatMap(({ network, status }) =>
        status.upstreams.map(({ reach, lacks: _lacks, ...upstream }) => ({
          network,
          proofs: describeReach(reach.proof),
          url: urlOf(network, upstream.name),
          ...upstream,
        })),
      ),
    alarms: () =>
      opened
        .statuses()
        .flatMap(({ network, status }) =>
          status.alarms.map(({ need, since }) => ({ network, need, since })),
        ),
    errors: () => parts.recentErrors.list(),
    ipfsNetwork: parts.ipfsNetwork,
    announcements: parts.announcements,
    checkProvider: parts.checkProvider,
    invalidReplies: ({ of = null, before = Number.MAX_SAFE_INTEGER, limit }) =>
      rows.find(
        of === null ? listInvalidReplies(limit, before) : listInvalidRepliesOf(of, limit, before),
      ),
    invalidReplyCounts: () => rows.find(countInvalidReplies(0)),
  }
}

export type MetricsParts = {
  readonly counters: Counters
  readonly opened: Pick<OpenNetworks, 'networks' | 'statuses'>
  /** Names of all JSON-RPC operations. */
  readonly operations: Iterable<string>
  /** Names of all IPFS commands. */
  readonly commands: Iterable<string>
  readonly store: Pick<SegmentStore, 'bytes' | 'isWritable' | 'segments'>
  readonly bytesMax: number | null
  /** Bytes of unfinished uploads on disk. */
  readonly uploadBytes: () => number
  readonly database: Database
  readonly rows: Rows
  /** Rows of pins. */
  readonly fileRows: Rows
  readonly writer: Pick<ThreadWriter, 'pending'>
  readonly writable: () => boolean
  readonly integrity: Pick<IntegrityWatch, 'isSound' | 'repairs'>
  /** Lines of the access log that were dropped. */
  readonly droppedLines: () => number
  readonly events: OpenEvents['counts']
  readonly backups: Pick<Backups, 'state'>
  readonly usage: Pick<Usage, 'onFlush' | 'unwrittenRows' | 'failedWrites'>
  /** Open connections by listener. */
  readonly connections: () => ReadonlyMap<string, number>
  readonly nodes: Observed['nodes']
  readonly ipfsNetwork: Observed['ipfsNetwork']
  readonly clock: Clock
}

export type OpenMetrics = {
  text(): Promise<string>
  readonly contentType: string
  stop(): void
}

/** Method names in usage rows that are not operations. */
const otherMethods = ['batch', 'eth_subscription', 'eth_subscribe', 'eth_unsubscribe'] as const

export function openMetrics(parts: MetricsParts): OpenMetrics {
  const { counters, opened, store, database, rows, usage, clock } = parts
  const metrics = createMetrics()
  const methods = new Set([
    ...parts.operations,
    ...relayedMethods.map(({ name }) => name),
    ...parts.commands,
    ...otherMethods,
  ])
  const networks = () => opened.networks().map(({ name }) => name)
  let sessionsRead = 0

  /** If a remote database is unreachable, returns the value of the last scrape, because the other metrics are needed then. */
  async function sessions(): Promise<number> {
    try {
      sessionsRead = (await rows.first(countSessions(clock.now())))?.count ?? 0
    } catch (error) {
      if (!hasCode(error, 'overloaded')) throw error
    }
    return sessionsRead
  }

  let pinRequestsRead: ReadonlyMap<string, number> = new Map()

  async function pinRequests(): Promise<ReadonlyMap<string, number>> {
    try {
      const found = await parts.fileRows.find(countPinRequestsByStatus())
      const none = ['queued', 'pinning', 'failed'].map((status) => [status, 0] as const)
      pinRequestsRead = new Map([
        ...none,
        ...found.map(({ status, count }) => [status, count] as const),
      ])
    } catch (error) {
      if (!hasCode(error, 'overloaded')) throw error
    }
    return pinRequestsRead
  }

  const stop = usage.onFlush(countUsage(metrics, { methods, networks }))
  const look = observe(metrics, {
    version: cairnVersion(),
    now: clock.now,
    heads: () => opened.networks().flatMap(headOf),
    statuses: opened.statuses,
    content: () => counters.content,
    answers: () => counters.answers,
    store: () => ({
      segmentBytes: store.bytes,
      databaseBytes: databaseBytes(database),
      uploadBytes: parts.uploadBytes(),
      bytesMax: parts.bytesMax,
      sealed: store.segments.sealed().size,
      writable: store.isWritable && parts.writable(),
      quarantined: countQuarantined(database),
      isSound: parts.integrity.isSound,
      repairs: parts.integrity.repairs,
    }),
    backups: () => parts.backups.state(),
    backgroundFailures: () => counters.backgroundFailures,
    droppedLines: parts.droppedLines,
    events: parts.events,
    pendingWrites: () => parts.writer.pending,
    usage: async () => ({ unwrittenRows: usage.unwrittenRows, failedWrites: usage.failedWrites }),
    sessions,
    pinRequests,
    connections: parts.connections,
    nodes: parts.nodes,
    ipfsNetwork: parts.ipfsNetwork,
  })
  return {
    async text() {
      await look()
      return await metrics.text()
    },
    contentType: metrics.contentType,
    stop,
  }
}

function headOf(network: Network): readonly ObservedHead[] {
  const latest = latestOf(network)
  if (latest === null) return []
  return [{ network: network.name, number: latest.number, time: timeOf(network, latest) }]
}

function latestOf({ head }: Network): BlockRef | null {
  try {
    return head.latest()
  } catch {
    // No head was confirmed recently.
    return null
  }
}

/** Milliseconds; a timestamp in the future counts as now. */
function ageOf(network: Network, head: BlockRef, now: number): number | null {
  const time = timeOf(network, head)
  return time === null ? null : Math.max(0, now - time * 1000)
}

/** Reads only memory: a scrape sends no requests. */
function timeOf(network: Network, { hash }: BlockRef): number | null {
  try {
    const known = network.headers.find(hash)
    if (known !== null) return Number(known.header.timestamp)
    const bytes = network.peek({ kind: 'header', hash })
    return bytes === null ? null : Number(decodeHeader(bytes).timestamp)
  } catch {
    // An unreadable copy is reported by the request that needs it.
    return null
  }
}
