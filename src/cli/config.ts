// `cairn config check|print`: judges the settings, or shows each with where it comes from.
// Tested by src/cli/program.test.ts
import type { Command } from 'commander'
import { leaves, showSettings } from '../config/config.ts'
import type { Context, SharedOptions } from './context.ts'
import { print, table } from './report.ts'
import { addSharedOptions, settingsOf } from './shared-options.ts'

export function defineConfig(command: Command, context: Context): void {
  addSharedOptions(command.command('check').description('say whether the settings can be used'))
    .addHelpText(
      'after',
      '\nExample:\n  cairn config check --config cairn.yaml && cairn start --config cairn.yaml',
    )
    .action(async (options: SharedOptions) => {
      const { ignored } = await settingsOf(context, options)
      for (const name of ignored) context.err(`cairn: ${name} is not a setting and is ignored.\n`)
      print(context, options.json, { ok: true, ignored }, 'The settings can be used.')
    })
  addSharedOptions(command.command('print').description('show every setting; secrets are redacted'))
    .addHelpText('after', '\nExample:\n  CAIRN_HTTP_PORT=8600 cairn config print --json')
    .action(async (options: SharedOptions) => {
      const settings = showSettings(leaves, await settingsOf(context, options))
      const rows = settings.map(({ path, value, origin }) => [path, String(value), origin])
      const text = table(['setting', 'value', 'from'], rows, '')
      print(context, options.json, { settings }, text)
    })
}
