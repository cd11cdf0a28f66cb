// Builds one usage report from database rows and rows in memory.
// Tested by src/access/usage/usage-report.test.ts
import { outcomeClassOf } from '../../base/outcome-class.ts'
import { holders, type UsageFilter } from '../../tables/usage.ts'
import { type FlushedRow, type Part, type Sums, Tallies, Tally } from './usage-row.ts'
import { startOf, type UsageWindow, type WindowName } from './usage-window.ts'

/** Scope of the usage. */
export type UsageScope =
  | { readonly keyId: string }
  | { readonly accountId: string }
  | { readonly all: true }

export function isOf(scope: UsageScope, { keyId, accountId }: FlushedRow): boolean {
  if ('keyId' in scope) return scope.keyId === keyId
  return 'accountId' in scope ? scope.accountId === accountId : true
}

export function isIn({ face, network, method }: UsageFilter, row: FlushedRow): boolean {
  return (
    (face === null || face === row.face) &&
    (network === null || network === row.network) &&
    (method === null || method === row.method)
  )
}

/** Verification levels are counted by network, not by method; the IPFS API has none. */
export function hasLevels({ face, method }: UsageFilter): boolean {
  return face !== 'files' && method === null
}

/** Holder of the rows for the scope. */
export function holderOf(scope: UsageScope): string {
  if ('keyId' in scope) return scope.keyId
  return 'accountId' in scope ? holders.account(scope.accountId) : holders.all
}

/** `holder`: keys for an account, accounts for the whole server. `outcome`: its class (base/outcome-class.ts). */
export const dimensions = ['holder', 'network', 'method', 'status', 'reason', 'outcome'] as const
export type Dimension = (typeof dimensions)[number]

type Interval = Part & {
  readonly start: number
  /** False for the current interval. */
  readonly complete: boolean
}

/** Values of one name in each interval, in the order of `series`. */
type SplitPart = {
  readonly name: string
  readonly requests: readonly number[]
  readonly units: readonly number[]
}

/** `network` is empty for the IPFS API, `method` for requests that were refused before parsing. */
export type UsageReport = {
  /** Null: any time. */
  readonly window: WindowName | null
  /** Milliseconds since 1970: start of the first interval, and end of the last, or now if it is the current one. */
  readonly from: number
  readonly until: number
  readonly span: UsageWindow['span']
  readonly totals: Part
  readonly series: readonly Interval[]
  /** IDs of the keys of the account, or of all accounts. */
  readonly holders: readonly (Part & { readonly id: string })[]
  readonly networks: readonly (Part & Pick<FlushedRow, 'face' | 'network'>)[]
  readonly methods: readonly (Part & Pick<FlushedRow, 'face' | 'method'>)[]
  readonly statuses: readonly (Sums & { readonly status: number })[]
  /** Why calls failed: the setting that refused, else the Fault code. */
  readonly reasons: readonly (Sums & { readonly outcome: string; readonly reason: string })[]
  readonly table: readonly (Sums &
    Pick<FlushedRow, 'face' | 'network' | 'method'> & {
      readonly outcome: string
      readonly status: number
    })[]
  /** Answers from chain data by verification level (x-cairn-verified), most first; empty for a single method. */
  readonly verified: readonly Verified[]
  /** The series by the requested dimension; null if none was requested. */
  readonly split: { readonly by: Dimension; readonly parts: readonly SplitPart[] } | null
}

type Row = Sums & {
  readonly face: 'rpc' | 'files'
  readonly network: string
  readonly method: string
  readonly outcome: string
  readonly reason: string
  readonly status: number
}
type Verified = { readonly network: string; readonly level: string; readonly requests: number }
type HolderRow = Sums & { readonly holder: string }
type Start = { readonly start: number }

/** Maximum number of names in a split; further names are summed as one. */
const splitMax = 8

/** Accumulates one report. */
export class Collecting {
  readonly window: UsageWindow
  readonly by: Dimension | null
  readonly #series: readonly Tally[]
  readonly #at: ReadonlyMap<number, number>
  readonly #totals = new Tally()
  readonly #holders = new Tallies<{ id: string }>()
  readonly #networks = new Tallies<Pick<Row, 'face' | 'network'>>()
  readonly #methods = new Tallies<Pick<Row, 'face' | 'method'>>()
  readonly #statuses = new Tallies<{ status: number }>()
  readonly #reasons = new Tallies<{ outcome: string; reason: string }>()
  readonly #table = new Tallies<Pick<Row, 'face' | 'network' | 'method' | 'outcome' | 'status'>>()
  readonly #verified = new Map<string, Verified>()
  readonly #split = new Map<string, { readonly requests: number[]; readonly units: number[] }>()

  readonly #hasLevels: boolean

  constructor(window: UsageWindow, by: Dimension | null, filter: UsageFilter) {
    this.window = window
    this.by = by
    this.#hasLevels = hasLevels(filter)
    this.#series = window.starts.map(() => new Tally())
    this.#at = new Map(window.starts.map((start, at) => [start, at]))
  }

  addInterval(row: Start & Sums): void {
    this.#intervalOf(row.start)?.add(row)
  }

  addIntervalLatency(start: number, counts: ArrayLike<number>, first: number): void {
    this.#intervalOf(start)?.addLatency(counts, first)
  }

  addRow(row: Row): void {
    const { face, network, method, outcome, reason, status } = row
    this.#totals.add(row)
    this.#networkOf(row).add(row)
    this.#methodOf(row).add(row)
    this.#statuses.of(String(status), { status }).add(row)
    if (outcome !== 'ok') this.#reasons.of(`${outcome}\n${reason}`, { outcome, reason }).add(row)
    const named = { face, network, method, outcome, status }
    this.#table.of(`${face}\n${network}\n${method}\n${outcome}\n${status}`, named).add(row)
  }

