// What a changed settings file means for a server that runs: what is taken over at once, and what needs a restart.
import { isDeepStrictEqual } from 'node:util'
import type { SettingDefinition } from './setting-definition.ts'
import { freeze } from './load.ts'
import type { EmbeddedNetworkConfig, NetworkConfig } from './network-config.ts'
import { valueAt } from './network-source-lines.ts'
import { type Config, embeddedChain } from './settings.ts'
import { sourcesPath } from './sources.ts'

export type SettingsChanges = {
  /** The settings that are in force when the live part of the file is taken over. */
  readonly config: Config
  /** Names of what was taken over, as the settings file has them. */
  readonly live: readonly string[]
  /** Names of what is as it was, and would be otherwise after a restart. */
  readonly restart: readonly string[]
}

/** `before`: in force. `after`: as the file now says. Both are checked settings. */
export function changesBetween(
  leaves: readonly SettingDefinition[],
  before: Config,
  after: Config,
): SettingsChanges {
  const config = takeOver(leaves, before, after)
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

function takeOver(leaves: readonly SettingDefinition[], before: Config, after: Config): Config {
  const merged = structuredClone(before) as Config & Record<string, unknown>
  for (const leaf of leaves) {
    if (!leaf.live) continue
    const path = leaf.path.split('.')
    const section = valueAt(merged, path.slice(0, -1)) as Record<string, unknown>
    section[path.at(-1) ?? ''] = valueAt(after, path)
  }
  return freeze({
    ...merged,
    networks: takeNetworks(before, after),
    fileSources: after.fileSources,
  })
}

// The embedded chain stays as it is, wherever the list now has it, and last when it is no longer named.
function takeNetworks(before: Config, after: Config): Config['networks'] {
  const chain = embeddedChain(before)
  const wanted = (after.networks ?? []).flatMap((network): readonly NetworkConfig[] => {
    if (!network.embedded) return [network]
    return chain === null ? [] : [chain]
  })
  const isNamed = chain === null || wanted.includes(chain)
  const taken = isNamed ? wanted : [...wanted, chain]
  const isOnlyChain = before.networks === null && taken.every((network) => network === chain)
  return isOnlyChain || taken.length === 0 ? before.networks : taken
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
