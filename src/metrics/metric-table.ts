// Every metric of `/metrics` but those of the process: name, kind, labels, what it counts. docs/reference/metrics.md is made from
// this table. Names: base units, `_total` for what only grows (prometheus.io, "metric and label naming"). No label
// names a key, an account, an address or a CID.
// Tested by src/metrics/metrics.test.ts

export type MetricRow = {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

export const metricTable = {
  cairn_build: {
    kind: 'gauge',
    help: 'Always 1; the labels say which Cairn and which Node.js run.',
    labels: ['version', 'node'],
  },
  cairn_requests_total: {
    kind: 'counter',
    help: 'Calls of keys that were answered or refused; the calls of a batch one by one.',
    labels: ['face', 'network', 'method', 'outcome'],
  },
  cairn_refusals_total: {
    kind: 'counter',
    help: 'Calls of keys that were refused, by code, and by the rule where a rule of the key refused.',
    labels: ['face', 'outcome', 'reason'],
  },
  cairn_units_total: {
    kind: 'counter',
    help: 'Units charged to keys.',
    labels: ['face', 'network'],
  },
  cairn_request_bytes_total: {
    kind: 'counter',
    help: 'Body bytes of requests.',
    labels: ['face'],
  },
  cairn_response_bytes_total: {
    kind: 'counter',
    help: 'Body bytes of answers.',
    labels: ['face'],
  },
  cairn_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long calls took that ran, from their entry to their answer; the sum is right to an eighth.',
    labels: ['face', 'network', 'method'],
  },
  cairn_answers_total: {
    kind: 'counter',
    help: 'JSON-RPC requests answered, by the weakest label of what they were given (x-cairn-verified).',
    labels: ['verified'],
  },
  cairn_network_head_number: {
    kind: 'gauge',
    help: 'Number of the block that latest names; absent while nobody vouches for one.',
    labels: ['network'],
  },
  cairn_network_head_age_seconds: {
    kind: 'gauge',
    help: 'Time since the block that latest names was made, by its own word.',
    labels: ['network'],
  },
  cairn_network_head_confirmed_seconds: {
    kind: 'gauge',
    help: 'Time since upstreams last confirmed the block that latest names; absent before the first time.',
    labels: ['network'],
  },
  cairn_network_alarms: {
    kind: 'gauge',
    help: 'Checks that every upstream of the network failed, so that its settings are in doubt.',
    labels: ['network'],
  },
  cairn_upstream_up: {
    kind: 'gauge',
    help: '1 while the upstream is asked, 0 while it rests, is quarantined or of no use.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_quarantined: {
    kind: 'gauge',
    help: '1 from a lie until the upstream was checked again.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_lies: {
    kind: 'gauge',
    help: 'How often the upstream was caught in a lie since it was opened.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_latency_seconds: {
    kind: 'gauge',
    help: 'How long its calls of the last two minutes took; the label says which quantile.',
    labels: ['network', 'upstream', 'quantile'],
  },
  cairn_upstream_success_ratio: {
    kind: 'gauge',
    help: 'Share of its calls of the last 30 s that went well, of its worst class of calls.',
    labels: ['network', 'upstream'],
  },
  cairn_upstream_lag_blocks: {
    kind: 'gauge',
    help: "Blocks behind the network's head.",
    labels: ['network', 'upstream'],
  },
  cairn_upstream_heads_pushed: {
    kind: 'gauge',
    help: '1 while the upstream pushes its heads over WebSocket, 0 while it is polled for them.',
    labels: ['network', 'upstream'],
  },
  cairn_content_reads_total: {
    kind: 'counter',
    help: 'Content found and verified, by where it was: memory, store, source.',
    labels: ['from'],
  },
  cairn_content_misreads_total: {
    kind: 'counter',
    help: 'Reads of stored copies that failed or gave wrong bytes, and were made again.',
    labels: [],
  },
  cairn_content_bad_copies_total: {
    kind: 'counter',
    help: 'Stored copies that stayed wrong or unreadable when they were read again.',
    labels: [],
  },
  cairn_content_not_kept_total: {
    kind: 'counter',
    help: 'Verified content that the store did not take.',
    labels: [],
  },
  cairn_content_source_replies_total: {
    kind: 'counter',
    help: 'What sources were asked for and what came of it: fetched, lied, absent, failed.',
    labels: ['source', 'result'],
  },
  cairn_background_failures_total: {
    kind: 'counter',
    help: 'Timers and other work outside of requests that failed; the log has each as background_failed.',
    labels: [],
  },
  cairn_database_sound: {
    kind: 'gauge',
    help: 'Whether the last check of cairn.db found no damage, or repaired it.',
    labels: [],
  },
  cairn_database_repairs_total: {
    kind: 'counter',
    help: 'Checks of cairn.db that found damaged indexes and rebuilt them.',
    labels: [],
  },
  cairn_store_quarantined_copies: {
    kind: 'gauge',
    help: 'Stored copies that failed verification: they stay on the disk and are not served.',
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
    help: 'Segments that change no more.',
    labels: [],
  },
  cairn_store_writable: {
    kind: 'gauge',
    help: '0 from a sync or a writer that failed: nothing is taken any more, reads go on.',
    labels: [],
  },
  cairn_writer_queue_writes: {
    kind: 'gauge',
    help: 'Durable writes that wait for their transaction.',
    labels: [],
  },
  cairn_usage_held_rows: {
    kind: 'gauge',
    help: 'Rows of usage that are counted and not written yet; about a second of them is usual.',
    labels: [],
  },
  cairn_usage_failed_writes_total: {
    kind: 'counter',
    help: 'Writes of usage that failed; what they held goes with the next.',
    labels: [],
  },
  cairn_sessions: {
    kind: 'gauge',
    help: 'Sessions of people that are not over.',
    labels: [],
  },
  cairn_connections: {
    kind: 'gauge',
    help: 'Open connections, by listener.',
    labels: ['listener'],
  },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metricTable