  addLatency(
    row: Pick<Row, 'face' | 'network' | 'method'>,
    counts: ArrayLike<number>,
    first: number,
  ): void {
    this.#totals.addLatency(counts, first)
    this.#networkOf(row).addLatency(counts, first)
    this.#methodOf(row).addLatency(counts, first)
  }

  readonly addVerified = ({ network, level, requests }: Verified): void => {
    const name = `${network}\n${level}`
    const before = this.#verified.get(name)?.requests ?? 0
    this.#verified.set(name, { network, level, requests: before + requests })
  }

  addHolder(row: HolderRow): void {
    this.#holderOf(row.holder).add(row)
  }

  addHolderLatency(holder: string, counts: ArrayLike<number>, first: number): void {
    this.#holderOf(holder).addLatency(counts, first)
  }

  addSplit(row: Start & Partial<Row> & Sums): void {
    const name = nameIn(this.by, row)
    if (name !== null) this.#addToSplit(name, row)
  }

  addHolderSplit(row: Start & HolderRow): void {
    this.#addToSplit(idOf(row.holder), row)
  }

  addUnwritten(added: FlushedRow, scope: UsageScope): void {
    const start = startOf(this.window.minutes, added.minute)
    const row = { ...added, start, failed: added.outcome === 'ok' ? 0 : added.requests }
    const below = 'keyId' in scope ? null : 'accountId' in scope ? added.keyId : added.accountId
    this.addInterval(row)
    this.addRow(row)
    if (below !== null) this.addHolder({ ...row, holder: below })
    const isAnswer = added.verified !== '' && added.requests > 0
    if (isAnswer && this.#hasLevels) this.addVerified({ ...added, level: added.verified })
    if (this.by === 'holder' && below !== null) this.addHolderSplit({ ...row, holder: below })
    else this.addSplit(row)
    if (added.latency === null) return
    this.addIntervalLatency(start, added.latency, 0)
    this.addLatency(row, added.latency, 0)
    if (below !== null) this.addHolderLatency(below, added.latency, 0)
  }

  report(now: number): UsageReport {
    const { name, span, starts, until } = this.window
    const parts = <Named extends object>(tallies: Tallies<Named>) =>
      tallies.sorted().map(({ named, tally }) => ({ ...named, ...tally.part() }))
    const sums = <Named extends object>(tallies: Tallies<Named>) =>
      tallies.sorted().map(({ named, tally }) => ({ ...named, ...tally.sums() }))
    return {
      window: name,
      from: starts[0] ?? 0,
      until: until ?? now,
      span,
      totals: this.#totals.part(),
      series: this.#series.map((tally, at) => ({
        start: starts[at] ?? 0,
        complete: until !== null || at < starts.length - 1,
        ...tally.part(),
      })),
      holders: parts(this.#holders),
      networks: parts(this.#networks),
      methods: parts(this.#methods),
      statuses: sums(this.#statuses),
      reasons: sums(this.#reasons),
      table: sums(this.#table),
      verified: [...this.#verified.values()].toSorted((a, b) => b.requests - a.requests),
      split: this.by === null ? null : { by: this.by, parts: this.#splitParts() },
    }
  }

  #intervalOf(start: number): Tally | undefined {
    return this.#series[this.#at.get(start) ?? -1]
  }

  #networkOf({ face, network }: Pick<Row, 'face' | 'network'>): Tally {
    return this.#networks.of(`${face}\n${network}`, { face, network })
  }

  #methodOf({ face, method }: Pick<Row, 'face' | 'method'>): Tally {
    return this.#methods.of(`${face}\n${method}`, { face, method })
  }

  #holderOf(holder: string): Tally {
    const id = idOf(holder)
    return this.#holders.of(id, { id })
  }

  #addToSplit(name: string, { start, requests, units }: Start & Sums): void {
    let part = this.#split.get(name)
    if (part === undefined) {
      part = { requests: this.#series.map(() => 0), units: this.#series.map(() => 0) }
      this.#split.set(name, part)
    }
    const at = this.#at.get(start)
    if (at === undefined) return
    part.requests[at] = (part.requests[at] ?? 0) + requests
    part.units[at] = (part.units[at] ?? 0) + units
  }

  #splitParts(): readonly SplitPart[] {
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
    const all = [...this.#split]
      .map(([name, part]) => ({ name, ...part }))
      .toSorted((a, b) => sum(b.requests) - sum(a.requests) || (a.name < b.name ? -1 : 1))
    if (all.length <= splitMax) return all
    const rest = all.slice(splitMax)
    const added = (of: (part: SplitPart) => readonly number[]) =>
      this.#series.map((_, at) => sum(rest.map((part) => of(part)[at] ?? 0)))
    const other = {
      name: `${rest.length} more`,
      requests: added(({ requests }) => requests),
      units: added(({ units }) => units),
    }
    return [...all.slice(0, splitMax), other]
  }
}

/** The account's ID without the marker `@`. */
function idOf(holder: string): string {
  return holder.startsWith('@') ? holder.slice(1) : holder
}

/** Name of a row in the split; null: not in the split. */
function nameIn(by: Dimension | null, row: Partial<Row>): string | null {
  switch (by) {
    case null:
    case 'holder':
      return null
    case 'network':
      return row.face === 'files' ? 'files' : (row.network ?? '')
    case 'method':
      return row.method ?? ''
    case 'status':
      return String(row.status ?? 0)
    case 'outcome':
      return outcomeClassOf(row.outcome ?? '')
    case 'reason':
      if (row.outcome === 'ok') return null
      return row.reason === '' ? (row.outcome ?? '') : (row.reason ?? '')
  }
}
