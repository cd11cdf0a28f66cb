// Saved networks, with the members and rules of `networks:` in the settings file, and their order among the networks of the
// settings.
// Tested by src/config/saved-network.test.ts
import { refuse } from './config-error.ts'
import { type ConfigIssue, wrongAt } from './config-issue.ts'
import { freeze } from './load.ts'
import type { NetworkConfig, UpstreamNetworkConfig } from './network-config.ts'
import { readNetworks } from './networks.ts'
import { hasReference } from './reference.ts'
import { type Config, embeddedChain } from './settings.ts'

/** The members of a network as in the settings file, without references. */
export type RawNetwork = { readonly name: string } & Readonly<Record<string, unknown>>

export type SavedNetworkConfig = {
  readonly network: UpstreamNetworkConfig
  /** Served at paths without a network name, if the settings list no networks. */
  readonly isDefault: boolean
}

const place = 'the network'
const depthMax = 8

/** Throws ConfigError with all issues; their texts name members, such as `upstreams[0].url`, and contain no secret. */
export function readSavedNetwork(raw: RawNetwork): UpstreamNetworkConfig {
  // A reference could reveal a variable or a file of the server.
  refuse(referencesIn(raw, [], 0))
  const value = { path: 'networks', value: [raw], line: 1, lines: new Map<string, number>() }
  const { networks, mistakes } = readNetworks(place, [value], {})
  refuse(mistakes.map((mistake) => ({ ...mistake, text: shortText(mistake.text) })))
  const [network] = networks ?? []
  if (network === undefined || network.embedded) {
    refuse([wrongAt(place, 'expected a network with upstreams')])
    throw new TypeError('refuse must throw')
  }
  return network
}

function shortText(text: string): string {
  return text
    .replace(`${place}:1: `, '')
    .replaceAll(`${place}:1`, 'another upstream')
    .replaceAll(/\bnetworks\[0\]\.?/g, '')
}

function referencesIn(
  value: unknown,
  path: readonly string[],
  depth: number,
): readonly ConfigIssue[] {
  if (typeof value === 'string' && hasReference(value)) {
    const message = 'contains a reference (${env:…} or ${file:…}), expected its value'
    return [wrongAt(path.join('.'), message, 'send the value')]
  }
  if (typeof value !== 'object' || value === null || depth > depthMax) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    referencesIn(inner, [...path, name], depth + 1),
  )
}

/**
 * The settings with all networks to serve. A network of the settings takes precedence over a saved one with the same name. Saved
 * ones come last, but a saved default comes first if the settings list no networks.
 */
export function withSavedNetworks(config: Config, saved: readonly SavedNetworkConfig[]): Config {
  const listed = listedNetworks(config)
  const taken = new Set(listed.map(({ name }) => name))
  const free = saved.filter(({ network }) => !taken.has(network.name))
  if (free.length === 0) return config
  const isFirst = ({ isDefault }: SavedNetworkConfig) => isDefault && config.networks === null
  const networks = [
    ...free.filter(isFirst).map(({ network }) => network),
    ...listed,
    ...free.filter((one) => !isFirst(one)).map(({ network }) => network),
  ]
  return freeze({ ...config, networks })
}

/** The networks of these settings, default first. */
export function listedNetworks(
  config: Pick<Config, 'chain' | 'networks'>,
): readonly NetworkConfig[] {
  const chain = embeddedChain(config)
  return config.networks ?? (chain === null ? [] : [chain])
}
