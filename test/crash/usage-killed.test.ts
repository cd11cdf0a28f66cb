// Thousands of requests of every kind from eight concurrent clients, with kill -9 in between: the API and the command line report
// the same counts, exact while the server runs, and at most one second short after the kill.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Database, openDatabase } from '../../src/db/sqlite.ts'
import {
  type AdminClient,
  cookieAt,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import { runCliInProcess } from '../cli-in-process.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const clients = 8
const requests = 4_000
/** Number of reports before the kill, one second apart. */
const writesMin = 4

type Key = { readonly apiKey: string; readonly apiKeySecret: string }
/** Number of requests by expected outcome and reason. */
type Tally = Map<string, number>
type Report = {
  readonly totals: { readonly requests: number; readonly units: number }
  readonly table: readonly { readonly outcome: string; readonly requests: number }[]
  readonly reasons: readonly {
    readonly outcome: string
    readonly reason: string
    readonly requests: number
  }[]
}

let dataDir = ''
let cairn: Started
let page: AdminClient
let open: Key
let closed: Key
before(async () => {
  dataDir = await temporaryFolder()
  cairn = await startCairn({ dataDir })
  page = await takeFirstRun(cairn)
  open = { apiKey: cairn.apiKey, apiKeySecret: cairn.apiKeySecret }
  closed = (await runCliInProcess(dataDir, 'keys', 'create', '--networks', 'none')) as Key
})
after(async () => {
  await cairn.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const item = (method: string, params: readonly unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})

/** The kinds of requests, each with its expected count. */
const kinds: readonly (readonly [
  body: () => readonly [path: string, body: string, headers?: Record<string, string>],
  counted: Readonly<Record<string, number>>,
])[] = [
  [() => [`v3/${open.apiKey}`, JSON.stringify(item('eth_chainId'))], { ok: 1 }],
  [() => [`v3/${open.apiKey}`, JSON.stringify(item('eth_blockNumber'))], { ok: 1 }],
  [() => [`v3/${open.apiKey}`, JSON.stringify(item('x_nothing'))], { no_method: 1 }],
  [() => [`v3/${open.apiKey}`, JSON.stringify(item('eth_getBalance'))], { bad_params: 1 }],
  [() => [`v3/${open.apiKey}`, '{'], { bad_json: 1 }],
  [
    () => [`v3/${open.apiKey}`, JSON.stringify([item('eth_chainId'), item('x_nothing')])],
    // The extra unit of a batch has a separate row.
    { ok: 2, no_method: 1 },
  ],
  [
    () => [`v3/${closed.apiKey}`, JSON.stringify(item('eth_chainId'))],
    { 'refused_by_setting network': 1 },
  ],
  [
    () => [
      'api/v0/version',
      '',
      { authorization: `Basic ${btoa(`${open.apiKey}:${open.apiKeySecret}`)}` },
    ],
    { ok: 1 },
  ],
]

/** Sends `count` requests one after the other and reports each reply. Ends when the server is dead. */
async function send(first: number, count: number, answered: (kind: number) => void): Promise<void> {
  for (let n = first; n < first + count; n++) {
    const kind = n % kinds.length
    const [path, body, headers = {}] = (kinds[kind] as (typeof kinds)[number])[0]()
    try {
      const response = await fetch(`${cairn.url}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === '' ? {} : { body }),
      })
      await response.arrayBuffer()
    } catch {
      return
    }
    answered(kind)
  }
}

async function sendAll(count: number, answered: (kind: number) => void): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, (_, at) => send(at * 3, count / clients, answered)),
  )
}

function tally(into: Tally, kind: number): void {
  for (const [name, times] of Object.entries(kinds[kind]?.[1] ?? {})) {
    into.set(name, (into.get(name) ?? 0) + times)
  }
}

function tallyOf({ table, reasons }: Report): Tally {
  const found: Tally = new Map()
  const add = (name: string, times: number) => found.set(name, (found.get(name) ?? 0) + times)
  for (const { outcome, requests: times } of table) if (outcome === 'ok') add('ok', times)
  for (const { outcome, reason, requests: times } of reasons) {
    add(`${outcome} ${reason}`.trim(), times)
  }
  return found
}

async function fromApi(): Promise<Report> {
  const { body, message } = await page.ask('GET', '/usage?window=1h')
  assert.ok(body['report'] !== undefined, message)
  return body['report'] as Report
}

async function fromCli(): Promise<Report> {
  return (await runCliInProcess(dataDir, 'usage', '--window', '1h'))['report'] as Report
}

const sorted = (of: Tally) => [...of].toSorted(([a], [b]) => (a < b ? -1 : 1))
const writesIn = (database: Database): number =>
  database.getValue<number>('SELECT sum(seq) FROM usage_flush') ?? 0
const sum = (of: Tally) => [...of.values()].reduce((all, some) => all + some, 0)

/** Polls until the command line, which reads only written counts, reports the same as the server. */
async function agreeing(report: Report): Promise<Report> {
  for (;;) {
    const printed = await fromCli()
    if (printed.totals.requests >= report.totals.requests) return printed
  }
}

test('the admin API and the command line report the same usage, and kill -9 loses at most the last second', async () => {
  const counted: Tally = new Map()
  await sendAll(requests / 2, (kind) => tally(counted, kind))
  const first = await fromApi()
  assert.deepEqual(sorted(tallyOf(first)), sorted(counted))
  const printed = await agreeing(first)
  assert.deepEqual(sorted(tallyOf(printed)), sorted(counted))
  assert.deepEqual(printed.totals, first.totals)

  // Each reply, with the number of usage writes at its arrival.
  const answers: { readonly kind: number; readonly writes: number }[] = []
  const killing: Promise<void>[] = []
  const database = openDatabase(join(dataDir, 'cairn.db'), { readOnly: true })
  const began = writesIn(database)
  await sendAll(Number.POSITIVE_INFINITY, (kind) => {
    const writes = writesIn(database)
    answers.push({ kind, writes })
    const isTime = answers.length >= requests / 5 && writes >= began + writesMin
    if (isTime && killing.length === 0) killing.push(cairn.kill())
  })
  assert.equal(killing.length, 1)
  await killing[0]
  const written = writesIn(database)
  database.close()
  const surely: Tally = new Map(counted)
  // The write in progress at the time of a reply may have started before it; the next write includes it.
  for (const { kind, writes } of answers) if (writes + 2 <= written) tally(surely, kind)
  assert.ok(sum(surely) > sum(counted))
  const atMost: Tally = new Map(counted)
  for (const { kind } of answers) tally(atMost, kind)
  const stored = await fromCli()
  assert.ok(stored.totals.requests >= sum(surely), 'what two writes had time for is lost')
  // Counted requests without a reply: at most one per client.
  assert.ok(stored.totals.requests <= sum(atMost) + 3 * clients, 'nothing is counted twice')

  cairn = await startCairn({ dataDir })
  page = signInAgain()
  const again = await fromApi()
  assert.deepEqual(again.totals, stored.totals)
  const rest: Tally = tallyOf(again)
  await sendAll(requests / 4, (kind) => tally(rest, kind))
  const last = await fromApi()
  assert.deepEqual(sorted(tallyOf(last)), sorted(rest))
  assert.deepEqual((await agreeing(last)).totals, last.totals)
})

/** The session remains valid: only the server's URL has changed. */
function signInAgain(): AdminClient {
  const client = openAdminClient(cairn.url)
  client.cookie = cookieAt(page.cookie, cairn.url)
  return client
}
