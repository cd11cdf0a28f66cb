// Every metric of `/metrics` except those of the process: name, kind, labels and help text. docs/reference/metrics.md is generated
// from this table. Names: base units, `_total` for counters (prometheus.io, "metric and label naming"). No label contains a key, an
// account, an address or a CID.
// Tested by src/metrics/metrics.test.ts

export type MetricRow = {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

export const metricTable = {
  cairn_build: {
    kind: 'gauge',
    help: 'Always 1; the labels contain the versions of Cairn and Node.js.',
    labels: ['version', 'node'],
  },
  cairn_requests_total: {
    kind: 'counter',
    help: 'Calls with an API key, including refused ones; each call of a batch counts.',
    labels: ['face', 'network', 'method', 'outcome'],
  },
  cairn_refusals_total: {
    kind: 'counter',
    help: 'Refused calls with an API key, by error code, and by the setting of the key that refused them.',
    labels: ['face', 'outcome', 'reason'],
  },
  cairn_units_total: {
    kind: 'counter',
    help: 'Units charged to API keys.',
    labels: ['face', 'network'],
  },
  cairn_request_bytes_total: {
    kind: 'counter',
    help: 'Bytes of request bodies.',
    labels: ['face'],
  },
  cairn_response_bytes_total: {
    kind: 'counter',
    help: 'Bytes of response bodies.',
    labels: ['face'],
  },
  cairn_request_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of calls that ran, from arrival to reply; the sum is accurate to 12.5 %.',
    labels: ['face', 'network', 'method'],
  },
  cairn_answers_total: {
    kind: 'counter',
    help: 'JSON-RPC requests, by the label of their reply (x-cairn-verified).',
    labels: ['verified'],
  },
  cairn_network_head_number: {
    kind: 'gauge',
    help: 'Block number of latest; absent while no head is confirmed.',
    labels: ['network'],
  },
  cairn_network_head_age_seconds: {
    kind: 'gauge',
    help: 'Time since the timestamp of the block at latest.',
    labels: ['network'],
  },
  cairn_network_head_confirmed_seconds: {
    kind: 'gauge',
    help: 'Time since upstreams last confirmed the block at latest; absent before the first confirmation.',
    labels: ['network'],
  },
  cairn_network_alarms: {
    kind: 'gauge',
    help: 'Checks that every upstream of the network fails; the settings of the network may be wrong.',
    labels: ['network'],
  },
  cairn_network_equivocations_total: {
    kind: 'counter',
    help: 'Headers that two thirds of the sync committee signed against another header of the slot or the finalized one; absent with heads by votes.',
    labels: ['network'],
  },
  cairn_upstream_up: {
    kind: 'gauge',
    help: '1 while Cairn uses the upstream, 0 while it gets no calls after failures, is quarantined or unusable; with workers, in any process. None for a paused upstream.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_quarantined: {
    kind: 'gauge',
    help: '1 from an invalid reply until the upstream passed its checks again.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_lies: {
    kind: 'gauge',
    help: 'Invalid replies of the upstream since it was opened; with workers, to all processes.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_latency_seconds: {
    kind: 'gauge',
    help: 'Latency of calls to the upstream in the last 2 minutes, by quantile; with workers, of the slowest process.',
    labels: ['network', 'upstream', 'quantile'],
  },
  cairn_upstream_success_ratio: {
    kind: 'gauge',
    help: 'Share of successful calls to the upstream in the last 30 s, for the worst class of calls; with workers, of the worst process.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_lag_blocks: {
    kind: 'gauge',
    help: 'Blocks between the head of the upstream and the head of the network.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_heads_pushed: {
    kind: 'gauge',
    help: '1 while the upstream pushes heads over WebSocket, 0 while Cairn polls it.',
    labels: ['network', 'upstream'],
  },
  cairn_content_reads_total: {
    kind: 'counter',
    help: 'Verified reads of content, by origin: memory, store or source.',
    labels: ['from'],
  },
  cairn_content_misreads_total: {
    kind: 'counter',
    help: 'Reads of stored copies that failed or returned wrong bytes, and were repeated.',
    labels: [],
  },
  cairn_content_bad_copies_total: {
    kind: 'counter',
    help: 'Stored copies that were wrong or unreadable in the repeated read too.',
    labels: [],
  },
  cairn_content_not_kept_total: {
    kind: 'counter',
    help: 'Verified content that the store refused.',
    labels: [],
  },
  cairn_content_source_replies_total: {
    kind: 'counter',
    help: 'Requests to sources, by result: fetched, lied (invalid reply), absent or failed.',
    labels: ['source', 'result'],
  },
  cairn_background_failures_total: {
    kind: 'counter',
    help: 'Failures of timers and other work outside requests; the log contains each one as background_failed.',
    labels: [],
  },
  cairn_access_log_dropped_lines_total: {
    kind: 'counter',
    help: 'Lines of the access log that were dropped, because the disk was full or the reader too slow.',
    labels: [],
  },
  cairn_events_dropped_total: {
    kind: 'counter',
    help: 'Events that a receiver did not get: it refused their content, or too many refused sign-ins waited.',
    labels: ['target'],
  },
  cairn_events_failed_sends_total: {
    kind: 'counter',
    help: 'Attempts to send an event to a receiver that failed; Cairn repeats them.',
    labels: ['target'],
  },
  cairn_database_sound: {
    kind: 'gauge',
    help: '1 if the last check of cairn.db found no damage or repaired it, else 0.',
    labels: [],
  },
  cairn_database_repairs_total: {
    kind: 'counter',
    help: 'Checks of cairn.db that found and rebuilt damaged indexes.',
    labels: [],
  },
  cairn_backup_interval_seconds: {
    kind: 'gauge',
    help: 'Time between scheduled backups (backup.everyHours); absent without backup.to, like the other metrics of backups.',
    labels: [],
  },
  cairn_backup_running: {
    kind: 'gauge',
    help: '1 while the server makes a backup, else 0.',
    labels: [],
  },
  cairn_backup_last_success_timestamp_seconds: {
    kind: 'gauge',
    help: 'Unix time of the end of the last complete backup; 0: none is known.',
    labels: [],
  },
  cairn_backup_last_failure_timestamp_seconds: {
    kind: 'gauge',
    help: 'Unix time of the last failed backup; absent if none failed since the last complete one or the start.',
    labels: [],
  },
  cairn_ipfs_network_up: {
    kind: 'gauge',
    help: '1 while the process of the IPFS network works, else 0; absent with ipfsNetwork.mode: off, like the other metrics of the network.',
    labels: [],
  },
  cairn_ipfs_network_peers: {
    kind: 'gauge',
    help: 'Connections with peers, by the side that opened them (in: the peer).',
    labels: ['direction'],
  },
  cairn_ipfs_network_wants: {
    kind: 'gauge',
    help: 'Blocks that reads wait for.',
    labels: [],
  },
  cairn_ipfs_network_memory_bytes: {
    kind: 'gauge',
    help: 'Resident memory of the process.',
    labels: [],
  },
  cairn_ipfs_network_restarts_total: {
    kind: 'counter',
    help: 'Restarts of the process after it ended by itself or hung.',
    labels: [],
  },
  cairn_ipfs_network_blocks_total: {
    kind: 'counter',
    help: 'Blocks from peers (in) and to peers (out).',
    labels: ['direction'],
  },
  cairn_ipfs_network_bytes_total: {
    kind: 'counter',
    help: 'Bytes of all connections with peers.',
    labels: ['direction'],
  },
  cairn_ipfs_network_invalid_replies_total: {
    kind: 'counter',
    help: 'Replies of peers that were not the requested block; their peers are excluded for ten minutes.',
    labels: [],
  },
  cairn_ipfs_network_router_requests_total: {
    kind: 'counter',
    help: 'Requests to routers, and those of them that failed.',
    labels: ['result'],
  },
  cairn_ipfs_network_announcements_total: {
    kind: 'counter',
    help: 'Announcements of CIDs, by result: stored by a peer, or failed.',
    labels: ['result'],
  },
  cairn_store_quarantined_copies: {
    kind: 'gauge',
    help: 'Stored copies that failed verification; they remain on disk and are not served.',
    labels: [],
  },
  cairn_store_bytes: {
    kind: 'gauge',
    help: 'Size of the segments, the database and unfinished uploads on disk.',
    labels: ['part'],
  },
  cairn_store_limit_bytes: {
    kind: 'gauge',
    help: 'The setting store.bytesMax; absent without one.',
    labels: [],
  },
  cairn_store_sealed_segments: {
    kind: 'gauge',
    help: 'Sealed segments.',
    labels: [],
  },
  cairn_store_writable: {
    kind: 'gauge',
    help: '1; 0 after a failed sync or writer: writes are refused, reads continue.',
    labels: [],
  },
  cairn_writer_queue_writes: {
    kind: 'gauge',
    help: 'Writes in the queue for the next transaction.',
    labels: [],
  },
  cairn_usage_held_rows: {
    kind: 'gauge',
    help: 'Usage rows that are not written yet; normally the rows of one second.',
    labels: [],
  },
  cairn_usage_failed_writes_total: {
    kind: 'counter',
    help: 'Failed writes of usage; the next write includes their rows.',
    labels: [],
  },
  cairn_sessions: {
    kind: 'gauge',
    help: 'Active dashboard sessions.',
    labels: [],
  },
  cairn_pin_requests: {
    kind: 'gauge',
    help: 'Requests to pin content that are queued, pinning or failed; failed ones are listed for 8 days.',
    labels: ['status'],
  },
  cairn_nodes: {
    kind: 'gauge',
    help: 'Live nodes that share limits, this one included; absent without shared.url, like the other metrics of sharing.',
    labels: [],
  },
  cairn_nodes_shared: {
    kind: 'gauge',
    help: '1 while limits are shared between nodes, 0 while shared.url cannot be reached and this node decides alone.',
    labels: [],
  },
  cairn_nodes_missed_calls_total: {
    kind: 'counter',
    help: 'Calls to shared.url without a reply in time.',
    labels: [],
  },
  cairn_connections: {
    kind: 'gauge',
    help: 'Open connections, by listener.',
    labels: ['listener'],
  },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metricTable
