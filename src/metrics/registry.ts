// The metrics of this process: the only importer of prom-client. Text format 0.0.4.
// Tested by src/metrics/metrics.test.ts
import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from 'prom-client'
import { createLatencyHistogram, type LatencyHistogram } from './latency-histogram.ts'
import { type MetricName, type MetricRow, metricTable } from './metric-table.ts'

type Labels = Readonly<Record<string, string>>

export type Metrics = {
  /** For a counter. */
  add(name: MetricName, value: number, labels?: Labels): void
  /** For a gauge. */
  set(name: MetricName, value: number, labels?: Labels): void
  /** Removes the values of a gauge until it is set again, because their subjects may no longer exist. */
  clear(name: MetricName): void
  readonly durations: LatencyHistogram
  /** Starts the process metrics at the first call. */
  text(): Promise<string>
  readonly contentType: string
}

// Gauges that end in `_total`, against the naming rules, and duplicate other metrics.
const misnamed: readonly string[] = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]
/** A finer resolution of the event loop delay would cost too much processor time. */
const loopPrecisionMs = 20

export function createMetrics(): Metrics {
  const registry = new Registry()
  const durations = createLatencyHistogram('cairn_request_duration_seconds')
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  let watchesProcess = false

  for (const [name, row] of Object.entries<MetricRow>(metricTable)) {
    const { kind, help, labels } = row
    const shape = { name, help, labelNames: [...labels], registers: [registry] }
    if (kind === 'counter') counters.set(name, new Counter(shape))
    else if (kind === 'gauge') gauges.set(name, new Gauge(shape))
    else registry.registerMetric(asMetric(name, help, durations))
  }

  function counterOf(name: string): Counter {
    const counter = counters.get(name)
    if (counter === undefined) throw new TypeError(`${name} is no counter`)
    return counter
  }

  function gaugeOf(name: string): Gauge {
    const gauge = gauges.get(name)
    if (gauge === undefined) throw new TypeError(`${name} is no gauge`)
    return gauge
  }

  return {
    add: (name, value, labels = {}) => counterOf(name).inc(labels, value),
    set: (name, value, labels = {}) => gaugeOf(name).set(labels, value),
    clear(name) {
      gaugeOf(name).reset()
      // Without labels it would report 0.
      if (metricTable[name].labels.length === 0) gaugeOf(name).remove({})
    },
    durations,
    async text() {
      if (!watchesProcess) {
        watchesProcess = true
        collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopPrecisionMs })
        for (const name of misnamed) registry.removeSingleMetric(name)
      }
      return await registry.metrics()
    },
    contentType: registry.contentType,
  }
}

/** The library's histogram takes one value at a time; this one is filled with counts. */
function asMetric(name: string, help: string, { values }: LatencyHistogram): Metric {
  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() }),
    reset: () => {},
  }
  return metric as unknown as Metric
}
