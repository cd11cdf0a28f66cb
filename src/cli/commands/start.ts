// `cairn start`: serves until SIGINT or SIGTERM, then drains and exits; a second signal exits immediately.
// Tested by test/server/start.test.ts
import type { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { settingsFile } from '../../config/config.ts'
import { type Config, networkNames } from '../../config/settings.ts'
import { type NetworkFlags, namesWithChainId } from '../../config/network-variable.ts'
import { sampleContractAddress } from '../../devchain/default-genesis.ts'
import { notifyReady, passedSockets } from '../../server/systemd.ts'
import type { startWorkers } from '../../server/workers/primary.ts'
import { gatewayRulesOf } from '../../server/private-server.ts'
import { asTyped } from '../typed-command.ts'
import type { Context, SharedOptions } from '../context.ts'
import { createProgress, type Progress } from '../progress.ts'
import { exitCodes, reportError } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'

type Options = SharedOptions & {
  readonly port?: string
  readonly host?: string
  readonly fork?: string
}

type Greeting = {
  readonly url: string
  readonly firstKey: { readonly apiKey: string; readonly apiKeySecret: string } | null
  readonly adminUrl: string | null
  readonly firstRun: { readonly link: string } | null
}

export function defineStart(command: Command, context: Context): void {
  const networks = collectNetworks()
  addSharedOptions(command)
    .option('--port <number>', 'port to listen on, 0 for a free port (setting http.port)')
    .option('--host <address>', 'address to listen on (setting http.host)')
    .option('--network <name>', 'network to serve through the upstreams that follow', networks.name)
    .option(
      '--fork <network@block>',
      'start the embedded chain from a block of a network (setting chain.fork), through the upstreams that follow',
      networks.fork,
    )
    .option('--upstream <url>', 'URL of a node of the network; repeatable', networks.upstream)
    .option('--trusted', 'the upstreams of the network are your own nodes')
    .on('option:trusted', networks.trust)
    .addHelpText(
      'after',
      `
Examples:
  cairn start
  cairn start --port 8600 --data-dir ./elsewhere
  cairn start --port 0 --json      print one line of JSON when ready: url, apiKey, apiKeySecret, firstRunLink
  cairn start --network mainnet --upstream http://127.0.0.1:8545 --trusted
  cairn start --fork mainnet@latest --upstream http://127.0.0.1:8545
  cairn start --network mainnet --upstream '\${env:MAINNET_URL}' --network sepolia --upstream http://10.0.0.5:8545

--network serves a network for this start; cairn networks add saves one. Other users of this machine can see the arguments
of a process: take a URL with a key from a variable, as above. Names with a known chain ID:
${nameLines}

Cairn applies a changed settings file within 2 s, or immediately on SIGHUP. A file with an error changes nothing, and the
log lists the errors.

The first start creates an account with an API key, and shows the key and its secret once. Until an operator exists, each
start prints a one-time link for the first operator, valid for 30 minutes; \`cairn init --link\` prints another one.`,
    )
    .action((options: Options) => serve(context, options, networks.found()))
}

/** At most 118 characters a line. */
const nameLines = namesWithChainId
  .join(', ')
  .replaceAll(/(.{1,116})(?: |$)/g, '  $1\n')
  .trimEnd()

/** Each `--network` starts a network, and the options after it belong to that network. */
function collectNetworks() {
  const found: { network: string; urls: string[]; trusted: boolean; isForked: boolean }[] = []
  const last = (flag: string) => {
    const one = found.at(-1)
    if (one !== undefined) return one
    throw new UsageError(`${flag} without a network: write --network <name> or --fork before it`)
  }
  return {
    name(network: string): void {
      found.push({ network, urls: [], trusted: false, isForked: false })
    },
    fork(text: string): string {
      const [network = ''] = text.split('@')
      found.push({ network, urls: [], trusted: false, isForked: true })
      return text
    },
    upstream(url: string): void {
      last('--upstream').urls.push(url)
    },
    trust(): void {
      last('--trusted').trusted = true
    },
    found(): readonly NetworkFlags[] {
      const empty = found.find(({ urls, isForked }) => urls.length === 0 && !isForked)
      // The forked network may be in the settings, with its upstreams.
      if (empty === undefined) return found.filter(({ urls }) => urls.length > 0)
      throw new UsageError(`--network ${empty.network} has no upstream: add --upstream <url>`)
    },
  }
}

async function serve(
  context: Context,
  options: Options,
  networks: readonly NetworkFlags[],
): Promise<void> {
  const flags = {
    'http.port': { flag: '--port', text: options.port },
    'http.host': { flag: '--host', text: options.host },
    'chain.fork': { flag: '--fork', text: options.fork },
  }
  const load = async () => (await settingsOf(context, options, flags, networks)).config
  const config = await load()
  const file = settingsFile({ file: options.config ?? null, env: context.env })
  const signalled = endAtSecondSignal()
  const shared = {
    print: (line: string) => context.err(`${line}\n`),
    sockets: passedSockets(context.env, process.pid),
    source: file === null ? null : { file, load },
  }
  const server = await (
    config.workers === 0 ? startAlone(context, config, shared) : startShared(config, shared)
  ).catch((error: unknown) => {
    throw explain(error, config)
  })
  // From a terminal, SIGHUP means that the terminal is closed.
  const onTerminal = context.terminal?.out === true || context.terminal?.err === true
  const { accessLog, http } = config
  const isReloaded = file !== null || accessLog.file !== null || http.tls.certificateFile !== null
  if (isReloaded && !onTerminal) process.on('SIGHUP', () => void server.reload())
  context.out(
    options.json === true
      ? greetProgram(server)
      : asTyped(context, greetPerson(server, server.config)),
  )
  await notifyReady(context.env).catch((error: unknown) => reportError(context, false, error))
  await signalled
  try {
    await server.stop()
    process.exit(exitCodes.done)
  } catch (error) {
    process.exit(reportError(context, options.json === true, error))
  }
}

type Shared = Omit<Parameters<typeof startWorkers>[1], 'onSocketLost'>

async function startAlone(context: Context, config: Config, shared: Shared) {
  process.on('SIGUSR2', () =>
    context.err('SIGUSR2 restarts worker processes, and this server has none (setting workers)\n'),
  )
  const { startServer } = await import('../../server/app.ts')
  const importing = showImport(context)
  try {
    return await startServer(config, {
      ...shared,
      onImport: importing.at,
      ...(context.writeOut === undefined ? {} : { writeOut: context.writeOut }),
      env: context.env,
    })
  } finally {
    importing.end()
  }
}

async function startShared(config: Config, shared: Shared) {
  const { startWorkers } = await import('../../server/workers/primary.ts')
  const server = await startWorkers(config, {
    ...shared,
    onSocketLost() {
      // systemd restarts the server; connections queue in the socket in the meantime.
      void server.stop().finally(() => process.exit(exitCodes.failed))
    },
  })
  process.on('SIGUSR2', () => void server.restart())
  return server
}

function showImport(context: Context) {
  let progress: Progress | null = null
  return {
    at(done: number, total: number): void {
      progress ??= createProgress(context, { title: 'blocks imported', total, clock: systemClock })
      progress.at(done)
    },
    end: () => progress?.end(),
  }
}

// Ctrl-C under npm arrives twice: from the terminal, and from npm, which forwards it.
const sameSignalMs = 200

/** Resolves at the first SIGINT or SIGTERM; the second exits with the signal's usual exit code. */
function endAtSecondSignal(): Promise<void> {
  const numbers = { SIGINT: 2, SIGTERM: 15 } as const
  return new Promise((resolve) => {
    let firstSignalAt: number | null = null
    for (const [name, number] of Object.entries(numbers)) {
      process.on(name, () => {
        const now = systemClock.monotonic()
        if (firstSignalAt !== null && now - firstSignalAt > sameSignalMs) process.exit(128 + number)
        firstSignalAt ??= now
        resolve()
      })
    }
  })
}

/** Adds the folder and the next step to an error. */
function explain(error: unknown, { dataDir }: Config): unknown {
  // A Fault from the writer thread arrives as an Error with the same members.
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'no_space':
      return new Error(
        `no space left in ${dataDir}: free disk space, or choose another folder with --data-dir`,
        { cause: error },
      )
    case 'damaged':
      return new Error(`${dataDir}: ${error.message}: check the disk, then run cairn doctor`, {
        cause: error,
      })
    default:
      return error
  }
}

