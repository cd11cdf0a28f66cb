// The command line: its commands, each loaded only when it is used.
import { Command } from 'commander'
import { cairnVersion } from '../server/version.ts'
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
    summary: 'start the server',
    load: async () => (await import('./commands/start.ts')).defineStart,
  },
  {
    name: 'init',
    summary: 'write a settings file from a few questions',
    load: async () => (await import('./commands/init.ts')).defineInit,
  },
  {
    name: 'accounts',
    summary: 'create, list, show and limit accounts; list development keys',
    load: async () => (await import('./commands/accounts.ts')).defineAccounts,
  },
  {
    name: 'keys',
    summary: 'create, list, show, change, test, rotate and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).defineKeys,
  },
  {
    name: 'card',
    summary: 'show, update and mark the billing card of an account',
    load: async () => (await import('./commands/card.ts')).defineCard,
  },
  {
    name: 'people',
    summary: 'manage people of the dashboard: invite, change roles, block, restore access',
    load: async () => (await import('./commands/people.ts')).definePeople,
  },
  {
    name: 'audit',
    summary: 'show the audit log',
    load: async () => (await import('./commands/audit.ts')).defineAudit,
  },
  {
    name: 'alerts',
    summary: 'list, add and remove rules on errors and latency; set who receives alerts',
    load: async () => (await import('./commands/alerts.ts')).defineAlerts,
  },
  {
    name: 'usage',
    summary:
      'report requests, units and bytes by key, network, method and outcome, and storage by account',
    load: async () => (await import('./commands/usage.ts')).defineUsage,
  },
  {
    name: 'config',
    summary: 'validate or print the settings',
    load: async () => (await import('./commands/config.ts')).defineConfig,
  },
  {
    name: 'doctor',
    summary: 'check settings, system, data folder, keys and upstreams, and suggest fixes',
    load: async () => (await import('./commands/doctor.ts')).defineDoctor,
  },
  {
    name: 'deny',
    summary: 'deny content to readers of the IPFS gateway',
    load: async () => (await import('./commands/deny.ts')).defineDeny,
  },
  {
    name: 'networks',
    summary: 'list, add, change, test and remove networks behind upstream nodes',
    load: async () => (await import('./commands/networks.ts')).defineNetworks,
  },
  {
    name: 'upstreams',
    summary: 'show the health and invalid replies of each upstream',
    load: async () => (await import('./commands/upstreams.ts')).defineUpstreams,
  },
  {
    name: 'chain',
    summary: 'import the blocks of a chain file',
    load: async () => (await import('./commands/chain-import.ts')).defineChain,
  },
  {
    name: 'store',
    summary: 'verify stored blocks, or rebuild the block index',
    load: async () => (await import('./commands/store.ts')).defineStore,
  },
  {
    name: 'gc',
    summary: 'delete unreferenced blocks now',
    load: async () => (await import('./commands/gc.ts')).defineGc,
  },
  {
    name: 'backup',
    summary: 'back up the data folder, also while the server runs; list and verify backups',
    load: async () => (await import('./commands/backup.ts')).defineBackup,
  },
  {
    name: 'restore',
    summary: 'restore a backup into an empty data folder',
    load: async () => (await import('./commands/restore.ts')).defineRestore,
  },
  {
    name: 'add',
    summary: 'add files and folders to a running server',
    load: async () => (await import('./commands/add.ts')).defineAdd,
  },
  {
    name: 'get',
    summary: 'download a file or folder from a running server',
    load: async () => (await import('./commands/get.ts')).defineGet,
  },
  {
    name: 'import',
    summary: 'copy pins from a Kubo node or an IPFS gateway, or import CAR files',
    load: async () => (await import('./commands/import.ts')).defineImport,
  },
  {
    name: 'migrate',
    summary: 'move accounts and files to a shared database and bucket, or back to a data folder',
    load: async () => (await import('./commands/migrate.ts')).defineMigrate,
  },
  {
    name: 'migrate-from',
    summary: 'import keys, allowlists and pins of another service',
    load: async () => (await import('./commands/migrate-from.ts')).defineMigrateFrom,
  },
  {
    name: 'proof',
    summary: 'print the proof bundle of a read, from a server or the data folder',
    load: async () => (await import('./commands/proof.ts')).defineProof,
  },
  {
    name: 'verify',
    summary: 'verify an answer with its proof bundle, offline',
    load: async () => (await import('./commands/verify.ts')).defineVerify,
  },
  {
    name: 'slot',
    summary: 'compute the storage slot of a variable, mapping or array element',
    load: async () => (await import('./commands/slot.ts')).defineSlot,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => {
      const { defineCompletion } = await import('./commands/completion.ts')
      return (command, context) =>
        defineCompletion(command, context, () => createProgram(null, context))
    },
  },
]

/** Runs one command line (without node and script) and returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function runProgram(args: readonly string[], context: Context): Promise<number> {
  try {
    const program = await createProgram(args, context)
    await program.parseAsync([...args], { from: 'user' })
    return exitCodes.done
  } catch (thrown) {
    return reportError(context, args.includes('--json'), thrown)
  }
}

// `args`: loads only the command that they name (`chain import` is not `import`); null: all.
async function createProgram(args: readonly string[] | null, context: Context): Promise<Command> {
  const program = new Command('cairn')
    .description('Self-hosted Infura: Ethereum JSON-RPC and IPFS API with verified answers')
    .version(cairnVersion(), '--version')
    .exitOverride()
    // `backup` and its subcommands have own options: those after a subcommand's name belong to it.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.out(asTyped(context, text)),
      writeErr: () => {},
      getOutHasColors: () => false,
      // Outside a terminal the width is fixed, so that piped help and docs/reference/cli.md do not vary.
      ...(context.terminal?.out === true ? {} : { getOutHelpWidth: () => 80 }),
    })
    .addHelpText(
      'after',
      `
Examples:
  cairn start                      serve on http://127.0.0.1:8545
  cairn keys create --json         create an API key, print it with its secret
  cairn keys create --help         show the options of a command

Every command supports --json.`,
    )
    .addHelpText('afterAll', '\nExit codes: 0 success, 1 failure or problem found, 2 wrong usage.')
  const named = args?.find((arg) => entries.some(({ name }) => name === arg))
  for (const { name, summary, load } of entries) {
    const command = program.command(name).description(summary)
    if (args === null || name === named) (await load())(command, context)
  }
  return program
}
