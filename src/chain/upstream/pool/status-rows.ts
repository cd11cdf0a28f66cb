// Writes the status of upstreams to the database while the server runs, so that another process can show it. Rows contain the time
// of writing. An orderly stop removes them; rows of a server that no longer runs are outdated.
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Writer } from '../../../db/writer.ts'
import {
  listUpstreamStatus,
  replaceUpstreamStatus,
  type UpstreamStatusRow,
} from '../../../tables/upstream-status.ts'
import type { PoolStatus, VerificationAlarm } from './upstream-pool.ts'
import type { UpstreamStatus } from '../node/upstream.ts'

/** JSON numbers are not exact beyond 2^53: heads and depths are decimal text. */
type Spelled<Value> = Value extends bigint
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Spelled<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Spelled<Value[Name]> }
      : Value

export type StatusRow = {
  readonly network: string
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  readonly status: Spelled<UpstreamStatus>
  /** Alarms of the whole network. */
  readonly alarms: readonly VerificationAlarm[]
}

export type StatusRows = {
  /** Removes the rows. Never throws. */
  stop(): Promise<void>
}

export const statusRowsLimits = {
  /** Time between checks for a change of state. */
  lookMs: 5_000,
  /** Time between writes of heads and latencies, which change continuously. */
  writeMs: 60_000,
} as const

/** `statuses`: of each served network. */
export function writeStatusRows(parts: {
  readonly statuses: () => readonly { readonly network: string; readonly status: PoolStatus }[]
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
}): StatusRows {
  const { statuses, writer, clock, log } = parts
  let written = { states: '', at: -Infinity }
  let writing: Promise<void> | null = null

  function look(): void {
    const now = statuses()
    const states = statesOf(now)
    const isDue = clock.monotonic() - written.at >= statusRowsLimits.writeMs && now.length > 0
    if (writing !== null || (states === written.states && !isDue)) return
    written = { states, at: clock.monotonic() }
    const rows = now.flatMap(({ network, status: { upstreams, alarms } }) =>
      upstreams.map((status) => ({
        network,
        upstream: status.name,
        time: clock.now(),
        status: JSON.stringify({ status, alarms }, spell),
      })),
    )
    writing = replace(rows).finally(() => {
      writing = null
    })
  }

  async function replace(rows: readonly UpstreamStatusRow[]): Promise<void> {
    try {
      await writer.write(replaceUpstreamStatus(rows))
    } catch (error) {
      log('warn', 'upstream_status_not_written', { error })
    }
  }

  const stopLooking = clock.every(statusRowsLimits.lookMs, look)
  look()
  return {
    async stop() {
      stopLooking()
      await writing
      if (written.states !== '') await replace([])
    },
  }
}

/** In no order. */
export async function listStatusRows(rows: Pick<Rows, 'find'>): Promise<readonly StatusRow[]> {
  const found = await rows.find(listUpstreamStatus())
  return found.map(({ network, time, status }) => ({
    network,
    time,
    ...(JSON.parse(status) as Pick<StatusRow, 'status' | 'alarms'>),
  }))
}

/** The members that are written immediately: availability, missing methods and data, invalid replies. */
function statesOf(
  all: readonly { readonly network: string; readonly status: PoolStatus }[],
): string {
  if (all.length === 0) return ''
  return JSON.stringify(
    all.map(({ network, status: { upstreams, alarms } }) => [
      network,
      alarms,
      upstreams.map(({ name, state, heads, lies, lacks, reach }) => [
        name,
        state,
        heads,
        lies,
        lacks,
        reach,
      ]),
    ]),
    spell,
  )
}

function spell(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
