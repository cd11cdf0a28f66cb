// `cairn completion bash|zsh|fish`: prints a completion script. It is generated from the program's command tree, so it contains
// every command and option.
import type { Command } from 'commander'
import { listBranches } from '../command-tree.ts'
import { bashScript, fishScript, zshScript } from '../completion-scripts.ts'
import type { Context } from '../context.ts'
import { print } from '../report.ts'
import { addSharedOptions } from '../shared-options.ts'

type Options = { readonly json?: true }

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `grow`: builds the whole program with all commands. */
export function defineCompletion(
  command: Command,
  context: Context,
  grow: () => Promise<Command>,
): void {
  const examples = {
    bash: 'echo \'eval "$(cairn completion bash)"\' >> ~/.bashrc',
    zsh: 'cairn completion zsh > "${fpath[1]}/_cairn"',
    fish: 'cairn completion fish > ~/.config/fish/completions/cairn.fish',
  }
  for (const [shell, write] of Object.entries(scripts)) {
    addSharedOptions(command.command(shell).description(`print the completion script for ${shell}`))
      .addHelpText('after', `\nExample:\n  ${examples[shell as keyof typeof examples]}`)
      .action(async (options: Options) => {
        const script = write(listBranches(await grow()))
        print(context, options.json, { shell, script }, script.trimEnd())
      })
  }
}
