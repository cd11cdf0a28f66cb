// Networks that operators saved, encrypted in the table `saved_network`: a copy of the database alone reveals no URL and no header
// of an upstream. An unreadable row stays in the list, with the reason, and does not affect the others.
// Tested by src/server/saved-networks.test.ts
import { conditionalWrite } from '../access/people/conditional-write.ts'
import { createSecretEncryption } from '../access/people/secret-encryption.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { ConfigError } from '../config/config-error.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'
import {
  type RawNetwork,
  type SavedNetworkConfig,
  readSavedNetwork,
} from '../config/saved-network.ts'
import type { Rows } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import {
  clearDefaultNetwork,
  deleteSavedNetwork,
  insertSavedNetwork,
  listSavedNetworks,
  type SavedNetworkRow,
  updateSavedNetwork,
} from '../tables/saved-networks.ts'

export type SavedNetwork = {
  readonly name: string
  readonly isDefault: boolean
  /** Milliseconds since 1970 UTC, as `changed`. */
  readonly created: number
  readonly changed: number
  readonly found:
    | { readonly raw: RawNetwork; readonly config: UpstreamNetworkConfig }
    /** Why it cannot be read, without secrets. */
    | { readonly problem: string }
}

export interface SavedNetworks {
  /** Oldest first. */
  list(): Promise<readonly SavedNetwork[]>
  /** Validates. Throws ConfigError, `conflict`. */
  add(raw: RawNetwork, isDefault: boolean): Promise<void>
  /** Replaces `before`. Throws ConfigError; `conflict` if it has changed or was removed since. */
  change(before: SavedNetwork, raw: RawNetwork, isDefault: boolean): Promise<void>
  /** Throws `absent`. */
  remove(name: string): Promise<void>
}

export const savedNetworksMax = 64

/** `sealSecret`: bytes of this server, from which the key is derived. */
export function createSavedNetworks(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly sealSecret: () => Uint8Array
}): SavedNetworks {
  const { rows, clock } = parts
  const seal = createSecretEncryption(parts.sealSecret, 'cairn seal of a network')

  function toNetwork(row: SavedNetworkRow): SavedNetwork {
    const { name, created, changed } = row
    return { name, isDefault: row.is_default === 1, created, changed, found: open(row) }
  }

  function open({ name, sealed }: SavedNetworkRow): SavedNetwork['found'] {
    const bytes = seal.open(sealed, name)
    if (bytes === null) {
      return {
        problem:
          'encrypted with the identity.pem of another folder: restore that file, or add the network again',
      }
    }
    try {
      const raw = { ...(JSON.parse(Buffer.from(bytes).toString('utf8')) as object), name }
      return { raw, config: readSavedNetwork(raw) }
    } catch (error) {
      return { problem: error instanceof ConfigError ? error.message : 'its row is damaged' }
    }
  }

  function close({ name, ...members }: RawNetwork): Uint8Array {
    return seal.close(Buffer.from(JSON.stringify(members)), name)
  }

  /** Writes with at most one default network. `why`: the error if the condition of `one` fails. */
  async function write(
    one: Statement,
    { name, isDefault }: { readonly name: string; readonly isDefault: boolean },
    why: () => Error,
  ): Promise<void> {
    const statements = isDefault ? [clearDefaultNetwork(name), one] : [one]
    await conditionalWrite(rows, statements, why)
  }

  return {
    list: async () => (await rows.find(listSavedNetworks())).map(toNetwork),
    async add(raw, isDefault) {
      readSavedNetwork(raw)
      const { name } = raw
      const now = clock.now()
      const row = { name, is_default: isDefault ? 1 : 0, created: now, changed: now }
      await write(insertSavedNetwork({ ...row, sealed: close(raw) }), { name, isDefault }, () =>
        nameTaken(name, 'is saved already: change or remove it'),
      )
    },
    async change({ name, changed: before }, raw, isDefault) {
      readSavedNetwork(raw)
      // Two changes within a millisecond must have different times.
      const changed = Math.max(clock.now(), before + 1)
      const row = { name, is_default: isDefault ? 1 : 0, changed, sealed: close(raw) }
      await write(updateSavedNetwork(row, before), { name, isDefault }, () =>
        nameTaken(name, 'has been changed or removed in the meantime: look at it again'),
      )
    },
    async remove(name) {
      await conditionalWrite(rows, [deleteSavedNetwork(name)], () => noSavedNetwork(name))
    },
  }
}

export function nameTaken(name: string, why: string): Fault {
  return new Fault('conflict', { detail: `network ${name} ${why}`, data: { field: 'name' } })
}

export function noSavedNetwork(name: string): Fault {
  return new Fault('absent', { detail: `no saved network is named ${name}` })
}

/** The saved networks that can be served. */
export function readable(saved: readonly SavedNetwork[]): readonly SavedNetworkConfig[] {
  return saved.flatMap(({ isDefault, found }) =>
    'config' in found ? [{ network: found.config, isDefault }] : [],
  )
}
