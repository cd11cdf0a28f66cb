// IPNS records outside this server, from delegated routers and the DHT, through commands of the network process.
// Tested by src/ipfs/names/ipns-routing.test.ts
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { Fault } from '../../base/fault.ts'
import { createRateLimitedSemaphore } from '../../base/rate-limited-semaphore.ts'
import type { IpnsName } from '../../codec/ipld/ipns-name.ts'
import type { Rows } from '../../db/rows.ts'
import { postponeIpnsRecord } from '../../tables/ipns/ipns-records.ts'

export interface IpnsRouting {
  /** Unverified records from routers and the DHT; empty: no record was found. Throws if none of them answered. */
  getIpnsRecords(name: IpnsName, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Throws if no router and no DHT node accepted the record. */
  putIpnsRecord(name: IpnsName, record: Uint8Array, signal: AbortSignal): Promise<void>
}

/** `arg`: `/ipns/<name>`. `record`: in base64. */
type RoutingCommand =
  | { readonly name: 'routing/get'; readonly arg: string }
  | { readonly name: 'routing/put'; readonly arg: string; readonly record: string }

/** Yields the values of Kubo's reply. */
type RunCommand = (command: RoutingCommand, signal: AbortSignal) => AsyncIterable<unknown>

/** Interval between two publications of a record: the DHT drops it after 48 h. */
const republishMs = 4 * 3_600_000
/** After a publication that failed. */
const retryMs = 10 * 60_000
const commandMsMax = 60_000
const recordsMax = 64
/** Names have at most half of the commands that run at a time; further ones wait. */
export const lookupsMax = 32
export const waitingMax = 1_000
/** Type of a `routing/get` event that carries a record in `Extra`, in base64. */
const valueType = 5

/** Also throws `overloaded` if too many commands wait. */
export function createIpnsRouting(runCommand: RunCommand, clock: Clock): IpnsRouting {
  const semaphore = createRateLimitedSemaphore(
    { concurrency: lookupsMax, perSecond: null, queuedMax: waitingMax },
    clock,
  )

  async function* run(command: RoutingCommand, signal: AbortSignal): AsyncGenerator<unknown> {
    const place = semaphore.acquire('content', signal)
    if (place === null) throw new Fault('overloaded')
    await place
    try {
      signal.throwIfAborted()
      yield* runCommand(command, signal)
    } finally {
      semaphore.release('content')
    }
  }

  return {
    async getIpnsRecords({ text }, outer) {
      using deadline = withDeadline(outer, commandMsMax, clock)
      const records: Uint8Array[] = []
      try {
        for await (const event of run(
          { name: 'routing/get', arg: `/ipns/${text}` },
          deadline.signal,
        )) {
          const record = recordIn(event)
          if (record !== null) records.push(record)
          if (records.length === recordsMax) break
        }
      } catch (thrown) {
        const isAbsent = thrown instanceof Fault && thrown.message === 'routing: not found'
        if (!isAbsent) throw thrown
      }
      return records
    },

    async putIpnsRecord({ text }, bytes, outer) {
      using deadline = withDeadline(outer, commandMsMax, clock)
      const record = Buffer.from(bytes).toString('base64')
      const events = run({ name: 'routing/put', arg: `/ipns/${text}`, record }, deadline.signal)
      await Array.fromAsync(events, () => null)
    },
  }
}

/** Publishes a stored record and schedules its next publication. False: no router and no DHT node accepted it. */
export async function publishRecord(
  {
    rows,
    routing,
    clock,
  }: { readonly rows: Rows; readonly routing: IpnsRouting; readonly clock: Clock },
  name: IpnsName,
  record: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  const isPut = await routing.putIpnsRecord(name, record, signal).then(
    () => true,
    () => false,
  )
  const due = clock.now() + (isPut ? republishMs : retryMs)
  await rows.write([postponeIpnsRecord(name.multihash, record, due)])
  return isPut
}

function recordIn(event: unknown): Uint8Array | null {
  if (typeof event !== 'object' || event === null) return null
  const { Type: type, Extra: extra } = event as {
    readonly Type?: unknown
    readonly Extra?: unknown
  }
  return type === valueType && typeof extra === 'string' ? Buffer.from(extra, 'base64') : null
}
