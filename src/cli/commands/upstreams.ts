// `cairn upstreams`: the state of each upstream of the settings and of saved networks, with its invalid replies. Without a running
// server, live data is shown as unknown.
// Tested by test/upstream/upstreams-command.test.ts
import type { Command } from 'commander'
import type { Config } from '../../config/settings.ts'
import { showUrl } from '../../config/show.ts'
import type { InvalidReply } from '../../chain/upstream/pool/invalid-reply-log.ts'
import { listStatusRows, type StatusRow } from '../../chain/upstream/pool/status-rows.ts'
import {
  countInvalidReplies,
  type InvalidReplyCount,
  listInvalidReplies,
} from '../../tables/invalid-replies.ts'
import { queryUpstreams, describeReach } from '../../server/network-checks/query-upstreams.ts'
import type { Context, SharedOptions } from '../context.ts'
import { isRunning } from '../doctor/data-checks.ts'
import { thisMachine } from '../doctor/machine.ts'
import { factsOf, type UpstreamFacts } from '../../server/network-checks/upstream-checks.ts'
import { openData, showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'
import { findStoredNetworks } from '../stored-networks.ts'
import { UsageError } from '../usage-error.ts'

type Options = SharedOptions & {
  readonly lies: number
  readonly evidence?: true
  readonly ask?: true
}

export function defineUpstreams(command: Command, context: Context): void {
  addSharedOptions(command)
    .option('--lies <number>', 'number of invalid replies to show', parseCount, 10)
    .option('--evidence', 'include request and reply of each invalid reply, with --json')
    .option('--ask', 'query each upstream now for its client, head and history')
    .addHelpText(
      'after',
      `
Examples:
  cairn upstreams
  cairn upstreams --ask
  cairn upstreams --lies 1000 --evidence --json

State, latency and lag come from the running server and are at most a minute old. An invalid reply contradicts a hash of
the request; the list shows the request, the expected hash and the computed hash.`,
    )
    .action((options: Options) => run(context, options))
}

/** One upstream. `live`: null without a running server. `asked`: null without --ask. */
type Shown = {
  readonly network: string
  readonly upstream: string
  readonly url: string
  readonly trusted: boolean
  readonly paused: boolean
  readonly live: (StatusRow['status'] & { readonly asOf: string | null }) | null
  readonly asked: UpstreamFacts | null
  /** From the log of invalid replies, which holds the newest 1000 of all upstreams. */
  readonly lies: number
}

async function run(context: Context, options: Options): Promise<void> {
  const { config } = await findStoredNetworks((await settingsOf(context, options)).config)
  const asked = options.ask === true ? (await queryUpstreams(config)).map(factsOf) : []
  await using data = await openData(context, options, { make: true })
  const running = isRunning(thisMachine(), config.dataDir)
  const rows = running ? await listStatusRows(data.localRows) : []
  const counts = await data.localRows.find(countInvalidReplies(0))
  const liesInAll = counts.reduce((sum, one) => sum + one.lies, 0)
  const upstreams = shownOf(config, { rows, asked, counts })
  const alarms = rows.flatMap(({ network, alarms: raised }, at) =>
    rows.findIndex((row) => row.network === network) === at
      ? raised.map(({ need, since }) => ({ network, need, since: showTime(since) }))
      : [],
  )
  const newest = await data.localRows.find(listInvalidReplies(options.lies))
  const lies = newest.map((lie) => showLie(lie, options.evidence === true))
  const text = [
    table(
      headings,
      upstreams.map(rowOf),
      'There are no upstreams: cairn networks add saves a network.',
    ),
    ...alarms.map(
      ({ network, need, since }) =>
        `Since ${since}, no upstream of ${network} supplied a valid ${need}: check its policy.`,
    ),
    liesText(lies, liesInAll),
    running || upstreams.length === 0
      ? ''
      : 'The server is not running: state, latency and lag are unknown.',
  ]
  const found = { running, upstreams, alarms, lies, liesInAll }
  print(context, options.json, found, text.filter((part) => part !== '').join('\n\n'))
}

function shownOf(
  { networks }: Pick<Config, 'networks'>,
  found: {
    readonly rows: readonly StatusRow[]
    readonly asked: readonly UpstreamFacts[]
    readonly counts: readonly InvalidReplyCount[]
  },
): readonly Shown[] {
  return (networks ?? []).flatMap((network) => {
    if (network.embedded) return []
    return network.upstreams.map(({ name, url, trusted, paused }): Shown => {
      const isThis = (one: { readonly network: string; readonly upstream: string }) =>
        one.network === network.name && one.upstream === name
      const row = found.rows.find((one) => one.network === network.name && one.status.name === name)
      return {
        network: network.name,
        upstream: name,
        url: showUrl(url),
        trusted,
        paused,
        live: row === undefined ? null : { ...row.status, asOf: showTime(row.time) },
        asked: found.asked.find(isThis) ?? null,
        lies: found.counts.find(isThis)?.lies ?? 0,
      }
    })
  })
}

const headings = [
  'network',
  'upstream',
  'url',
  'state',
  'p95',
  'head',
  'heads',
  'lag',
  'proves',
  'lies',
]

/** Clearer text for some state names. */
const states: Readonly<Record<string, string>> = {
  open: 'paused after failures',
  'wrong-chain': 'another chain',
}

function rowOf({ network, upstream, url, trusted, paused, live, asked, lies }: Shown) {
  const answers = asked === null ? null : asked.reachable ? 'answers' : 'no reply'
  const standing = paused ? 'paused' : standingOf(live)
  const state =
    standing === null
      ? (answers ?? 'unknown')
      : [standing, ...(answers === null ? [] : [answers])].join(', ')
  const proof = live === null ? (asked?.proofs ?? null) : spellReach(live.reach.proof)
  return [
    network,
    upstream,
    url,
    trusted ? `${state}, trusted` : state,
    live === null || live.p95Ms === null ? null : `${Math.round(live.p95Ms)} ms`,
    live?.head ?? asked?.head?.number ?? null,
    live?.heads ?? null,
    live?.lag ?? null,
    proof,
    lies,
  ]
}

function standingOf(live: Shown['live']): string | null {
  if (live === null) return null
  // It may be unreachable: its breaker opens only after many calls.
  if (live.state === 'ok' && live.head === null) return 'no head'
  return states[live.state] ?? live.state
}

function spellReach(reach: StatusRow['status']['reach']['proof']): string {
  if (typeof reach === 'string') return describeReach(reach)
  return describeReach('age' in reach ? { age: BigInt(reach.age) } : { from: BigInt(reach.from) })
}

type ShownLie = Omit<InvalidReply, 'time' | 'params' | 'response'> & {
  readonly time: string | null
  readonly params?: string
  readonly response?: string
}

function showLie(
  { time, params, response, ...rest }: InvalidReply,
  withEvidence: boolean,
): ShownLie {
  return { time: showTime(time), ...rest, ...(withEvidence ? { params, response } : {}) }
}

function liesText(lies: readonly ShownLie[], inAll: number): string {
  if (inAll === 0) return 'No invalid replies detected.'
  const rows = lies.map(({ time, network, upstream, method, block, expected, computed }) => [
    time,
    network,
    upstream,
    method,
    block,
    expected,
    computed,
  ])
  const names = ['time', 'network', 'upstream', 'method', 'block', 'expected', 'came out']
  const count = `${inAll} invalid ${inAll === 1 ? 'reply' : 'replies'}, the newest ${lies.length}:`
  const more = 'Requests and replies: cairn upstreams --evidence --json'
  return `${count}\n${table(names, rows, '')}\n${more}`
}

function parseCount(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1000) return Number(text)
  throw new UsageError(`--lies is "${text}", expected a number up to 1000`)
}
