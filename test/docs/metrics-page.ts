// docs/reference/metrics.md, from the table of metrics and the alert rules.
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
    `\`GET /metrics\` is the text format of Prometheus (0.0.4). A request needs \`Authorization: Bearer\`
with the token of the setting \`metrics.token\`, or with an operator's own token. \`metrics.local: true\` answers programs on the
same machine without a token: requests from loopback whose Host is loopback's, and that carry no header of a proxy
(\`X-Forwarded-For\`, \`X-Real-IP\`, \`Forwarded\`, \`Via\`). Leave it off where a proxy runs on that machine: some proxies, such as
nginx with a bare \`proxy_pass\`, add none of these headers and send a loopback Host, so all their clients would read the metrics.
It is on the listener of the admin side, and \`metrics.enabled\` switches it off.

\`\`\`yaml
scrape_configs:
  - job_name: cairn
    authorization: {credentials_file: /etc/prometheus/cairn-token}
    static_configs: [{targets: ['cairn.example.com:8545']}]
rule_files: [alerts.yml]
\`\`\`

\`deploy/prometheus/alerts.yml\` has the rules below, with their tests beside it; \`deploy/grafana/cairn.json\` is a board to import.`,
    '## Metrics of Cairn',
    `No label names a key, an account, an address or a CID: figures of a key are in the usage API. \`method\` is the name of an
operation or a file command, \`other\` for any other name, \`none\` where the call was refused before it was read; \`network\`
likewise. \`outcome\` is \`ok\` or a code of [errors.md](errors.md). What is used is added each second, once it is written.`,
    markdownTable(['Name', 'Kind', 'Labels', 'Meaning'], rows),
    `Metrics of the process are those of prom-client: \`process_\` (CPU, memory, file descriptors, start) and \`nodejs_\` (event loop,
heap, collections of garbage, version). They are watched from the first scrape on.`,
    '## Alerts',
    markdownTable(['Alert', 'Severity', 'Says', 'What to do'], alerts),
  )
}
