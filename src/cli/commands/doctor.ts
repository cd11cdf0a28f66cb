// `cairn doctor`: checks settings, machine, data folder, chain, keys, upstreams and sign-in, and reports each problem with a fix.
// Changes nothing. `--live` checks only the running server; `--dropin` compares it with another service; `--objects` compares
// bucket and database; `--ipfs-network` joins the DHT.
// Tested by src/cli/doctor/doctor.test.ts
import type { Command } from 'commander'
import { reachedUrl, tlsFilesOf } from '../../server/open-access.ts'
import type { QueriedOpenId } from '../query-openid.ts'
import type { QueriedSource } from '../query-sources.ts'
import { asTyped } from '../typed-command.ts'
import type { Context, SharedOptions } from '../context.ts'
import { examine, type Diagnosis } from '../doctor/diagnosis.ts'
import { thisMachine } from '../doctor/machine.ts'
import type { QueriedIpfsNetwork } from '../doctor/query-ipfs-network.ts'
import { showAge, type UpstreamFacts } from '../../server/network-checks/upstream-checks.ts'
import { createPaint } from '../terminal-colors.ts'
import { FoundBad, print, visible } from '../report.ts'
import { addServerOptions, type ServerOptions } from '../server-access.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'

type DoctorOptions = ServerOptions & {
  readonly live?: true
  readonly objects?: true
  readonly ipfsNetwork?: true
  readonly dropin?: string
  readonly network?: string
}

export function defineDoctor(command: Command, context: Context): void {
  addServerOptions(addSharedOptions(command))
    .option('--live', 'only check that the server of these settings responds to GET /livez')
    .option('--objects', 'also compare all objects of the bucket (objects.url) with the database')
    .option(
      '--ipfs-network',
      'also join the DHT for some seconds, and connect to announced gateways',
    )
    .option('--dropin <endpoint>', 'compare a running server with another JSON-RPC endpoint')
    .option('--network <name>', 'with --dropin: network of this server to compare; else the first')
    .addHelpText(
      'after',
      `
Examples:
  cairn doctor
  cairn doctor --config cairn.yaml --json
  cairn doctor --live                 for health checks of containers: exit code 0 or 1 within 2 s
  cairn doctor --objects              after a restore of the database or the bucket
  cairn doctor --ipfs-network         whether the IPFS network answers; contacts its peers
  cairn doctor --dropin '\${env:INFURA_URL}' --network mainnet

--dropin sends a fixed mix of read requests to both, at most 10 a second, and needs CAIRN_KEY of this server. The URL of the
other endpoint may contain a key. Pass it as '\${env:NAME}', '\${file:/path}' or - (standard input). Cairn never prints it.
Each difference is listed with its reason; the exit code is 1 if one has no documented reason.

The exit code is 1 if there is a problem, and 0 if there are only warnings. Works with and without a running server.`,
    )
    .action(async ({ dropin, ...options }: DoctorOptions) => {
      if (dropin !== undefined && options.live === true) {
        throw new UsageError('--live and --dropin are two commands: use one of them')
      }
      if (dropin === undefined && options.network !== undefined) {
        throw new UsageError('--network needs --dropin')
      }
      if (options.objects === true && (dropin !== undefined || options.live === true)) {
        throw new UsageError('--objects needs neither --live nor --dropin: use one of them')
      }
      if (options.ipfsNetwork === true && (dropin !== undefined || options.live === true)) {
        throw new UsageError('--ipfs-network needs neither --live nor --dropin: use one of them')
      }
      if (dropin !== undefined) {
        const { compareEndpoints } = await import('../dropin/dropin.ts')
        return await compareEndpoints(context, { ...options, dropin })
      }
      if (options.live === true) return checkLive(context, options)
      const diagnosis = await examine(context, options, thisMachine())
      const ok = diagnosis.problems.every(({ level }) => level !== 'problem')
      print(
        context,
        options.json,
        { ok, ...diagnosis },
        asTyped(context, describe(context, diagnosis)),
      )
      if (!ok) throw new FoundBad()
    })
}

