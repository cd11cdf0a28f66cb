// Gauges that are read at a scrape: heads, upstreams, store, queues. Nothing runs between scrapes.
// Tested by src/metrics/metrics.test.ts
import type { PoolStatus } from '../chain/upstream/pool/upstream-pool.ts'
import type { ContentCounts } from './counters.ts'
import type { Metrics } from './registry.ts'

/** `time`: of the block, seconds since 1970; null if its header is not in memory. */
export type ObservedHead = {
  readonly network: string
  readonly number: bigint
  readonly time: number | null
}

/**
 * `headAge`: milliseconds since the head was last confirmed; null if it never was. `equivocations`: of the sync committee; null
 * without a light client.
 */
type ObservedUpstreams = {
  readonly network: string
  readonly status: PoolStatus
  readonly headAge: number | null
  readonly equivocations: number | null
}

export type Observed = {
  readonly version: string
  /** Milliseconds since 1970. */
  now(): number
  /** Heads of the networks that have one. */
  heads(): readonly ObservedHead[]
  statuses(): readonly ObservedUpstreams[]
  content(): ContentCounts
  /** Answers by label. */
  answers(): ReadonlyMap<string, number>
  store(): {
    readonly segmentBytes: number
    readonly databaseBytes: number
    readonly uploadBytes: number
    readonly bytesMax: number | null
    readonly sealed: number
    readonly writable: boolean
    /** Quarantined copies. */
    readonly quarantined: number
    /** `isSound`: result of the last check of the database. `repairs`: number of repairs by such checks. */
    readonly isSound: boolean
    readonly repairs: number
  }
  /** Times: milliseconds since 1970. `target` null: no backups are configured. */
  backups(): {
    readonly target: string | null
    readonly everyHours: number
    readonly running: object | null
    readonly lastSuccess: { readonly ended: number } | null
    readonly lastFailure: { readonly time: number } | null
  }
  backgroundFailures(): number
  /** Dropped lines of the access log. */
  droppedLines(): number
  /** By receiver of the events. */
  events(): ReadonlyMap<string, { readonly dropped: number; readonly failed: number }>
  pendingWrites(): number
  usage(): Promise<{ readonly unwrittenRows: number; readonly failedWrites: number }>
  sessions(): Promise<number>
  /** By status. */
  pinRequests(): Promise<ReadonlyMap<string, number>>
  /** By listener. */
  connections(): ReadonlyMap<string, number>
  /** Null: there are no other nodes. */
  nodes(): {
    readonly count: number
    readonly state: 'shared' | 'alone'
    readonly misses: number
  } | null
  /** Null: the IPFS network is turned off. */
  ipfsNetwork(): ObservedIpfsNetwork | null
}

/** `totals`: since the start of the server. */
type ObservedIpfsNetwork = {
  readonly state: 'starting' | 'up' | 'down'
  readonly wants: number
  readonly restarts: number
  readonly counts: {
    readonly peers: { readonly in: number; readonly out: number }
    readonly rssBytes: number
  } | null
  readonly totals: {
    readonly blocksReceived: number
    readonly blocksSent: number
    readonly connectionBytesIn: number
    readonly connectionBytesOut: number
    readonly lies: number
    readonly routerRequests: number
    readonly routerFailures: number
    readonly provided: number
    readonly provideFailures: number
  }
}