function greetProgram({ url, firstKey, firstRun }: Greeting): string {
  const link = firstRun === null ? {} : { firstRunLink: firstRun.link }
  return `${JSON.stringify({ url, ...firstKey, ...link })}\n`
}

function greetPerson({ url, firstKey, adminUrl, firstRun }: Greeting, config: Config): string {
  const key = firstKey?.apiKey ?? '$API_KEY'
  const secret = firstKey?.apiKeySecret ?? '$API_SECRET'
  const shown =
    firstKey === null
      ? 'Cairn showed the API key and its secret at the first start. Use "cairn keys create" to create another key.'
      : `API key and secret. Save them now; the secret is not shown again:
  API key     ${key}
  API secret  ${secret}`
  const [first, ...others] = networkNames(config)
  const served =
    config.networks === null
      ? ''
      : ` (${[`${first}, the default`, ...others.map((name) => `/${name}/v3/…`)].join('; ')})`
  const dashboard = adminUrl === null ? '' : `\n  dashboard ${adminUrl}/dashboard`
  const { enabled, host, local } = gatewayRulesOf(config)
  const { protocol, port } = new URL(url)
  const content =
    enabled && local ? `${protocol}//${host}${port === '' ? '' : `:${port}`}/ipfs` : null
  const gateway =
    content === null
      ? ''
      : `\n  IPFS gateway  ${content}/<CID>, pinned files in a browser of this machine`
  const opened = content === null ? '' : `\nOpen the added file: ${content}/${helloCid}`
  const welcome =
    firstRun === null
      ? ''
      : `

No operator exists yet. Open this one-time link within 30 minutes to create one:
  ${firstRun.link}`
  return `Cairn serves ${url}
  JSON-RPC  POST ${url}/v3/${key}${served}
  WebSocket ${url.replace(/^http/, 'ws')}/ws/v3/${key}
  IPFS API  POST ${url}/api/v0/${gateway}${dashboard}

${shown}${welcome}

Try both APIs:
  curl -s ${url}/v3/${key} -H 'content-type: application/json' \\
    -d '${callToTry(config)}'
  printf 'hello cairn\\n' | curl -s -u "${key}:${secret}" -F file=@- ${url}/api/v0/add${opened}
`
}

/** CID of `hello cairn` and a line feed, with the default import profile. */
const helloCid = 'QmS63Af67cKqtAnUwWuB98aNqHFc7YgjbKG7b3HRQPMzEK'

/** The sample contract exists only on the built-in chain, not on a fork. */
function callToTry({ networks }: Config): string {
  const [first] = networks ?? []
  const isOwn = first === undefined || (first.embedded && first.fork === null)
  const [method, params] = isOwn
    ? ['eth_getStorageAt', [sampleContractAddress, '0x0', 'latest']]
    : ['eth_getBlockByNumber', ['latest', false]]
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
