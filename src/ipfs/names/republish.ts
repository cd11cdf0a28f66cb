// Publishes stored IPNS records repeatedly until they expire, because the DHT drops them, and renews the signatures of records of
// held keys before they expire. A lease ensures that only one machine does it.
// Tested by src/ipfs/names/republish.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { ipnsNameOf } from '../../codec/ipld/ipns-name.ts'
import type { Rows } from '../../db/rows.ts'
import { listDueIpnsRecords } from '../../tables/ipns/ipns-records.ts'
import type { IpnsKeystore } from './ipns-keystore.ts'
import { type IpnsRouting, publishRecord } from './ipns-routing.ts'

const roundMs = 60_000
const recordsPerRound = 100
const concurrentMax = 8

export type Republish = {
  /** Runs one round; never rejects. */
  round(): Promise<void>
  /** Resolves when a running round has ended. */
  stop(): Promise<void>
}

/** `keys`: null if Cairn holds no keys. */
export function startRepublish(parts: {
  readonly rows: Rows
  readonly routing: () => IpnsRouting | null
  readonly keys: () => Pick<IpnsKeystore, 'renew'> | null
  readonly clock: Clock
  readonly log: Log
}): Republish {
  const { rows, routing, keys, clock, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> | null = null

  function round(): Promise<void> {
    running ??= run()
      .catch((error: unknown) => {
        if (!signal.aborted) log('error', 'ipns_not_republished', { error })
      })
      .finally(() => (running = null))
    return running
  }

  async function run(): Promise<void> {
    const failures = (await keys()?.renew(signal)) ?? 0
    if (failures > 0) log('warn', 'ipns_not_renewed', { records: failures })
    const routers = routing()
    if (routers !== null) await publishDue(routers)
  }

  async function publishDue(routers: IpnsRouting): Promise<void> {
    const due = [...(await rows.find(listDueIpnsRecords(clock.now(), recordsPerRound)))]
    let refused = 0
    async function publishNext(): Promise<void> {
      for (let row = due.pop(); row !== undefined && !signal.aborted; row = due.pop()) {
        const name = ipnsNameOf(row.name)
        const isPut =
          name !== null &&
          (await publishRecord({ rows, routing: routers, clock }, name, row.record, signal))
        if (!isPut) refused += 1
      }
    }
    await Promise.all(Array.from({ length: concurrentMax }, publishNext))
    if (refused > 0 && !signal.aborted) log('warn', 'ipns_not_republished', { records: refused })
  }

  const end = clock.every(roundMs, () => void round())
  return {
    round,
    async stop() {
      end()
      stopping.abort()
      await running
    },
  }
}
