// `cairn networks list|add|change|test|remove`: networks of the settings and saved networks, on a data folder or, with a token, on
// a server. A running server applies a change within two seconds.
// Tested by test/cli/cli-networks.test.ts
import type { Command } from 'commander'
import type { AdminInput, AdminReply } from '../../admin/client.ts'
import { resolveReferences } from '../../config/reference.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import type { Context } from '../context.ts'
import { isRunning } from '../doctor/data-checks.ts'
import { thisMachine } from '../doctor/machine.ts'
import { describeProbe } from '../network-probe-text.ts'
import { FoundBad, print, table } from '../report.ts'
import { settingsOf } from '../shared-options.ts'
import { asTyped } from '../typed-command.ts'
import { UsageError } from '../usage-error.ts'

type DraftOptions = AdminOptions & {
  readonly upstream: readonly string[]
  readonly header: readonly string[]
  readonly trusted?: true
  readonly chainId?: number
  readonly verify?: string
}
type AddOptions = DraftOptions & { readonly default?: true; readonly force?: true }
type ChangeOptions = Partial<DraftOptions> &
  AdminOptions & { readonly default?: boolean; readonly force?: true }

export function defineNetworks(command: Command, context: Context): void {
  defineList(command, context)
  defineAdd(command, context)
  defineChange(command, context)
  defineTest(command, context)
  addAdminOptions(
    command.command('remove <name>').description('remove a saved network; stored blocks stay'),
  )
    .addHelpText('after', '\nExample:\n  cairn networks remove sepolia')
    .action(async (name: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      await admin.call('DELETE /networks/{network}', { network: name })
      print(context, options.json, { name, removed: true }, `The network ${name} is removed.`)
    })
}

function defineList(command: Command, context: Context): void {
  addAdminOptions(
    command.command('list').description('list the networks of the settings and saved networks'),
  )
    .addHelpText('after', '\nExample:\n  cairn networks list')
    .action(async (options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options, { make: true })
      const { networks } = await admin.call('GET /networks')
      print(context, options.json, { networks }, asTyped(context, describeNetworks(networks)))
    })
}

function defineAdd(command: Command, context: Context): void {
  addDraftOptions(
    command.command('add <name>').description('query the upstreams, then save and serve a network'),
  )
    .requiredOption('--upstream <url>', 'URL of a node of the network; repeatable', collect)
    .option(
      '--default',
      'serve it at the paths without a network, unless the settings list networks',
    )
    .option('--force', 'save it even if upstreams do not reply')
    .addHelpText(
      'after',
      `
Examples:
  cairn networks add mainnet --upstream http://127.0.0.1:8545 --trusted --default
  cairn networks add sepolia --upstream '\${env:SEPOLIA_URL}' --upstream http://10.0.0.5:8545
  cairn networks add rollup --chain-id 42170 --upstream https://node.example --header 'authorization: \${file:/run/token}'

The command replaces references to variables and files, and Cairn stores URLs and headers encrypted. Each upstream must
serve the chain of the name or of --chain-id; without both, Cairn takes the chain ID that the upstreams report.
A running server serves the network within 2 s.`,
    )
    .action((name: string, options: AddOptions) => add(context, name, options))
}

function defineChange(command: Command, context: Context): void {
  addDraftOptions(
    command.command('change <name>').description('change a saved network; other members stay'),
  )
    .option('--upstream <url>', 'URL of a node; replaces all upstreams; repeatable', collect)
    .option('--default', 'serve it at the paths without a network')
    .option('--no-default', 'serve it at the paths with its name only')
    .option('--force', 'save it even if upstreams do not reply')
    .addHelpText(
      'after',
      `
Examples:
  cairn networks change mainnet --verify prefer
  cairn networks change mainnet --upstream '\${env:MAINNET_URL}' --upstream http://10.0.0.5:8545
  cairn networks change mainnet --no-default`,
    )
    .action((name: string, options: ChangeOptions) => change(context, name, options))
}

function defineTest(command: Command, context: Context): void {
  addDraftOptions(
    command
      .command('test [name]')
      .description('query the upstreams of a network, or the given ones, and save nothing'),
  )
    .option('--upstream <url>', 'URL of a node to query; repeatable', collect)
    .addHelpText(
      'after',
      `
Examples:
  cairn networks test mainnet
  cairn networks test --upstream http://127.0.0.1:8545
  cairn networks test mainnet --upstream '\${env:MAINNET_URL}' --json

The exit code is 1 if there is a problem, and 0 if there are only warnings.`,
    )
    .action((name: string | undefined, options: Partial<DraftOptions>) =>
      test(context, name, options),
    )
}

function addDraftOptions(command: Command): Command {
  return addAdminOptions(command)
    .option('--trusted', 'the upstreams are your own nodes')
    .option('--header <header>', 'header of every call, "name: value"; repeatable', collect)
    .option('--chain-id <number>', 'chain ID (that of the name, or of the upstreams)', parseChainId)
    .option('--verify <mode>', 'require, prefer or off (require for blocks of known networks)')
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}

