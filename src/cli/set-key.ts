// `cairn keys set`: changes what an API key may do; a running server follows within a second.
// Tested by src/cli/key-settings-options.test.ts
import type { Command } from 'commander'
import type { Context, SharedOptions } from './context.ts'
import { addKeySettings, changesOf, type KeySettingsOptions } from './key-settings-options.ts'
import { openData } from './open-data.ts'
import { print } from './report.ts'
import { addSharedOptions } from './shared-options.ts'
import { describeSettings, showKey } from './show-key.ts'
import { UsageError } from './usage-error.ts'

export function defineSet(command: Command, context: Context): void {
  const set = command.command('set <id>').description('change the settings of an API key')
  addSharedOptions(addKeySettings(set, true))
    .addHelpText(
      'after',
      `
Examples:
  cairn keys set <id> --allow-method eth_call --allow-method eth_chainId
  cairn keys set <id> --allow-origin https://app.example.com --allow-origin 'http://localhost:3000'
  cairn keys set <id> --allow-method none --units-per-second none --networks all

Entries replace the whole list; none empties it, and an empty list allows all. A request must pass every list that is
set. --allow-origin shuts out programs: only browsers say where a page comes from.`,
    )
    .action(async (id: string, options: SharedOptions & KeySettingsOptions) => {
      const changes = changesOf(options)
      if (Object.keys(changes).length === 0) {
        throw new UsageError('nothing to set: name a setting, see keys set --help')
      }
      await using data = await openData(context, options)
      await data.accounts.changeSettings(id, changes)
      const key = data.accounts.getKey(id)
      print(context, options.json, { key: showKey(key) }, describeSettings(key))
    })
}