/** Throws FoundBad if no Cairn server responds. */
async function checkLive(context: Context, options: SharedOptions): Promise<void> {
  const { http } = (await settingsOf(context, options)).config
  const { host, port } = http
  const isSecure = tlsFilesOf(http) !== null
  if (port === 0) {
    throw new UsageError('--live needs the port of the server, and http.port is 0: set http.port')
  }
  const url = reachedUrl(http, isSecure)
  const ok = await thisMachine().isCairn(host, port, isSecure)
  const text = ok
    ? `${url} is live.`
    : `no Cairn server responds at ${url}/livez: start it with cairn start, or see its log`
  print(context, options.json, { ok, url }, asTyped(context, text))
  if (!ok) throw new FoundBad()
}

function describe(
  context: Context,
  { problems, running, upstreams, sources, openId, comparison, ipfsNetwork }: Diagnosis,
): string {
  const paint = createPaint(context, 'out')
  const marks = { problem: paint('red', 'problem'), warning: paint('yellow', 'warning') }
  const lines = problems.map(
    ({ level, text, fix }) => `${marks[level]}  ${visible(text)}.\n         fix: ${visible(fix)}`,
  )
  const server =
    running === null
      ? 'Remaining checks skipped.'
      : `The server is ${running ? 'running' : 'not running'}.`
  const wrong = problems.filter(({ level }) => level === 'problem').length
  const other = problems.length - wrong
  const pieces = `${other} ${other === 1 ? 'warning' : 'warnings'}`
  const sum =
    wrong === 0
      ? `${paint('green', 'No problems')}${other === 0 ? '' : `, ${pieces}`}.`
      : `${wrong} ${wrong === 1 ? 'problem' : 'problems'}, ${pieces}.`
  const found = [
    ...upstreams.map(describeUpstream),
    ...sources.map(describeSource),
    ...(openId === null ? [] : [describeOpenId(openId)]),
    ...(comparison === null
      ? []
      : [`bucket: ${comparison.objects} objects compared with ${comparison.rows} rows`]),
    ...(ipfsNetwork === null ? [] : describeIpfsNetwork(ipfsNetwork)),
  ]
  return [...lines, ...found, `${sum} ${server}`].join('\n')
}

function describeUpstream(facts: UpstreamFacts): string {
  const { network, upstream, reachable, client, head, proofs, state, archive, lacks } = facts
  const name = `${network}/${upstream}`
  if (!reachable) return `upstream ${visible(name)}: not reachable`
  const parts = [
    client ?? 'unknown client',
    head === null ? 'no head' : `block ${head.number}, ${showAge(head.ageSeconds)} old`,
    proofs === 'unknown' ? 'unknown proof depth' : `proves ${proofs}`,
    ...(archive ? ['archive'] : state === 'unknown' ? [] : [`has the state of ${state}`]),
    ...(lacks.length === 0 ? [] : [`lacks ${lacks.join(', ')}`]),
  ]
  return `upstream ${visible(name)}: ${visible(parts.join('; '))}`
}

function describeSource({ name, failure, ms }: QueriedSource): string {
  return `source ${visible(name)}: ${failure === null ? `replies in ${ms} ms` : 'supplies no blocks'}`
}

function describeOpenId({ name, redirectUri, failure }: QueriedOpenId): string {
  const state = failure === null ? 'discovery succeeds' : 'discovery fails'
  return `openid ${visible(name)}: ${state}; redirect URI ${visible(redirectUri)}`
}

function describeIpfsNetwork({ routers, dht, gateways }: QueriedIpfsNetwork): readonly string[] {
  return [
    ...routers.map(
      ({ host, failure, ms }) =>
        `router ${visible(host)}: ${failure === null ? `replies in ${ms} ms` : 'finds no providers'}`,
    ),
    ...(dht === null
      ? []
      : [`DHT: ${dht.peers === 0 ? 'no peers' : `${dht.peers} peers after ${dht.ms} ms`}`]),
    ...gateways.map(
      ({ address, protocol, failure }) =>
        `announced gateway ${visible(address)}: ${failure === null ? visible(protocol === '' ? 'http/1.1' : protocol) : 'not reachable'}`,
    ),
  ]
}
