// The command line: its commands, each loaded only when it is named.
import { Command } from 'commander'
import { cairnVersion } from '../version.ts'
import { asTyped, type commandNames } from './typed-command.ts'
import type { Context } from './context.ts'
import { exitCodes, reportError } from './report.ts'

/** Adds options, subcommands and actions to an empty command. */
type Define = (command: Command, context: Context) => void

type Entry = {
  readonly name: (typeof commandNames)[number]
  readonly summary: string
  readonly load: () => Promise<Define>
}

const entries: readonly Entry[] = [
  {
    name: 'start',
    summary: 'serve both faces',
    load: async () => (await import('./start.ts')).defineStart,
  },
  {
    name: 'init',
    summary: 'ask a few questions and write a settings file',
    load: async () => (await import('./init.ts')).defineInit,
  },
  {
    name: 'accounts',
    summary: 'create, list and show accounts; dev shows the public keys of the embedded chain',
    load: async () => (await import('./accounts.ts')).defineAccounts,
  },
  {
    name: 'keys',
    summary: 'create, list, show, set, rotate and revoke API keys',
    load: async () => (await import('./keys.ts')).defineKeys,
  },
  {
    name: 'card',
    summary: 'mark an account as having a billing card, or not',
    load: async () => (await import('./card.ts')).defineCard,
  },
  {
    name: 'people',
    summary: 'who may sign in to the dashboard: list, invite, disable, help who is locked out',
    load: async () => (await import('./people.ts')).definePeople,
  },
  {
    name: 'audit',
    summary: 'who changed what',
    load: async () => (await import('./audit.ts')).defineAudit,
  },
  {
    name: 'usage',
    summary: 'requests, units and bytes per key, network, method and outcome; what accounts keep',
    load: async () => (await import('./usage.ts')).defineUsage,
  },
  {
    name: 'config',
    summary: 'check or print the settings',
    load: async () => (await import('./config.ts')).defineConfig,
  },
  {
    name: 'doctor',
    summary: 'check settings, system, data folder, keys and upstreams, and suggest fixes',
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  {
    name: 'upstreams',
    summary: 'how each upstream stands, and what it was caught in',
    load: async () => (await import('./upstreams.ts')).defineUpstreams,
  },
  {
    name: 'chain',
    summary: 'import: execute, verify and keep the blocks of a chain file',
    load: async () => (await import('./chain-import.ts')).defineChain,
  },
  {
    name: 'store',
    summary: 'verify every stored copy, make the index of blocks anew',
    load: async () => (await import('./store.ts')).defineStore,
  },
  {
    name: 'gc',
    summary: 'forget now what no account keeps',
    load: async () => (await import('./gc.ts')).defineGc,
  },
  {
    name: 'add',
    summary: 'files and folders to the running server, as ipfs add does it',
    load: async () => (await import('./add.ts')).defineAdd,
  },
  {
    name: 'get',
    summary: 'a file or folder from the running server, unpacked',
    load: async () => (await import('./get.ts')).defineGet,
  },
  {
    name: 'import',
    summary: 'pins that a list names, from a gateway or a Kubo node; CAR files',
    load: async () => (await import('./import.ts')).defineImport,
  },
  {
    name: 'proof',
    summary: 'the proof bundle of a read, from a server or out of the data folder',
    load: async () => (await import('./proof.ts')).defineProof,
  },
  {
    name: 'verify',
    summary: 'prove an answer from its bundle, offline',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  {
    name: 'slot',
    summary: 'where an element of a mapping or array lives in storage',
    load: async () => (await import('./slot.ts')).defineSlot,
  },
  {
    name: 'completion',
    summary: 'a script that completes commands and options in bash, zsh or fish',
    load: async () => {
      const { defineCompletion } = await import('./completion.ts')
      return (command, context) =>
        defineCompletion(command, context, () => createProgram(null, context))
    },
  },
]

/** Runs one command line (without node and script) and gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(args: readonly string[], context: Context): Promise<number> {
  try {
    const program = await createProgram(args, context)
    await program.parseAsync([...args], { from: 'user' })
    return exitCodes.done
  } catch (thrown) {
    return reportError(context, args.includes('--json'), thrown)
  }
}

// `args`: loads the command that they name first (`chain import` is not `import`); null: all.
async function createProgram(args: readonly string[] | null, context: Context): Promise<Command> {
  const program = new Command('cairn')
    .description('Your own Infura: Ethereum JSON-RPC and the IPFS API, every answer proved.')
    .version(cairnVersion(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(asTyped(context, text)),
      writeErr: () => {},
      getOutHasColors: () => false,
    })
    .addHelpText(
      'after',
      `
Examples:
  cairn start                      serve on http://127.0.0.1:8545
  cairn keys create --json         a new API key with its secret
  cairn keys create --help         what a command takes

Every command takes --json.`,
    )
    .addHelpText('afterAll', '\nExit codes: 0 done, 1 failed or found bad, 2 wrong usage.')
  const named = args?.find((arg) => entries.some(({ name }) => name === arg))
  for (const { name, summary, load } of entries) {
    const command = program.command(name).description(summary)
    if (args === null || name === named) (await load())(command, context)
  }
  return program
}
