// Compares a changed settings file with the settings in force: changes to apply now, and changes that need a restart.
import { isDeepStrictEqual } from 'node:util'
import type { SettingDefinition } from './setting-definition.ts'
import { freeze } from './load.ts'
import type { EmbeddedNetworkConfig, NetworkConfig } from './network-config.ts'
import { valueAt } from './network-source-lines.ts'
import { type Config, embeddedChain } from './settings.ts'
import { sourcesPath } from './sources.ts'

export type SettingsChanges = {
  /** The settings in force after the live part of the file is applied. */
  readonly config: Config
  /** Names of the applied settings, as in the settings file. */
  readonly live: readonly string[]
  /** Names of the settings that change only at a restart. */
  readonly restart: readonly string[]
}

/** `before`: the settings in force. `after`: read from the file. Both are validated. */
export function changesBetween(
  leaves: readonly SettingDefinition[],
  before: Config,
  after: Config,
): SettingsChanges {
  const config = mergeLive(leaves, before, after)
  return {
    config,
    live: [
      ...changedLeaves(leaves, before, config),
      ...changedNetworks(before, config),
      ...(isDeepStrictEqual(before.fileSources, config.fileSources) ? [] : [sourcesPath]),
    ],
    restart: [...changedLeaves(leaves, config, after), ...changedChain(config, after)],
  }
}

function mergeLive(leaves: readonly SettingDefinition[], before: Config, after: Config): Config {
  const merged = structuredClone(before) as Config & Record<string, unknown>
  for (const leaf of leaves) {
    if (!leaf.live) continue
    const path = leaf.path.split('.')
    const section = valueAt(merged, path.slice(0, -1)) as Record<string, unknown>
    section[path.at(-1) ?? ''] = valueAt(after, path)
  }
  return freeze({
    ...merged,
    networks: mergeNetworks(before, after),
    fileSources: after.fileSources,
  })
}

// The embedded chain stays unchanged at its new position in the list, or last if the list no longer has it.
function mergeNetworks(before: Config, after: Config): Config['networks'] {
  const chain = embeddedChain(before)
  const listed = (after.networks ?? []).flatMap((network): readonly NetworkConfig[] => {
    if (!network.embedded) return [network]
    return chain === null ? [] : [chain]
  })
  const isNamed = chain === null || listed.includes(chain)
  const combined = isNamed ? listed : [...listed, chain]
  const isOnlyChain = before.networks === null && combined.every((network) => network === chain)
  return isOnlyChain || combined.length === 0 ? before.networks : combined
}

function changedLeaves(
  leaves: readonly SettingDefinition[],
  from: Config,
  to: Config,
): readonly string[] {
  return leaves
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('chain.'))
    .filter((path) => {
      const names = path.split('.')
      return !isDeepStrictEqual(valueAt(from, names), valueAt(to, names))
    })
}

function changedNetworks(from: Config, to: Config): readonly string[] {
  const behind = ({ networks }: Config) =>
    new Map((networks ?? []).flatMap((one) => (one.embedded ? [] : [[one.name, one] as const])))
  const [old, fresh] = [behind(from), behind(to)]
  const changed = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (name) => !isDeepStrictEqual(old.get(name), fresh.get(name)),
  )
  const [first, now] = [from, to].map(({ networks, chain }) => networks?.[0]?.name ?? chain.name)
  return [
    ...changed.map((name) => `networks.${name}`),
    ...(first === now ? [] : [`networks (the default is now ${now})`]),
  ]
}

function changedChain(from: Config, to: Config): readonly string[] {
  const [old, fresh] = [embeddedChain(from), embeddedChain(to)]
  if (old === null || fresh === null) {
    return old === fresh ? [] : [`the embedded chain ${(old ?? fresh)?.name}`]
  }
  return (Object.keys(old) as (keyof EmbeddedNetworkConfig)[])
    .filter((member) => old[member] !== fresh[member])
    .map((member) => (to.networks === null ? `chain.${member}` : `${fresh.name}.${member}`))
}
