// `cairn keys set`: changes the settings of an API key. A running server applies them within a second.
// Tested by src/cli/key-settings-options.test.ts
import type { Command } from 'commander'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { addKeySettings, changesOf, type KeySettingsOptions } from '../key-settings-options.ts'
import { noteNetworks } from '../note-networks.ts'
import { addPlanOptions, endOf, placeOf, type PlanOptions } from '../plan-options.ts'
import { print } from '../report.ts'
import { describeSettings, showKey } from './show-key.ts'
import { UsageError } from '../usage-error.ts'

type SetOptions = AdminOptions & PlanOptions & KeySettingsOptions & { readonly name?: string }

export function defineSet(command: Command, context: Context): void {
  const set = command.command('set <id>').description('change the settings of an API key')
  addAdminOptions(addPlanOptions(addKeySettings(set, true)))
    .option('--name <name>', 'name of the key')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys set <id> --allow-method eth_call --allow-method eth_chainId
  cairn keys set <id> --allow-origin https://app.example.com --allow-origin 'http://localhost:3000'
  cairn keys set <id> --plan developer --expires 2030-01-31
  cairn keys set <id> --allow-method none --units-per-second none --networks all

Entries replace the whole list. "none" empties it, and an empty list permits all. A request must pass every list that is
set. --allow-origin refuses programs, because only browsers send the origin of a page.`,
    )
    .action(async (id: string, options: SetOptions) => {
      const settings = changesOf(options)
      const { name, plan } = options
      const expires = endOf(options)
      const beside = Object.values({ name, plan, expires }).some((value) => value !== undefined)
      if (Object.keys(settings).length === 0 && !beside) {
        throw new UsageError('nothing to set: add a setting, see keys set --help')
      }
      await using admin = await openAdminAccess(context, options)
      const place = await placeOf(admin, id)
      const { key } = await admin.call('PATCH /accounts/{account}/keys/{key}', {
        ...place,
        name,
        plan,
        expires,
        settings,
      })
      print(context, options.json, { key: showKey(key) }, describeSettings(key))
      await noteNetworks(context, options)
    })
}
