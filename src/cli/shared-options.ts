// The options that several commands share, and the settings that result from them.
// Tested by src/cli/program.test.ts
import type { Command } from 'commander'
import { loadConfig, type LoadedConfig } from '../config/config.ts'
import type { NetworkFlags } from '../config/network-variable.ts'
import type { Context, SharedOptions } from './context.ts'

/** `--json`, `--config` and `--data-dir`. Every command accepts them, so that scripts need not distinguish commands. */
export function addSharedOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object and nothing else')
    .option('--config <file>', 'YAML file with settings (or CAIRN_CONFIG)')
    .option('--data-dir <folder>', 'folder with all data (setting dataDir)')
}

/**
 * Settings from file, environment and flags. `flags`: setting path -> flag and typed text. `networks`: from flags. Throws
 * ConfigError.
 */
export async function settingsOf(
  context: Context,
  options: SharedOptions,
  flags: Readonly<
    Record<string, { readonly flag: string; readonly text: string | undefined }>
  > = {},
  networks: readonly NetworkFlags[] = [],
): Promise<LoadedConfig> {
  const all = { dataDir: { flag: '--data-dir', text: options.dataDir }, ...flags }
  const given = Object.entries(all).flatMap(([path, { flag, text }]) =>
    text === undefined ? [] : [[path, { flag, text }] as const],
  )
  return loadConfig({
    file: options.config ?? null,
    env: context.env,
    flags: Object.fromEntries(given),
    networks,
  })
}
