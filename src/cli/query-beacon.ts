// Queries the beacon nodes of networks with heads by consensus, without a server: the newest finality update and the checkpoint.
// Loads no code if no network uses them.
// Tested by src/cli/doctor/beacon-checks.test.ts
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { type Clock, systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { fromHex } from '../base/hex.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'
import type { Config } from '../config/settings.ts'
import { findOne } from '../db/sqlite-rows.ts'
import { openDatabase } from '../db/sqlite.ts'
import { beaconSpecOf } from '../server/beacon-spec-of.ts'
import { findLightClient } from '../tables/upstream/light-clients.ts'

type HeadsConfig = Pick<UpstreamNetworkConfig, 'name' | 'chainId' | 'heads'>

export type QueriedBeacon = {
  readonly network: string
  /** Milliseconds since the slot of the checkpoint; null: no endpoint has it, or none is configured. */
  readonly checkpointAgeMs: number | null
  readonly hasCheckpoint: boolean
  /** When the light client of this data folder stored its state, in milliseconds since 1970 UTC; null: never. */
  readonly saved: number | null
  readonly endpoints: readonly {
    /** Host and port. */
    readonly name: string
    /** Why the node sent no light client data; null: it did. */
    readonly failure: string | null
    /** Age of the slot of the newest header; negative: the local clock is behind. */
    readonly ageMs: number | null
  }[]
}

const askMs = 15_000

/** In the order of the settings. Errors of endpoints are part of the result, not thrown. */
export async function queryBeacon(
  { networks, dataDir }: Pick<Config, 'networks' | 'dataDir'>,
  clock: Pick<Clock, 'now'>,
): Promise<readonly QueriedBeacon[]> {
  const followed = (networks ?? []).filter(
    (network) => !network.embedded && network.heads.trust !== 'votes',
  )
  return await Promise.all(
    followed.map(async (network) => await ask(network as UpstreamNetworkConfig, dataDir, clock)),
  )
}

async function ask(
  network: HeadsConfig,
  dataDir: string,
  clock: Pick<Clock, 'now'>,
): Promise<QueriedBeacon> {
  const { createBeaconClient } = await import('../beacon/beacon-client.ts')
  const { parseBootstrap, parseUpdate } = await import('../beacon/light-data.ts')
  const { timeOfSlot } = await import('../beacon/spec.ts')
  const { rootOfHeader } = await import('../beacon/ssz.ts')
  const spec = beaconSpecOf(network)
  const { checkpoint, beacon } = network.heads
  const clients = beacon.map((url) => createBeaconClient(url, systemClock))
  using deadline = withDeadline(null, askMs, systemClock)
  const { signal } = deadline
  try {
    const endpoints = clients.map(async (client) => {
      try {
        if (spec === null) throw new Error('an unknown beacon chain')
        const update = parseUpdate(spec, await client.finalityUpdate(signal))
        const ageMs = clock.now() - timeOfSlot(spec, update.attested.beacon.slot)
        return { name: client.name, failure: null, ageMs }
      } catch (thrown) {
        const failure = thrown instanceof Error ? thrown.message : String(thrown)
        return { name: client.name, failure, ageMs: null }
      }
    })
    let checkpointAgeMs: number | null = null
    for (const client of clients) {
      if (checkpoint === null || spec === null) break
      try {
        const root = fromHex(checkpoint)
        const { beacon: header } = parseBootstrap(spec, await client.bootstrap(root, signal)).header
        if (Buffer.compare(rootOfHeader(header), root) !== 0) continue
        checkpointAgeMs = clock.now() - timeOfSlot(spec, header.slot)
        break
      } catch {
        // The next endpoint may have it.
      }
    }
    return {
      network: network.name,
      checkpointAgeMs,
      hasCheckpoint: checkpoint !== null,
      saved: findSaved(dataDir, network.name),
      endpoints: await Promise.all(endpoints),
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}

/** Null also for a data folder of an older version of Cairn. */
function findSaved(dataDir: string, network: string): number | null {
  const path = join(dataDir, 'cairn.db')
  if (!existsSync(path)) return null
  try {
    const db = openDatabase(path, { readOnly: true })
    try {
      return findOne(db, findLightClient(network))?.saved ?? null
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}
