// Options that are true or false as Go programs take them: `--pin`, `--pin=false`; and `--no-pin`.
// Tested by src/cli/boolean-options.test.ts
import { type Command, Option } from 'commander'

/** `flags`: `-w, --wrap-with-directory`. What is not typed is undefined. */
export function addBooleanOptions(
  command: Command,
  rows: readonly (readonly [flags: string, description: string])[],
): Command {
  const names = new Set<string>()
  for (const [flags, description] of rows) {
    const option = new Option(flags, description)
    const name = option.long ?? ''
    names.add(name)
    command.addOption(option)
    command.addOption(new Option(`--no-${name.slice(2)}`, `not ${name}`).hideHelp())
  }
  const parse = command.parseOptions.bind(command)
  command.parseOptions = (args) => parse(args.map((arg) => plain(arg, names)))
  return command
}

function plain(arg: string, names: ReadonlySet<string>): string {
  const [, name = '', value] = /^(--[a-z-]+)=(true|false)$/.exec(arg) ?? []
  if (!names.has(name)) return arg
  return value === 'true' ? name : `--no-${name.slice(2)}`
}
