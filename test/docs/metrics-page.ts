// Generates docs/reference/metrics.md from the table of metrics and the alert rules.
// Tested by test/docs.test.ts
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { type MetricRow, metricTable } from '../../src/metrics/metric-table.ts'
import { markdownTable, page } from './markdown.ts'

export type AlertRule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly action: string }
}

export function alertRules(): readonly AlertRule[] {
  const text = readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')
  const { groups } = parse(text) as { groups: { rules: AlertRule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

export function metricsPage(): string {
  const rows = Object.entries<MetricRow>(metricTable).map(([name, { kind, labels, help }]) => [
    `\`${name}\``,
    kind,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  const alerts = alertRules().map(({ alert, labels, annotations }) => [
    `\`${alert}\``,
    labels.severity,
    annotations.summary.replaceAll(/\{\{ (.*?) \}\}/g, (_all, text: string) =>
      text.replace(/^\$(?:labels\.)?/, '').replace(/ \|.*$/, ''),
    ),
    annotations.action,
  ])
  return page(
    'Metrics',
    `\`GET /metrics\` returns the text format of Prometheus (0.0.4), on the listener of the admin API. \`metrics.enabled: false\` turns it off.
[Monitor Cairn](../guides/monitor.md) is the guide.

A request needs \`Authorization: Bearer\` with the token of \`metrics.token\`, or with an operator's token. With \`metrics.local: true\`,
Cairn also accepts requests without a token that come from loopback, have a loopback Host, and carry no proxy header
(\`X-Forwarded-For\`, \`X-Real-IP\`, \`Forwarded\`, \`Via\`). Do not use it if a proxy runs on the machine: some proxies, such as nginx with a
bare \`proxy_pass\`, send a loopback Host and none of these headers, so their clients could read the metrics.`,
    '## Metrics of Cairn',
    `No label contains a key, an account, an address or a CID; the usage API has figures per key. \`method\` is a method or command name, \`other\`
for unknown names, or \`none\` if the call was refused before its name was read. \`network\` works the same way. \`outcome\` is \`ok\` or
a code of [Errors](errors.md). Usage counters advance once per second.`,
    markdownTable(['Name', 'Kind', 'Labels', 'Meaning'], rows),
    `prom-client adds metrics of the process: \`process_\` (CPU, memory, file descriptors, start time) and \`nodejs_\` (event loop, heap, garbage
collection, version). It measures them from the first scrape.`,
    '## Alerts',
    markdownTable(['Alert', 'Severity', 'Summary', 'Action'], alerts),
  )
}
