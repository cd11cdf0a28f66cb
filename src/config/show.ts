// Every setting with its value and its place, for people. Redacts secrets and the values of references.
// Tested by src/config/load.test.ts
import type { LoadedConfig } from './config.ts'
import type { SettingDefinition } from './setting-definition.ts'
import type { Loaded } from './load.ts'
import type { NetworkConfig } from './network-config.ts'
import { embeddedSchema, memberAt, metaOf, upstreamNetworkSchema } from './network-schema.ts'
import { valueAt, type Written } from './network-source-lines.ts'

/** One row of `config print`. */
export type ShownSetting = {
  readonly path: string
  readonly value: unknown
  readonly origin: string
}

export const redacted = '(redacted)'

/** Rows for the settings table. */
export function showSettings(
  table: readonly SettingDefinition[],
  { config, origins }: Loaded<unknown>,
): readonly ShownSetting[] {
  return table.map((leaf) => {
    const from = origins.get(leaf.path)
    const value = valueAt(config, leaf.path.split('.'))
    const hide = value !== null && (leaf.secret || from?.hidden === true)
    return {
      path: leaf.path,
      value: hide ? redacted : value,
      origin: from === undefined ? 'default' : from.where,
    }
  })
}

/** Rows for the networks: `networks.mainnet.upstreams[0].url`. */
export function showNetworks({ config, written }: LoadedConfig): readonly ShownSetting[] {
  return (config.networks ?? []).flatMap((network, index) => {
    const from = written[index]
    return from === undefined ? [] : showMembers(network, from)
  })
}

function showMembers(network: NetworkConfig, written: Written): readonly ShownSetting[] {
  const schema = network.embedded ? embeddedSchema : upstreamNetworkSchema
  const { name, ...members } = network
  return rowsOf(members, [])

  function rowsOf(value: unknown, path: readonly PropertyKey[]): readonly ShownSetting[] {
    const isSection = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (isSection) {
      return Object.entries(value).flatMap(([key, inner]) =>
        rowsOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    }
    // The name as written may differ, at least in letter case.
    const deepest = path.findIndex((part) => part === 'verify' || part === 'headers') + 1
    const given = deepest === 0 ? path : path.slice(0, deepest)
    const isWritten = valueAt(written.raw, given) !== undefined
    return [
      {
        path: path.reduce<string>(
          (text, part) =>
            typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`,
          `networks.${name}`,
        ),
        value: shown(value, path),
        origin: isWritten ? written.whereOf(given) : 'default',
      },
    ]
  }

  function shown(value: unknown, path: readonly PropertyKey[]): unknown {
    if (typeof value === 'bigint') return Number(value)
    if (written.isHidden(path)) return redacted
    if (path.includes('headers') && typeof value === 'string') return redacted
    const isSecret = metaOf(memberAt(schema, path))?.secret === true
    return isSecret && typeof value === 'string' ? showUrl(value) : value
  }
}

/** Rows for the file sources: `files.sources[0].url`. */
export function showSources({ config, writtenSources }: LoadedConfig): readonly ShownSetting[] {
  return config.fileSources.flatMap(({ headers, ...members }, index) => {
    const from = writtenSources[index]
    if (from === undefined) return []
    const hidden = Object.keys(headers).map((name) => [`headers.${name}`, redacted] as const)
    return [...Object.entries(members), ...hidden].map(([name, value]) => {
      const path = name.startsWith('headers.') ? ['headers'] : [name]
      const isWritten = valueAt(from.raw, path) !== undefined
      const isUrl = name === 'url' && typeof value === 'string'
      const shown = isUrl ? (from.isHidden(path) ? redacted : showUrl(value)) : value
      return {
        path: `files.sources[${index}].${name}`,
        value: shown,
        origin: isWritten ? from.where(path) : 'default',
      }
    })
  })
}

/** Scheme, host and port; redacts parts that may contain a key or a password. */
export function showUrl(text: string): string {
  const { protocol, host, pathname, search, username, password } = new URL(text)
  const isPlain = [username, password, search].every((part) => part === '') && pathname === '/'
  return `${protocol}//${host}${isPlain ? '' : `/${redacted}`}`
}
