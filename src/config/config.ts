// The settings of this process: the table, the places that it is read from, and how it is shown.
// Tested by src/config/load.test.ts
import { ConfigError } from './config-error.ts'
import { listLeaves } from './leaf.ts'
import type { Leaf } from './leaf.ts'
import { loadSettings } from './load.ts'
import type { Loaded, Places } from './load.ts'
import { checkTogether, settingsSchema } from './settings.ts'
import type { Config } from './settings.ts'

export const leaves: readonly Leaf[] = listLeaves(settingsSchema)

/** The environment of the process: the only read of it. */
export function processEnvironment(): Places['env'] {
  return process.env
}

/**
 * Reads, checks and freezes the settings. `file`: the `--config` flag; null falls back to CAIRN_CONFIG, then
 * to no file. Throws ConfigError.
 */
export async function loadConfig(places: Places): Promise<Loaded<Config>> {
  const file = places.file ?? (places.env['CAIRN_CONFIG'] || null)
  const loaded = await loadSettings(settingsSchema, leaves, { ...places, file })
  const broken = checkTogether(loaded.config)[0]
  if (broken !== undefined) throw new ConfigError(broken)
  return loaded
}

/** One row of `config print`. */
export type ShownSetting = {
  readonly path: string
  readonly value: unknown
  readonly origin: string
}

export const redacted = '(redacted)'

/** Every setting with its value and where it comes from; secrets and what references brought are redacted. */
export function showSettings(
  table: readonly Leaf[],
  { config, origins }: Loaded<unknown>,
): readonly ShownSetting[] {
  return table.map((leaf) => {
    const from = origins.get(leaf.path)
    const value = valueAt(config, leaf.path)
    const hide = value !== null && (leaf.secret || from?.hidden === true)
    return {
      path: leaf.path,
      value: hide ? redacted : value,
      origin: from === undefined ? 'default' : from.where,
    }
  })
}

function valueAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((section, name) => (section as Record<string, unknown>)[name], config)
}
