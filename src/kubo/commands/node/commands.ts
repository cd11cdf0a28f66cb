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

const takes = {
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
    options: Object.values(takes),
    parse: ({ options }) => ({ flags: valueOf(options, takes.flags) }),
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
    const words = path.split('/')
    let at = root
    words.forEach((word, index) => {
      const whole = index === words.length - 1
      let next = at.Subcommands.find(({ Name }) => Name === word)
      if (next === undefined) {
        const options = whole ? (optionsOf.get(path) ?? []) : []
        next = { Name: word, Subcommands: [], Options: named(options) }
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
  const open = [{ node: root, words: root.Name }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, words } = next
    lines.push(`${words}\n`)
    if (flags) lines.push(...node.Options.map(({ Names }) => `${spelled(words, Names)}\n`))
    for (const below of node.Subcommands.toReversed()) {
      open.push({ node: below, words: `${words} ${below.Name}` })
    }
  }
  return lines
}

function spelled(words: string, names: readonly string[]): string {
  return names.map((name) => `${words} ${name.length === 1 ? '-' : '--'}${name}`).join(' / ')
}
