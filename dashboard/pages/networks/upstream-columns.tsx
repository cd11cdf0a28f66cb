// Columns for the upstreams of a network: health with the remaining time of a quarantine, calls and failures in 24 hours, share,
// latency, proofs, invalid replies.
// Tested by test/browser/networks.test.ts
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatCount, formatMs, formatNumber } from '../../app/format.ts'
import { State } from '../../ui/badge.tsx'
import { Menu } from '../../ui/menu.tsx'
import { CallBars, Used } from '../../ui/share.tsx'
import type { Column } from '../../ui/table.tsx'
import { healthText } from './health-text.ts'

type Network = AdminReply<'GET /networks'>['networks'][number]
type UpstreamHealth = AdminReply<'GET /upstreams'>['upstreams'][number]

export type UpstreamRow = Network['upstreams'][number] & {
  /** Null: no server reports it. */
  readonly health: UpstreamHealth | null
  /** Share of its network's calls in the last 24 hours, 0 to 1; null: no calls. */
  readonly share: number | null
  /** Number of stored invalid replies. */
  readonly invalidReplies: number
}

/** `edit`, `remove` null: the action is not offered. `pause` pauses an upstream, or resumes its calls. */
export function upstreamColumns(parts: {
  readonly network: string
  readonly edit: ((upstream: string) => void) | null
  readonly remove: ((upstream: string) => void) | null
  readonly pause: (upstream: string, paused: boolean) => void
  /** Number of upstreams that are not paused. */
  readonly active: number
  onEvidence(upstream: string): void
}): readonly Column<UpstreamRow>[] {
  const { network, edit, remove, pause, active, onEvidence } = parts
  return [
    {
      title: 'Upstream',
      cell: ({ name, url }) => (
        <span class="two">
          <span>{name}</span>
          <small>{url}</small>
        </span>
      ),
    },
    { title: 'Health', keep: true, cell: (row) => <Health row={row} /> },
    {
      title: 'Last 24 h',
      hides: 'wide',
      cell: ({ health, name }) =>
        health === null ? (
          '–'
        ) : (
          <CallBars
            title={callsTitle(name, health)}
            calls={pairs(health.history.calls)}
            failed={pairs(health.history.failed)}
          />
        ),
    },
    {
      title: 'Share of calls',
      unit: 'of calls',
      cell: ({ share, health }) =>
        share === null || health === null ? (
          <span class="soft">none</span>
        ) : (
          <Used part={share} isLimit={false}>
            {formatCount(sum(health.history.calls), 'call')}
          </Used>
        ),
    },
    {
      title: 'Failed',
      number: true,
      cell: ({ health }) => {
        const count = health === null ? 0 : sum(health.history.failed)
        return <span class={count === 0 ? 'soft' : 'bad'}>{formatNumber(count)}</span>
      },
    },
    {
      title: 'p95',
      number: true,
      cell: ({ health }) =>
        health === null || health.p95Ms === null ? '–' : formatMs(health.p95Ms),
    },
    {
      title: 'Proves state',
      hides: 'extra',
      cell: ({ health }) => <span class="soft">{health?.proofs ?? '–'}</span>,
    },
    {
      title: 'Head',
      number: true,
      hides: 'extra',
      cell: ({ health }) =>
        health?.head == null ? (
          '–'
        ) : (
          <span
            title={health.heads === 'pushed' ? 'New blocks are pushed' : 'New blocks are polled'}
          >
            {formatNumber(Number(health.head))}
          </span>
        ),
    },
    {
      title: 'Invalid replies',
      number: true,
      cell: ({ invalidReplies, name }) =>
        invalidReplies === 0 ? (
          <span class="soft">0</span>
        ) : (
          <button
            class="link bad"
            type="button"
            aria-label={`Evidence of ${formatCount(invalidReplies, 'invalid reply').replace('replys', 'replies')} of ${name}`}
            onClick={() => onEvidence(name)}
          >
            {formatNumber(invalidReplies)}
          </button>
        ),
    },
    ...(edit === null
      ? []
      : [
          {
            title: 'Actions',
            actions: true,
            cell: ({ name, paused }: UpstreamRow) => (
              <Menu
                title={`Actions for ${name} of ${network}`}
                small
                items={[
                  { title: 'Edit…', icon: 'settings' as const, onChoose: () => edit(name) },
                  ...(paused
                    ? [{ title: 'Resume', onChoose: () => pause(name, false) }]
                    : active > 1
                      ? [{ title: 'Pause', onChoose: () => pause(name, true) }]
                      : []),
                  ...(remove === null || (!paused && active === 1)
                    ? []
                    : [
                        {
                          title: 'Remove…',
                          icon: 'trash' as const,
                          danger: true,
                          onChoose: () => remove(name),
                        },
                      ]),
                ]}
              />
            ),
          },
        ]),
  ]
}

function Health({ row: { health, trusted, paused } }: { readonly row: UpstreamRow }) {
  const [tone, text] = paused ? (['plain', 'Paused'] as const) : healthText(health, trusted)
  return <State tone={tone}>{text}</State>
}

function callsTitle(name: string, { history: { calls, failed } }: UpstreamHealth): string {
  return `${name} in the last 24 hours: ${formatCount(sum(calls), 'call')}, ${formatNumber(sum(failed))} failed`
}

/** Sums two intervals each: 24 bars. */
function pairs(counts: readonly number[]): readonly number[] {
  return counts.flatMap((count, at) => (at % 2 === 0 ? [count + (counts[at + 1] ?? 0)] : []))
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
