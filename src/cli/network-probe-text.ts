// The result of an upstream probe as text: one row per upstream, then the problems, each with its fix.
// Tested by test/cli/cli-networks.test.ts
import type { AdminReply } from '../admin/client.ts'
import { table, visible } from './report.ts'

type Probe = AdminReply<'POST /network-probe'>
type Probed = Probe['upstreams'][number]

const headings = ['upstream', 'chain', 'client', 'head', 'age', 'proves', 'latency', 'new heads']

export function describeProbe({ chainId, upstreams, problems }: Probe): string {
  const lines = problems.map(
    ({ level, text, fix }) => `${level}  ${visible(text)}\n         fix: ${visible(fix)}`,
  )
  const chain = `Chain ID ${chainId ?? 'unknown'}`
  return [chain, table(headings, upstreams.map(rowOf), ''), ...lines].join('\n')
}

function rowOf(one: Probed): readonly (string | number | null)[] {
  const { name, failure, chainId, client, head, proofs, latencyMs, pushesHeads } = one
  if (failure !== null) return [name, chainId, `no reply: ${failure}`]
  return [
    name,
    chainId,
    client?.split('/').slice(0, 2).join('/') ?? null,
    head?.number ?? null,
    head === null ? null : `${head.ageSeconds} s`,
    proofs,
    latencyMs === null ? null : `${latencyMs} ms`,
    pushesHeads ? 'pushed' : 'polled',
  ]
}
