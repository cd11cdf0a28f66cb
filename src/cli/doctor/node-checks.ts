// Problems between the servers of one database: settings that differ, and a server that takes itself for the only one.
// Tested by src/cli/doctor/node-checks.test.ts
import { obtainSealSecret } from '../../access/accounts/server-identity.ts'
import type { Config } from '../../config/settings.ts'
import { digestSettings, type SettingDigests } from '../../config/shared-settings.ts'
import type { Rows } from '../../db/rows.ts'
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import { listLiveNodes } from '../../tables/objects/object-segments.ts'

/** `config`: as in the settings file, without saved networks. `hasKeyPair`: its key pair exists. */
export async function* checkNodes(
  rows: Pick<Rows, 'find'>,
  config: Config,
  hasKeyPair: boolean,
): AsyncGenerator<Problem> {
  const nodes = await rows.find(listLiveNodes())
  if (config.node.only && nodes.length > 1) {
    yield problem(
      'node_not_alone',
      `node.only is true, but ${nodes.length} servers use the database (${nodes.map(({ node }) => node).join(', ')}): each admits the whole rate of a key`,
      'shared: {url: "${env:VALKEY_URL}"} on all of them, without node.only',
    )
  }
  if (!hasKeyPair) return
  const own = digestSettings(config, obtainSealSecret(config))
  for (const { node, settings } of nodes) {
    const differing = differencesOf(own, settings)
    if (differing.length === 0) continue
    yield warning(
      'node_settings_differ',
      `server ${node} has other settings than this file: ${differing.join(', ')}`,
      'use the same settings on all machines, and restart those servers that have not taken them',
    )
  }
}

/** A program of another version may have digests of other settings; only those of both are compared. */
function differencesOf(own: SettingDigests, text: string): readonly string[] {
  const other = JSON.parse(text) as SettingDigests
  return Object.keys(own).filter((name) => name in other && other[name] !== own[name])
}
