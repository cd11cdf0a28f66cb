// The program's commands and options as a flat list, from which shell completion scripts are generated.
// Tested by src/cli/commands/completion.test.ts
import type { Command, Option } from 'commander'

/** What an option takes as its value: nothing, a file, a folder, or another value that cannot be completed. */
type Value = 'none' | 'file' | 'folder' | 'other'

type Flag = { readonly name: string; readonly value: Value; readonly description: string }

export type Branch = {
  /** Such as `keys create`; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly flags: readonly Flag[]
}

/** Lists every command of the tree, starting with the program. */
export function listBranches(command: Command, path = ''): readonly Branch[] {
  const commands = command.commands.map((inner) => ({
    name: inner.name(),
    description: inner.description(),
  }))
  const flags = [...command.options.flatMap(toFlag), { ...help }]
  const below = command.commands.flatMap((inner) =>
    listBranches(inner, path === '' ? inner.name() : `${path} ${inner.name()}`),
  )
  return [{ path, commands, flags }, ...below]
}

const help: Flag = { name: '--help', value: 'none', description: 'display help for command' }

function toFlag({ long, description, flags }: Option): readonly Flag[] {
  if (long === null || long === undefined) return []
  const [, placeholder] = /<([^>]+)>/.exec(flags) ?? []
  return [{ name: long, value: valueOf(placeholder), description }]
}

function valueOf(placeholder: string | undefined): Value {
  if (placeholder === undefined) return 'none'
  return placeholder === 'file' || placeholder === 'folder' ? placeholder : 'other'
}
