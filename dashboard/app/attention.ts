// Problems that need the attention of the signed-in person, worst first, each with the page that helps. Pure.
// Tested by dashboard/app/attention.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { countsOf, percent } from '../usage/outcome-series.ts'
import { formatAge, formatNumber, formatSince } from './format.ts'
import { keyName } from './key-name.ts'

export type Attention = {
  readonly tone: 'bad' | 'warn'
  readonly title: string
  readonly text: string
  readonly action: string
  /** Path below the dashboard. */
  readonly to: string
}

/** Parts that are not loaded, or that the person has no permission to see, are absent. */
export type AttentionParts = {
  readonly status?: AdminReply<'GET /status'> | undefined
  readonly upstreams?: AdminReply<'GET /upstreams'> | undefined
  readonly backups?: AdminReply<'GET /backups/state'> | undefined
  /** Keys used in the last 24 hours. */
  readonly keys?: AdminReply<'GET /accounts/{account}/key-usage'>['keys'] | undefined
  readonly rules?: AdminReply<'GET /accounts/{account}/alerts'>['rules'] | undefined
  /** Calls of the shown period. */
  readonly report?:
    | Pick<AdminReply<'GET /accounts/{account}/usage'>['report'], 'totals' | 'table'>
    | undefined
}

const dayMs = 86_400_000
/** Fewer calls say nothing about a share. */
const callsMin = 20
/** Share of calls that failed on the server's side: from the first on a warning, from the second on broken. */
const failedShares = [0.01, 0.05] as const
const warnShare = 0.75
/** As in `cairn doctor`: the block time of every public network is far below. */
export const headAgeMaxMs = 300_000
const expiresSoonMs = 14 * dayMs
/** Age up to which an invalid reply is reported. */
const newsMs = dayMs

export function attentionOf(parts: AttentionParts, now: number): readonly Attention[] {
  const all = [
    ...ofStatus(parts.status),
    ...ofUpstreams(parts.upstreams, now),
    ...ofBackups(parts.backups, now),
    ...ofCalls(parts.report),
    ...ofRules(parts, now),
    ...ofKeys(parts, now),
  ]
  return all.toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'))
}

function ofStatus(status: AttentionParts['status']): readonly Attention[] {
  if (status === undefined) return []
  const { networks, store } = status
  const found: Attention[] = networks
    .filter(({ head }) => head === null)
    .map(({ name }) => ({
      tone: 'bad',
      title: `${name} has no recent block`,
      text: 'No upstream has confirmed a new head. Calls for the latest block fail.',
      action: 'Check the network',
      to: '/networks',
    }))
  for (const { name, embedded, headAgeMs } of networks) {
    if (embedded || headAgeMs === null || headAgeMs <= headAgeMaxMs) continue
    found.push({
      tone: 'warn',
      title: `The newest block of ${name} is ${formatAge(headAgeMs)} old`,
      text: 'Its upstreams may be syncing, or the network makes no blocks.',
      action: 'Check the network',
      to: '/networks',
    })
  }
  if (!store.writable) {
    found.push({
      tone: 'bad',
      title: 'The store cannot write',
      text: 'Reads still work. Uploads and pins fail.',
      action: 'See files',
      to: '/files',
    })
  } else if (store.bytesMax !== null && store.bytes > 0.9 * store.bytesMax) {
    found.push({
      tone: 'warn',
      title: `The store is ${Math.round((store.bytes / store.bytesMax) * 100)}% full`,
      text: 'Cached content is dropped first; pins stay.',
      action: 'See files',
      to: '/files',
    })
  }
  return found
}

const states: Readonly<Record<string, string>> = {
  open: 'is paused after failures',
  quarantined: 'is quarantined',
  'wrong-chain': 'answers for another network',
}

function ofUpstreams(found: AttentionParts['upstreams'], now: number): readonly Attention[] {
  if (found === undefined) return []
  const { upstreams, alarms, lies } = found
  return [
    ...alarms.map(({ network, need, since }) => ({
      tone: 'bad' as const,
      title: `No upstream of ${network} sends provable ${need}`,
      text: `Since ${formatSince(since, now)}.`,
      action: 'Check the network',
      to: '/networks',
    })),
    ...upstreams.flatMap(({ network, name, state }): readonly Attention[] => {
      const recent = lies.filter(
        (lie) => lie.network === network && lie.upstream === name && now - lie.time < newsMs,
      )
      const [last] = recent
      if (last !== undefined) {
        const replies = recent.length === 1 ? '1 invalid reply' : `${recent.length} invalid replies`
        return [
          {
            tone: 'bad',
            title: `${name} on ${network} sent ${replies}`,
            text: `The last one ${formatSince(last.time, now)}. No wrong answer reached a caller.`,
            action: 'See the evidence',
            to: '/networks',
          },
        ]
      }
      const words = states[state]
      if (words === undefined) return []
      return [
        {
          tone: state === 'open' ? 'warn' : 'bad',
          title: `${name} on ${network} ${words}`,
          text: 'Cairn asks the other upstreams of the network.',
          action: 'Check the network',
          to: '/networks',
        },
      ]
    }),
  ]
}

