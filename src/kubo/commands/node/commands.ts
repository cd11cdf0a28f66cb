// `commands`: the commands that this server offers, as a tree of their words.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'
import { flagOf } from '../../params/file-options.ts'

type DeclaredOption = { readonly name: string; readonly alias?: string }

/** `commands`: offered ones by their path on the wire (`pin/add`). */
export type DeclaredCommands = {
  readonly commands: ReadonlyMap<string, { readonly options: readonly DeclaredOption[] }>
  readonly globalOptions: readonly DeclaredOption[]
}

type CommandNode = {
  readonly Name: string
  readonly Subcommands: CommandNode[]
  readonly Options: readonly { readonly Names: readonly string[] }[]
}

type CommandsInput = { readonly flags: boolean }

export function createCommands(declared: DeclaredCommands): KuboCommand<CommandsInput> {
  return {
    name: 'commands',
    class: 'read',
    parse: ({ options }) => ({ flags: flagOf(options, 'flags', false) }),
    async run({ flags }) {
      const value = treeOf(declared)
      return { kind: 'object', value, text: () => linesOf(value, flags).join('') }
    },
  }
}

function treeOf({ commands, globalOptions }: DeclaredCommands): CommandNode {
  const root: CommandNode = { Name: 'ipfs', Subcommands: [], Options: named(globalOptions) }
  // Sorted, so that a group stands before what is in it.
  for (const path of [...commands.keys()].toSorted()) {
    const words = path.split('/')
    let at = root
    words.forEach((word, index) => {
      const whole = index === words.length - 1
      let next = at.Subcommands.find(({ Name }) => Name === word)
      if (next === undefined) {
        const options = whole ? (commands.get(path)?.options ?? []) : []
        next = { Name: word, Subcommands: [], Options: named(options) }
        at.Subcommands.push(next)
      }
      at = next
    })
  }
  return root
}

function named(options: readonly DeclaredOption[]): CommandNode['Options'] {
  return options.map(({ name, alias }) => ({ Names: alias === undefined ? [name] : [name, alias] }))
}

/** Each command as it is typed; with `flags` each of its options too. */
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
