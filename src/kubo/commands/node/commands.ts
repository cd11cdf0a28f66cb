// `commands`: the commands that this server offers, as a tree.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { type CommandDeclaration, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { globalOptions } from '../../kubo-commands.ts'

type CommandNode = {
  readonly Name: string
  readonly Subcommands: CommandNode[]
  readonly Options: readonly { readonly Names: readonly string[] }[]
}

type CommandsInput = { readonly flags: boolean }

const declared = {
  flags: flag('flags', { alias: 'f' }),
}

/** `listed`: all offered commands, this one included. */
export function createCommands(
  listed: () => readonly CommandDeclaration[],
): KuboCommand<CommandsInput> {
  return {
    name: 'commands',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({ flags: valueOf(options, declared.flags) }),
    async run({ flags }) {
      const value = treeOf(listed())
      return { kind: 'object', value, text: () => linesOf(value, flags).join('') }
    },
  }
}

function treeOf(commands: readonly CommandDeclaration[]): CommandNode {
  const globals = named(Object.values(globalOptions))
  const root: CommandNode = { Name: 'ipfs', Subcommands: [], Options: globals }
  const optionsOf = new Map(commands.map(({ name, options }) => [name, options]))
  // Sorted, so that a group precedes its commands.
  for (const path of [...optionsOf.keys()].toSorted()) {
    const segments = path.split('/')
    let at = root
    segments.forEach((segment, index) => {
      const isLast = index === segments.length - 1
      let next = at.Subcommands.find(({ Name }) => Name === segment)
      if (next === undefined) {
        const options = isLast ? (optionsOf.get(path) ?? []) : []
        next = { Name: segment, Subcommands: [], Options: named(options) }
        at.Subcommands.push(next)
      }
      at = next
    })
  }
  return root
}

function named(options: CommandDeclaration['options']): CommandNode['Options'] {
  return options.map(({ name, alias }) => ({ Names: alias === undefined ? [name] : [name, alias] }))
}

/** Each command as a user types it; with `flags` also each of its options. */
function linesOf(root: CommandNode, flags: boolean): readonly string[] {
  const lines: string[] = []
  const open = [{ node: root, commandLine: root.Name }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, commandLine } = next
    lines.push(`${commandLine}\n`)
    if (flags) lines.push(...node.Options.map(({ Names }) => `${spelled(commandLine, Names)}\n`))
    for (const below of node.Subcommands.toReversed()) {
      open.push({ node: below, commandLine: `${commandLine} ${below.Name}` })
    }
  }
  return lines
}

function spelled(commandLine: string, names: readonly string[]): string {
  return names.map((name) => `${commandLine} ${name.length === 1 ? '-' : '--'}${name}`).join(' / ')
}
