// Collects the metrics of the running server and serves `/metrics`.
// Tested by test/metrics.test.ts
import type { Clock } from '../base/clock.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { databaseBytes } from '../db/database-bytes.ts'
import type { Rows } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'
import { countSessions } from '../tables/sessions.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import { relayedMethods } from '../rpc/relay/relayed-methods.ts'
import { countUsage } from '../metrics/count-usage.ts'
import type { Counters } from '../metrics/counters.ts'
import { observe, type ObservedHead } from '../metrics/observe.ts'
import { createMetrics } from '../metrics/registry.ts'
import { countQuarantined } from '../tables/quarantine.ts'
import type { SegmentStore } from '../content/segments/segment-store.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import type { Usage } from '../access/usage/usage.ts'
import type { OpenNetworks } from './open-networks.ts'
import { cairnVersion } from './version.ts'
import type { IntegrityWatch } from './watch-integrity.ts'

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
  readonly writer: Pick<ThreadWriter, 'waiting'>
  readonly writable: () => boolean
  readonly integrity: Pick<IntegrityWatch, 'isSound' | 'repairs'>
  readonly usage: Pick<Usage, 'onFlush' | 'read' | 'failedWrites'>
  /** By listener. */
  readonly connections: () => ReadonlyMap<string, number>
  readonly clock: Clock
}

export type OpenMetrics = {
  text(): Promise<string>
  readonly contentType: string
  stop(): void
}

/** Groups of methods without an operation of their own, as usage counts them. */
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
    backgroundFailures: () => counters.backgroundFailures,
    writesWaiting: () => parts.writer.waiting,
    usage: async () => {
      const { held } = await usage.read([], () => true)
      return { heldRows: held.length, failedWrites: usage.failedWrites }
    },
    sessions: async () => (await rows.first(countSessions(clock.now())))?.count ?? 0,
    connections: parts.connections,
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