/** Returns a function that updates `metrics` to the current state. */
export function observe(metrics: Metrics, observed: Observed): () => Promise<void> {
  /** Counters of other modules: the value already added to the metric. */
  const added = new Map<string, number>()

  function reach(
    name: Parameters<Metrics['add']>[0],
    value: number,
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const key = `${name} ${JSON.stringify(labels)}`
    metrics.add(name, Math.max(0, value - (added.get(key) ?? 0)), labels)
    added.set(key, value)
  }

  function content(): void {
    const { remembered, held, misreads, badCopies, notKept, sources } = observed.content()
    let fetched = 0
    for (const [source, results] of sources) {
      for (const [result, count] of results) {
        if (result === 'fetched') fetched += count
        reach('cairn_content_source_replies_total', count, { source, result })
      }
    }
    reach('cairn_content_reads_total', remembered, { from: 'memory' })
    reach('cairn_content_reads_total', held, { from: 'store' })
    reach('cairn_content_reads_total', fetched, { from: 'source' })
    reach('cairn_content_misreads_total', misreads)
    reach('cairn_content_bad_copies_total', badCopies)
    reach('cairn_content_not_kept_total', notKept)
  }

  function heads(): void {
    metrics.clear('cairn_network_head_number')
    metrics.clear('cairn_network_head_age_seconds')
    for (const { network, number, time } of observed.heads()) {
      metrics.set('cairn_network_head_number', Number(number), { network })
      if (time === null) continue
      const age = Math.max(0, observed.now() / 1000 - time)
      metrics.set('cairn_network_head_age_seconds', Math.round(age), { network })
    }
  }

  function upstreams(): void {
    for (const name of upstreamGauges) metrics.clear(name)
    for (const { network, status, headAge, equivocations } of observed.statuses()) {
      if (headAge !== null) {
        metrics.set('cairn_network_head_confirmed_seconds', headAge / 1000, { network })
      }
      metrics.set('cairn_network_alarms', status.alarms.length, { network })
      if (equivocations !== null) {
        reach('cairn_network_equivocations_total', equivocations, { network })
      }
      for (const one of status.upstreams) {
        const labels = { network, upstream: one.name }
        metrics.set('cairn_upstream_up', one.state === 'ok' ? 1 : 0, labels)
        metrics.set('cairn_upstream_quarantined', one.state === 'quarantined' ? 1 : 0, labels)
        metrics.set('cairn_upstream_lies', one.lies, labels)
        metrics.set('cairn_upstream_heads_pushed', one.heads === 'pushed' ? 1 : 0, labels)
        metrics.set('cairn_upstream_success_ratio', one.successRate, labels)
        if (one.lag !== null) metrics.set('cairn_upstream_lag_blocks', one.lag, labels)
        for (const [quantile, ms] of [
          ['0.5', one.p50Ms],
          ['0.95', one.p95Ms],
        ] as const) {
          if (ms === null) continue
          metrics.set('cairn_upstream_latency_seconds', ms / 1000, { ...labels, quantile })
        }
      }
    }
  }

  function store(): void {
    const { segmentBytes, databaseBytes, uploadBytes, bytesMax, sealed, ...state } =
      observed.store()
    metrics.set('cairn_store_bytes', segmentBytes, { part: 'segments' })
    metrics.set('cairn_store_bytes', databaseBytes, { part: 'database' })
    metrics.set('cairn_store_bytes', uploadBytes, { part: 'uploads' })
    if (bytesMax !== null) metrics.set('cairn_store_limit_bytes', bytesMax)
    metrics.set('cairn_store_sealed_segments', sealed)
    metrics.set('cairn_store_writable', state.writable ? 1 : 0)
    metrics.set('cairn_store_quarantined_copies', state.quarantined)
    metrics.set('cairn_database_sound', state.isSound ? 1 : 0)
    reach('cairn_database_repairs_total', state.repairs)
  }

  function backups(): void {
    for (const name of backupGauges) metrics.clear(name)
    const { target, everyHours, running, lastSuccess, lastFailure } = observed.backups()
    if (target === null) return
    metrics.set('cairn_backup_interval_seconds', everyHours * 3600)
    metrics.set('cairn_backup_running', running === null ? 0 : 1)
    // 0 instead of absent: the alert must also fire without any backup.
    const succeeded = (lastSuccess?.ended ?? 0) / 1000
    metrics.set('cairn_backup_last_success_timestamp_seconds', succeeded)
    if (lastFailure === null) return
    metrics.set('cairn_backup_last_failure_timestamp_seconds', lastFailure.time / 1000)
  }

  function nodes(): void {
    const state = observed.nodes()
    if (state === null) return
    metrics.set('cairn_nodes', state.count)
    metrics.set('cairn_nodes_shared', state.state === 'shared' ? 1 : 0)
    reach('cairn_nodes_missed_calls_total', state.misses)
  }

  function ipfsNetwork(): void {
    const status = observed.ipfsNetwork()
    if (status === null) return
    const { state, wants, restarts, counts, totals } = status
    metrics.set('cairn_ipfs_network_up', state === 'up' ? 1 : 0)
    metrics.set('cairn_ipfs_network_wants', wants)
    metrics.set('cairn_ipfs_network_memory_bytes', counts?.rssBytes ?? 0)
    reach('cairn_ipfs_network_restarts_total', restarts)
    reach('cairn_ipfs_network_invalid_replies_total', totals.lies)
    const failed = totals.routerFailures
    reach('cairn_ipfs_network_router_requests_total', failed, { result: 'failed' })
    const answered = totals.routerRequests - failed
    reach('cairn_ipfs_network_router_requests_total', answered, { result: 'answered' })
    reach('cairn_ipfs_network_announcements_total', totals.provided, { result: 'stored' })
    reach('cairn_ipfs_network_announcements_total', totals.provideFailures, { result: 'failed' })
    for (const [direction, blocks, bytes] of [
      ['in', totals.blocksReceived, totals.connectionBytesIn],
      ['out', totals.blocksSent, totals.connectionBytesOut],
    ] as const) {
      metrics.set('cairn_ipfs_network_peers', counts?.peers[direction] ?? 0, { direction })
      reach('cairn_ipfs_network_blocks_total', blocks, { direction })
      reach('cairn_ipfs_network_bytes_total', bytes, { direction })
    }
  }

  for (const name of [...nodeGauges, ...ipfsNetworkGauges]) metrics.clear(name)
  // A gauge without labels starts with 0; without a value it must be absent.
  metrics.clear('cairn_store_limit_bytes')
  metrics.set('cairn_build', 1, { version: observed.version, node: process.version })
  return async () => {
    // All metrics after this are read in one turn of the event loop.
    const sessions = await observed.sessions()
    const { unwrittenRows, failedWrites } = await observed.usage()
    const pinRequests = await observed.pinRequests()
    heads()
    upstreams()
    content()
    store()
    backups()
    nodes()
    ipfsNetwork()
    for (const [verified, count] of observed.answers()) {
      reach('cairn_answers_total', count, { verified })
    }
    reach('cairn_background_failures_total', observed.backgroundFailures())
    reach('cairn_access_log_dropped_lines_total', observed.droppedLines())
    for (const [target, { dropped, failed }] of observed.events()) {
      reach('cairn_events_dropped_total', dropped, { target })
      reach('cairn_events_failed_sends_total', failed, { target })
    }
    metrics.set('cairn_writer_queue_writes', observed.pendingWrites())
    metrics.set('cairn_sessions', sessions)
    for (const [status, count] of pinRequests) metrics.set('cairn_pin_requests', count, { status })
    metrics.set('cairn_usage_held_rows', unwrittenRows)
    reach('cairn_usage_failed_writes_total', failedWrites)
    for (const [listener, count] of observed.connections()) {
      metrics.set('cairn_connections', count, { listener })
    }
  }
}

const backupGauges = [
  'cairn_backup_interval_seconds',
  'cairn_backup_running',
  'cairn_backup_last_success_timestamp_seconds',
  'cairn_backup_last_failure_timestamp_seconds',
] as const

const nodeGauges = ['cairn_nodes', 'cairn_nodes_shared'] as const

const ipfsNetworkGauges = [
  'cairn_ipfs_network_up',
  'cairn_ipfs_network_wants',
  'cairn_ipfs_network_memory_bytes',
] as const

const upstreamGauges = [
  'cairn_network_head_confirmed_seconds',
  'cairn_network_alarms',
  'cairn_upstream_up',
  'cairn_upstream_quarantined',
  'cairn_upstream_lies',
  'cairn_upstream_heads_pushed',
  'cairn_upstream_success_ratio',
  'cairn_upstream_lag_blocks',
  'cairn_upstream_latency_seconds',
] as const
