// Generates docs/reference/cli.md from the help of every command.
// Tested by test/docs.test.ts
import type { Context } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { page } from './markdown.ts'

type CommandHelp = { readonly path: readonly string[]; readonly text: string }

const exitCodes = /\nExit codes: (.+)\n$/

export async function cliPage(): Promise<string> {
  const [program, ...commands] = await listCommands([])
  if (program === undefined) throw new Error('the program has no help')
  const [, codes = ''] = exitCodes.exec(program.text) ?? []
  return page(
    'Command line',
    `Run \`cairn <command>\` if Cairn is installed, or \`npm run -s cairn -- <command>\` in a checkout. \`cairn --help\` and
\`cairn <command> --help\` print the texts of this page.

- Every command supports \`--json\`: it then prints one JSON object to standard output and nothing else.
- Messages and errors go to standard error.
- Exit codes: ${codes}
- \`accounts\`, \`keys\`, \`card\`, \`people\`, \`audit\` and \`usage\` use the local data folder. If \`CAIRN_TOKEN\` contains a token of the
  dashboard, they use a running server instead ([Invite people](../guides/invite-people.md#tokens)).
- \`add\`, \`get\` and \`import\` use a running server with an API key (\`CAIRN_KEY\`, \`CAIRN_SECRET\`).`,
    fenced(program),
    ...commands.flatMap((command) => [
      `${'#'.repeat(command.path.length + 1)} cairn ${command.path.join(' ')}`,
      fenced(command),
    ]),
  )
}

/** The help of the command at \`path\`, then of every command below it, in the order of the help. */
async function listCommands(path: readonly string[]): Promise<readonly CommandHelp[]> {
  const text = await readHelp(path)
  const listed = /\nCommands:\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? ''
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name)
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => listCommands([...path, name])),
  )
  return [{ path, text }, ...below.flat()]
}

async function readHelp(path: readonly string[]): Promise<string> {
  const written: string[] = []
  const context: Context = {
    out: (text) => written.push(text),
    err: () => {},
    readInput: async () => '',
    env: {},
  }
  const code = await runProgram([...path, '--help'], context)
  if (code !== 0) throw new Error(`cairn ${path.join(' ')} --help ended with ${code}`)
  return written.join('')
}

function fenced({ text }: CommandHelp): string {
  return `\`\`\`\n${text.replace(exitCodes, '').trimEnd()}\n\`\`\``
}