function parseChainId(text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new UsageError(`--chain-id is "${text}", expected a whole number`)
}

/** Replaces references by their values. Throws UsageError. */
function draftOf(context: Context, options: Partial<DraftOptions>) {
  const { upstream = [], header = [], trusted, chainId, verify } = options
  const value = (text: string, flag: string) => {
    const { text: found, mistake } = {
      text: '',
      ...resolveReferences(text, context.env, flag, { emptyRefused: true }),
    }
    if (mistake !== undefined) throw new UsageError(mistake.text)
    return found
  }
  const headers = Object.fromEntries(
    header.map((text) => {
      const [, name, rest] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? []
      // The message omits the text, because it can be a secret.
      if (name === undefined) throw new UsageError('--header: expected "name: value"')
      return [name, value(rest ?? '', '--header')]
    }),
  )
  return {
    ...(chainId === undefined ? {} : { chainId }),
    ...(verify === undefined ? {} : { verify }),
    upstreams: upstream.map((url) => ({
      url: value(url, '--upstream'),
      ...(trusted === true ? { trusted } : {}),
      ...(header.length === 0 ? {} : { headers }),
    })),
  } satisfies AdminInput<'POST /network-probe'>
}

async function add(context: Context, name: string, options: AddOptions): Promise<void> {
  const draft = draftOf(context, options)
  await using admin = await openAdminAccess(context, options, { make: true })
  const probe = await admin.call('POST /network-probe', { name, ...draft })
  if (options.json !== true) context.out(`${asTyped(context, describeProbe(probe))}\n\n`)
  const { network } = await admin.call('POST /networks', {
    name,
    ...draft,
    isDefault: options.default === true,
    force: options.force === true,
  })
  const text = await describeSaved(context, options, network)
  print(context, options.json, { network, probe }, asTyped(context, text))
}

async function change(context: Context, name: string, options: ChangeOptions): Promise<void> {
  const { upstream, header, trusted } = options
  if (upstream === undefined && (header !== undefined || trusted !== undefined)) {
    throw new UsageError('--trusted and --header are of upstreams: add --upstream <url>')
  }
  const { upstreams, ...members } = draftOf(context, options)
  await using admin = await openAdminAccess(context, options)
  const { network } = await admin.call('PATCH /networks/{network}', {
    network: name,
    ...members,
    ...(upstream === undefined ? {} : { upstreams }),
    ...(options.default === undefined ? {} : { isDefault: options.default }),
    force: options.force === true,
  })
  const text = await describeSaved(context, options, network)
  print(context, options.json, { network }, asTyped(context, text))
}

type Network = AdminReply<'GET /networks'>['networks'][number]

async function describeSaved(
  context: Context,
  options: AdminOptions,
  { name, chainId, isDefault, live }: Network,
): Promise<string> {
  const path = isDefault ? '/v3/<API_KEY>' : `/${name}/v3/<API_KEY>`
  const saved = `The network ${name} (chain ID ${chainId}) is saved`
  if (live !== null) return `${saved} and served at ${path}.`
  const { config } = await settingsOf(context, options)
  return isRunning(thisMachine(), config.dataDir)
    ? `${saved}. The running server serves it at ${path} within 2 s.`
    : `${saved}. cairn start serves it at ${path}.`
}

async function test(
  context: Context,
  name: string | undefined,
  options: Partial<DraftOptions> & AdminOptions,
): Promise<void> {
  await using admin = await openAdminAccess(context, options, { make: true })
  const probe = await probeOf(context, admin, { name, options })
  print(context, options.json, probe, asTyped(context, describeProbe(probe)))
  if (probe.problems.some(({ level }) => level === 'problem')) throw new FoundBad()
}

async function probeOf(
  context: Context,
  admin: AdminAccess,
  { name, options }: { readonly name: string | undefined; readonly options: Partial<DraftOptions> },
): Promise<AdminReply<'POST /network-probe'>> {
  if (options.upstream !== undefined) {
    const draft = draftOf(context, options)
    return await admin.call('POST /network-probe', {
      ...(name === undefined ? {} : { name }),
      ...draft,
    })
  }
  if (name === undefined) throw new UsageError('no network: give a name, or --upstream <url>')
  return await admin.call('POST /networks/{network}/test', { network: name })
}

function describeNetworks(networks: readonly Network[]): string {
  const rows = networks.map((network) => [
    network.isDefault ? `${network.name} (default)` : network.name,
    network.chainId,
    network.embedded ? originOf(network) : network.origin,
    network.upstreams.map(({ name, paused }) => (paused ? `${name} (paused)` : name)).join(', '),
    network.problem ?? stateOf(network.live),
  ])
  return table(['network', 'chain', 'origin', 'upstreams', 'state'], rows, 'No networks.')
}

function originOf({ fork }: Network): string {
  return fork === null ? 'embedded' : `fork of ${fork}`
}

function stateOf(live: Network['live']): string {
  if (live === null) return '-'
  if (!live.serving) return 'not served'
  return live.head === null ? 'no head' : `block ${live.head}`
}