function ofBackups(state: AttentionParts['backups'], now: number): readonly Attention[] {
  if (state === undefined || state.target === null) return []
  const { lastFailure, lastSuccess, everyHours } = state
  const guide = { action: 'See backups', to: '/settings' }
  if (lastFailure !== null) {
    const text = `${formatSince(lastFailure.time, now)}: ${lastFailure.reason}`
    return [{ tone: 'bad', title: 'The last backup failed', text, ...guide }]
  }
  const isLate = lastSuccess !== null && now - lastSuccess.ended > 2 * everyHours * 3_600_000
  if (!isLate || lastSuccess === null) return []
  const text = `The last one finished ${formatSince(lastSuccess.ended, now)}.`
  return [{ tone: 'warn', title: 'The backup is late', text, ...guide }]
}

const measureTexts = {
  errors: ['errors', '%'],
  failed: ['failures on our side', '%'],
  p95: ['latency, p95,', ' ms'],
  p99: ['latency, p99,', ' ms'],
} as const

function ofCalls(report: AttentionParts['report']): readonly Attention[] {
  if (report === undefined || report.totals.requests < callsMin) return []
  const { requests } = report.totals
  const { failed } = countsOf(report.table)
  const [warn, bad] = failedShares
  if (failed / requests < warn) return []
  return [
    {
      tone: failed / requests < bad ? 'warn' : 'bad',
      title: `${percent(failed, requests)} of the calls failed on our side`,
      text: `${formatNumber(failed)} of ${formatNumber(requests)} calls in the period below. Their callers got an error.`,
      action: 'See the errors',
      to: '/usage',
    },
  ]
}

function ofRules({ rules = [], keys }: AttentionParts, now: number): readonly Attention[] {
  return rules.flatMap(({ measure, above, minutes, key: id, since }): readonly Attention[] => {
    if (since === null) return []
    const [words, unit] = measureTexts[measure]
    const key = keys?.find((one) => one.id === id)
    const ofKey = key === undefined ? '' : ` of key “${keyName(key)}”`
    const to = `/usage?window=1h${id === null ? '' : `&key=${encodeURIComponent(id)}`}`
    return [
      {
        tone: 'bad',
        title: `${words.charAt(0).toUpperCase()}${words.slice(1)}${ofKey} above ${above}${unit}`,
        text: `In ${minutes} minutes. The alert opened ${formatSince(since, now)}.`,
        action: 'See usage',
        to,
      },
    ]
  })
}

function ofKeys({ keys }: AttentionParts, now: number): readonly Attention[] {
  return (keys ?? []).flatMap((key): readonly Attention[] => {
    if (key.revoked !== null || (key.expires !== null && key.expires <= now)) return []
    const name = keyName(key)
    const limit = key.unitsPerDay
    const to = `/keys/${key.id}`
    const found: Attention[] = []
    const share = limit === null || limit === 0 ? 0 : key.unitsToday / limit
    if (share >= warnShare) {
      found.push({
        tone: share >= 1 ? 'bad' : 'warn',
        title: `Key “${name}” has used ${Math.floor(share * 100)}% of today's units`,
        text: forecast(share, now),
        action: 'Raise the limit',
        to: `${to}?tab=limits`,
      })
    }
    if (key.expires !== null && key.expires - now < expiresSoonMs && key.requests > 0) {
      found.push({
        tone: 'warn',
        title: `Key “${name}” expires ${formatSince(key.expires, now)}`,
        text: 'Calls with it then fail. Rotate it, or change its expiry.',
        action: 'Change the expiry',
        to: `${to}?tab=access`,
      })
    }
    return found
  })
}

/** When the units of the day are used up at the current rate. */
function forecast(share: number, now: number): string {
  if (share >= 1) return 'Its calls are refused until 00:00 UTC.'
  const passed = now % dayMs
  const end = passed / share
  if (end >= dayMs) return 'At this rate they last until 00:00 UTC.'
  const time = new Date(now - passed + end).toISOString().slice(11, 16)
  return `At this rate they end at ${time} UTC.`
}
