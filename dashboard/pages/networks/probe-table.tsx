// The result of an upstream probe: chain, head, depth of proofs, latency, missing methods, and problems with their fixes.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatMs, formatNumber } from '../../app/format.ts'
import { State, type Tone } from '../../ui/badge.tsx'
import { Note } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'

export type Probe = AdminReply<'POST /network-probe'>
type Probed = Probe['upstreams'][number]
type Check = {
  readonly name: string
  readonly tone: Tone
  readonly result: string
  readonly meaning: string
}

export function ProbeTable({ probe }: { readonly probe: Probe }) {
  return (
    <div class="stack" aria-live="polite">
      {probe.upstreams.map((upstream) => (
        <div class="probe" key={upstream.name}>
          <Table
            caption={`Checks of ${upstream.name}`}
            dense
            rows={checksOf(upstream, probe.chainId)}
            keyOf={({ name }) => name}
            columns={[
              { title: upstream.name, cell: ({ name }) => <span class="change">{name}</span> },
              {
                title: 'Result',
                cell: ({ tone, result }) => <State tone={tone}>{result}</State>,
              },
              {
                title: 'What it means',
                cell: ({ meaning }) => <span class="soft">{meaning}</span>,
              },
            ]}
          />
        </div>
      ))}
      {probe.problems.map(({ code, level, text, fix }) => (
        <Note key={`${code} ${text}`} tone={level === 'problem' ? 'bad' : 'warn'}>
          <p>
            <b>{text}</b> {fix}
          </p>
        </Note>
      ))}
    </div>
  )
}

function checksOf(upstream: Probed, chainId: string | null): readonly Check[] {
  const { failure, url, head, client, proofs, latencyMs, pushesHeads, lacks } = upstream
  if (failure !== null) {
    return [
      { name: 'Connection', tone: 'bad', result: "Can't reach it", meaning: `${url}: ${failure}` },
    ]
  }
  const isChain = chainId === null || upstream.chainId === chainId
  return [
    {
      name: 'Network',
      tone: isChain ? 'good' : 'bad',
      result: upstream.chainId === null ? 'Unknown' : `Chain ${upstream.chainId}`,
      meaning: isChain
        ? (client ?? 'It does not name its client')
        : `The network is chain ${chainId}`,
    },
    {
      name: 'Newest block',
      tone: head === null ? 'bad' : 'good',
      result: head === null ? 'None' : formatNumber(Number(head.number)),
      meaning: head === null ? 'It reports no block' : ageOf(head.ageSeconds),
    },
    {
      name: 'State proofs',
      tone: proofs === 'no block' ? 'warn' : 'good',
      result: sentence(proofs),
      meaning: 'Balances, nonces and storage are proved this far back',
    },
    {
      name: 'Speed',
      tone: 'good',
      result: latencyMs === null ? 'Unknown' : formatMs(latencyMs),
      meaning: 'Median of some calls',
    },
    {
      name: 'New blocks',
      tone: 'good',
      result: pushesHeads ? 'Pushed' : 'Polled',
      meaning: pushesHeads ? 'Over WebSocket' : 'Asked for at an interval',
    },
    ...(lacks.length === 0
      ? []
      : [
          {
            name: 'Missing methods',
            tone: 'warn' as const,
            result: String(lacks.length),
            meaning: lacks.join(', '),
          },
        ]),
  ]
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s old`
  const hours = seconds / 3_600
  if (hours < 1) return `${Math.round(seconds / 60)} min old`
  return hours < 48
    ? `${Math.round(hours)} h old`
    : `${formatNumber(Math.round(hours / 24))} days old`
}
