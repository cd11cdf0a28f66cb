// The networks in force: those of the settings, and the saved ones. Applies changes one after the other. Changes of saved networks
// apply within two seconds, also those made by a command next to the running server.
// Tested by test/admin/admin-networks.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { isDeepStrictEqual } from 'node:util'
import { listedNetworks, withSavedNetworks } from '../config/saved-network.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import { revisionOf } from '../tables/revisions.ts'
import type { OpenNetworks } from './open-networks.ts'
import { readable, type SavedNetwork, type SavedNetworks } from './saved-networks.ts'

export type NetworksInForce = {
  /** The settings with the saved networks. */
  readonly now: () => Config
  /** Opens the networks of changed settings. Throws as `OpenNetworks.replace`, and then changes nothing. */
  take(settings: Config): Promise<void>
  /** Reads the saved networks and serves them. Throws in the same way. */
  refresh(): Promise<void>
  /** Resolves when no change is running. */
  stop(): Promise<void>
}

const checkPeriodMs = 1000
const networksRevision = revisionOf('networks')

/** Returns the settings with the saved networks; logs networks that cannot be served. */
export async function readNetworksInForce(
  settings: Config,
  saved: SavedNetworks,
  log: Log,
): Promise<Config> {
  const all = await saved.list()
  logHidden(settings, all, log)
  return withSavedNetworks(settings, readable(all))
}

function logHidden(settings: Config, all: readonly SavedNetwork[], log: Log): void {
  const own = new Set(listedNetworks(settings).map(({ name }) => name))
  for (const { name, found } of all) {
    if ('problem' in found) {
      log('error', 'saved_network_unreadable', { network: name, why: found.problem })
    } else if (own.has(name)) {
      log('warn', 'saved_network_not_served', { network: name, why: 'the settings name one too' })
    }
  }
}

/** `first`: the settings and networks that `opened` serves. */
export function createNetworksInForce(parts: {
  readonly first: { readonly settings: Config; readonly merged: Config }
  readonly opened: Pick<OpenNetworks, 'replace'>
  readonly saved: SavedNetworks
  readonly rows: Pick<Rows, 'first'>
  readonly clock: Clock
  readonly log: Log
}): NetworksInForce {
  const { opened, saved, rows, clock, log } = parts
  let { settings, merged } = parts.first
  // A command can change them during startup, so the first check reads them again.
  let revision = -1
  /** Promise of the last change. Never rejects. */
  let last: Promise<void> = Promise.resolve()
  let queued = 0

  async function revisionNow(): Promise<number> {
    return (await rows.first(networksRevision))?.number ?? 0
  }

  /** Runs changes one after the other, so that none is lost. */
  function enqueue(next: () => Config): Promise<void> {
    queued += 1
    const done = last.then(() => serve(next())).finally(() => (queued -= 1))
    last = done.catch(() => {})
    return done
  }

  async function serve(next: Config): Promise<void> {
    // Read before the rows, so that the next check finds a change in between.
    const current = await revisionNow()
    const fresh = await readNetworksInForce(next, saved, log)
    revision = current
    const isNew = !isDeepStrictEqual(listedNetworks(fresh), listedNetworks(merged))
    if (isNew || next !== settings) await opened.replace(fresh)
    if (isNew && next === settings) {
      log('info', 'networks_taken', { networks: listedNetworks(fresh).map(({ name }) => name) })
    }
    settings = next
    merged = fresh
  }

  async function checkRevision(): Promise<void> {
    if (queued > 0) return
    try {
      if ((await revisionNow()) !== revision && queued === 0) await enqueue(() => settings)
    } catch (error) {
      log('error', 'networks_refused', { error: error instanceof Error ? error.message : error })
    }
  }

  let checking = false
  const stopChecking = clock.every(checkPeriodMs, () => {
    if (checking) return
    checking = true
    void checkRevision().finally(() => (checking = false))
  })

  return {
    now: () => merged,
    take: (next) => enqueue(() => next),
    refresh: () => enqueue(() => settings),
    async stop() {
      stopChecking()
      await last
    },
  }
}
