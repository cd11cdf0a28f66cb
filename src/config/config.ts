// The settings of this process: the table, the networks, the sources of values, and how they are shown.
// Tested by src/config/load.test.ts
import { refuse } from './config-error.ts'
import { listSettings } from './setting-definition.ts'
import type { SettingDefinition } from './setting-definition.ts'
import { validateSettings } from './load.ts'
import type { Loaded, Places } from './load.ts'
import { inOrder, wrongAt } from './config-issue.ts'
import { readNetworks } from './networks.ts'
import type { Written } from './network-source-lines.ts'
import { checkTogether, settingsSchema } from './settings.ts'
import type { Config } from './settings.ts'
import { readSources, sourcesPath, type WrittenSource } from './sources.ts'
import { readYamlFile } from './yaml-file.ts'

export const settingDefinitions: readonly SettingDefinition[] = listSettings(settingsSchema)

/** The settings, and where the networks and the file sources are written. */
export type LoadedConfig = Loaded<Config> & {
  readonly written: readonly Written[]
  readonly writtenSources: readonly WrittenSource[]
}

/** The environment of the process: the only place that reads it. */
export function processEnvironment(): Places['env'] {
  return process.env
}

/** For a library that reads an option only from the environment. */
export function setEnvironmentVariable(name: string, value: string): void {
  process.env[name] = value
}

/** Path of the settings file: the `--config` flag, else CAIRN_CONFIG, else null. */
export function settingsFile(places: Pick<Places, 'file' | 'env'>): string | null {
  return places.file ?? (places.env['CAIRN_CONFIG'] || null)
}

/** Reads, validates and freezes the settings. Throws ConfigError with all issues. */
export async function loadConfig(places: Places): Promise<LoadedConfig> {
  const file = settingsFile(places)
  const values = file === null ? [] : await readYamlFile(file)
  const isList = (path: string) =>
    ['networks', sourcesPath].some((list) => path === list || path.startsWith(`${list}.`))
  const table = values.filter(({ path }) => !isList(path))
  const settings = validateSettings(settingsSchema, settingDefinitions, { ...places, file }, table)
  const listed = readNetworks(file ?? '', values, places.env, places.networks)
  const { sources, ...asked } = readSources(file ?? '', values, places.env)
  const [network] = listed.written
  const chain = [...settings.origins].filter(([path]) => path.startsWith('chain.'))
  const networks = withForkedChain(settings.config, listed.networks)
  // With a fork, the embedded chain is served in addition to the networks.
  const isBeside = networks !== listed.networks
  const both =
    network === undefined || isBeside ? [] : chain.map((source) => refuseBoth(source, network))
  const together = settings.config === null ? [] : checkTogether({ ...settings.config, networks })
  const broken = together.map(({ path, problem, fix }) =>
    wrongAt(settings.origins.get(path)?.where ?? 'settings', problem, fix),
  )
  const wrong = [...settings.mistakes, ...listed.mistakes, ...asked.mistakes, ...both, ...broken]
  refuse(inOrder(wrong))
  const config = Object.freeze({
    ...(settings.config as Omit<Config, 'networks' | 'fileSources'>),
    networks,
    fileSources: sources,
  })
  const { origins, ignored } = settings
  return { config, origins, ignored, written: listed.written, writtenSources: asked.written }
}

/** `chain.fork` adds the embedded chain as the default network, if the networks contain none. */
function withForkedChain(
  config: Pick<Config, 'chain'> | null,
  networks: Config['networks'],
): Config['networks'] {
  if (networks === null || config?.chain.fork == null) return networks
  if (networks.some(({ embedded }) => embedded)) return networks
  return Object.freeze([Object.freeze({ embedded: true as const, ...config.chain }), ...networks])
}

function refuseBoth(
  [path, { where }]: readonly [string, { readonly where: string }],
  network: Written,
) {
  const message = `${path} is set, and ${network.whereOf([])} names networks, which then are all there are`
  const fix =
    'remove it; the embedded chain is "- {name: dev, embedded: true}" in the list of networks, with its settings'
  return wrongAt(where, message, fix)
}
