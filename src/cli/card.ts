// `cairn card set|clear`: the operator says that an account has a billing card on file, or no longer.
// Tested by test/cli.test.ts
import type { Command } from 'commander'
import type { Context, SharedOptions } from './context.ts'
import { openData } from './open-data.ts'
import { print } from './report.ts'
import { addSharedOptions } from './shared-options.ts'

export function defineCard(command: Command, context: Context): void {
  define('set', 'mark the account as having a card', true)
  define('clear', 'take the mark away: the file face answers 402', false)

  function define(verb: string, description: string, hasCard: boolean): void {
    addSharedOptions(command.command(`${verb} <account>`).description(description))
      .addHelpText('after', `\nExample:\n  cairn card ${verb} team`)
      .action(async (name: string, options: SharedOptions) => {
        await using data = await openData(context, options)
        await data.accounts.setCard(name, hasCard)
        const text = `${name} has ${hasCard ? 'a' : 'no'} card on file.`
        print(context, options.json, { account: name, hasCard }, text)
      })
  }
}
