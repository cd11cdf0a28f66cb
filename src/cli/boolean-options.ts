// Boolean options in the syntax of Go programs: `--pin`, `--pin=false`; also `--no-pin`.
// Tested by src/cli/boolean-options.test.ts
import { type Command, Option } from 'commander'
import { UsageError } from './usage-error.ts'

/** `flags`: `-w, --wrap-with-directory`. An absent option is undefined; parsing throws UsageError for other values. */
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
  const [, name = '', value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? []
  if (!names.has(name)) return arg
  if (!/^(true|false)$/.test(value)) {
    throw new UsageError(`${name} is "${value}", expected true or false`)
  }
  return value === 'true' ? name : `--no-${name.slice(2)}`
}
