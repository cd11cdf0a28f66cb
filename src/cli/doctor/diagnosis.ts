// Runs all checks in the order in which problems should be fixed. If the settings cannot be read, no other check runs, because all
// depend on them.
// Tested by src/cli/doctor/doctor.test.ts
import { settingsFile } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { readYamlFile } from '../../config/yaml-file.ts'
import { querySources, type QueriedSource } from '../query-sources.ts'
import { queryUpstreams } from '../../server/network-checks/query-upstreams.ts'
import { queryObjects } from '../query-objects.ts'
import { queryOpenId, type QueriedOpenId } from '../query-openid.ts'
import { queryBeacon } from '../query-beacon.ts'
import { queryShared } from '../query-shared.ts'
import type { Context, SharedOptions } from '../context.ts'
import { settingsOf } from '../shared-options.ts'
import { findStoredNetworks } from '../stored-networks.ts'
import { checkBeacon } from './beacon-checks.ts'
import { checkChainFiles } from './chain-checks.ts'
import { checkData, hasKeyPair, isRunning } from './data-checks.ts'
import { checkDatabase } from './database-checks.ts'
import type { Machine } from './machine.ts'
import {
  checkAccessLog,
  checkAddress,
  checkDenyLists,
  checkFolder,
  checkHugePages,
  checkProcess,
  checkSettingsFile,
} from './machine-checks.ts'
import type { CommandLine, Problem } from '../../server/network-checks/problem.ts'
import { checkSavedNetworks } from './saved-network-checks.ts'
import { checkIpfsNetwork } from './ipfs-network-checks.ts'
import { queryIpfsNetwork, type QueriedIpfsNetwork } from './query-ipfs-network.ts'
import { checkObjects } from './object-checks.ts'
import type { ObjectComparison } from './object-comparison.ts'
import { checkOpenId } from './openid-checks.ts'
import { checkShared } from './shared-checks.ts'
import { checkSettings, explainRefusal } from './settings-checks.ts'
import { checkSources } from './source-checks.ts'
import {
  checkUpstreams,
  factsOf,
  type UpstreamFacts,
} from '../../server/network-checks/upstream-checks.ts'
import { checkTls } from './tls-checks.ts'

export type Diagnosis = {
  readonly problems: readonly Problem[]
  /** A server holds the data folder; null = unknown, because the settings cannot be read. */
  readonly running: boolean | null
  /** Results for each upstream of the settings and of saved networks. */
  readonly upstreams: readonly UpstreamFacts[]
  /** Results for each source of files. */
  readonly sources: readonly QueriedSource[]
  /** The OpenID provider of the settings; null: none. */
  readonly openId: QueriedOpenId | null
  /** The comparison of bucket and database; null: not compared. */
  readonly comparison: ObjectComparison | null
  /** Results for the IPFS network; null: `ipfsNetwork.mode` is off. */
  readonly ipfsNetwork: QueriedIpfsNetwork | null
}

/** Time to find a peer of the DHT. */
const dhtMs = 20_000

/** Changes nothing. Any exception is a bug. */
export async function examine(
  context: Context,
  options: SharedOptions & { readonly objects?: true; readonly ipfsNetwork?: true },
  machine: Machine,
): Promise<Diagnosis> {
  const command = commandLine(options)
  const probe = { ms: dhtMs, path: context.env['PATH'] }
  const file = settingsFile({ file: options.config ?? null, env: context.env })
  try {
    const loaded = await settingsOf(context, options)
    const { config, saved } = await findStoredNetworks(loaded.config)
    const written =
      file === null
        ? []
        : (await readYamlFile(file)).map(({ path, line }) => ({ path, where: `${file}:${line}` }))
    const running = isRunning(machine, config.dataDir)
    const chain = checkChainFiles(machine, config)
    const [upstreamReports, sources, openId, shared, objects, ipfsNetwork, beacon] =
      await Promise.all([
        queryUpstreams(config),
        querySources(config),
        queryOpenId(config),
        queryShared(config),
        queryObjects(config, options.objects),
        queryIpfsNetwork(config, machine, options.ipfsNetwork === true ? probe : null),
        queryBeacon(config, machine.clock),
      ])
    const problems = [
      ...checkProcess(machine, config),
      ...(file === null ? [] : checkSettingsFile(machine, file)),
      ...checkSettings(loaded, written),
      ...(await checkAddress(machine, config, running)),
      ...checkFolder(machine, config),
      ...checkDenyLists(machine, config),
      ...checkAccessLog(machine, config),
      ...(await checkTls(machine.clock, config, command)),
      ...chain.problems,
      ...(await Array.fromAsync(
        checkData({ machine, config, firstHash: chain.firstHash, command }),
      )),
      ...(await Array.fromAsync(
        checkDatabase({
          machine,
          config,
          own: loaded.config,
          command,
          hasKeyPair: hasKeyPair({ machine, config }),
        }),
      )),
      ...checkSavedNetworks(loaded.config, saved, command),
      ...checkUpstreams(config, upstreamReports, command),
      ...checkBeacon(beacon),
      ...checkSources(config, sources),
      ...checkOpenId(openId),
      ...checkShared(shared),
      ...checkObjects(objects),
      ...(await Array.fromAsync(checkIpfsNetwork(ipfsNetwork, machine, config, running))),
      ...checkHugePages(machine),
    ]
    const comparison = objects?.comparison ?? null
    const upstreams = upstreamReports.map(factsOf)
    return { problems, running, upstreams, sources, openId, comparison, ipfsNetwork }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      problems: error.mistakes.map((mistake) => explainRefusal(mistake, command)),
      running: null,
      upstreams: [],
      sources: [],
      openId: null,
      comparison: null,
      ipfsNetwork: null,
    }
  }
}

function commandLine({ config, dataDir }: SharedOptions): CommandLine {
  const flags = [
    ...(config === undefined ? [] : ['--config', config]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ]
  return (command) => ['cairn', command, ...flags].join(' ')
}
