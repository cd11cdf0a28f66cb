// Problems that doctor reports about heads by consensus, each by its code, with nodes of a simulated beacon chain.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { createBeaconChain, minimalSpec } from '../../../test/fakes/beacon/beacon-chain.ts'
import { type BeaconNodeOptions, startBeaconNode } from '../../../test/fakes/beacon/beacon-node.ts'
import { systemClock } from '../../base/clock.ts'
import { toHex } from '../../base/hex.ts'
import { timeOfSlot } from '../../beacon/spec.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/sqlite.ts'
import type { NetworkConfig } from '../../config/network-config.ts'
import { putLightClient } from '../../tables/upstream/light-clients.ts'
import { queryBeacon } from '../query-beacon.ts'
import { checkBeacon } from './beacon-checks.ts'

const spec = minimalSpec()
const chain = createBeaconChain({ spec })
const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-beacon-'))
after(() => rmSync(folder, { recursive: true }))

async function codes(
  t: TestContext,
  options: {
    readonly knobs?: Partial<BeaconNodeOptions>
    readonly checkpoint?: Uint8Array | null
    readonly now?: number
    readonly trust?: 'votes' | 'consensus'
    readonly dataDir?: string
  } = {},
): Promise<readonly string[]> {
  const node = await startBeaconNode(t, { chain, headSlot: () => 50, ...options.knobs })
  const checkpoint = options.checkpoint === undefined ? chain.rootAt(24) : options.checkpoint
  const network = {
    embedded: false,
    name: 'simulated',
    chainId: 5n,
    heads: {
      trust: options.trust ?? 'consensus',
      checkpoint: checkpoint === null ? null : toHex(checkpoint),
      beacon: [node.url],
      beaconSpec: {
        ...spec,
        genesisValidatorsRoot: toHex(spec.genesisValidatorsRoot),
        forks: [{ name: 'electra', epoch: 0, version: '0x05000001' }],
      },
    },
  }
  const now = options.now ?? timeOfSlot(spec, 50)
  const queried = await queryBeacon(
    { networks: [network as unknown as NetworkConfig], dataDir: options.dataDir ?? folder },
    { ...systemClock, now: () => now },
  )
  return [...checkBeacon(queried)].map(({ code }) => code)
}

test('a beacon node with a young checkpoint has no problem', async (t) => {
  assert.deepEqual(await codes(t), [])
})

test('networks with heads by votes are not queried', async (t) => {
  assert.deepEqual(await codes(t, { trust: 'votes', knobs: { status: 500 } }), [])
})

test('each problem has its code', async (t) => {
  assert.deepEqual(await codes(t, { knobs: { status: 404 } }), ['beacon_no_data'])
  assert.deepEqual(await codes(t, { knobs: { text: '{"data": {}}' } }), ['beacon_no_data'])
  assert.deepEqual(await codes(t, { checkpoint: null }), ['beacon_no_checkpoint'])
  assert.deepEqual(await codes(t, { checkpoint: chain.rootAt(25) }), ['beacon_checkpoint_unknown'])
  assert.deepEqual(await codes(t, { now: timeOfSlot(spec, 30) }), ['beacon_clock'])
  assert.deepEqual(await codes(t, { now: timeOfSlot(spec, 150) }), ['beacon_stale'])
  const late = timeOfSlot(spec, 50) + 15 * 86_400_000
  assert.deepEqual(await codes(t, { now: late }), ['beacon_checkpoint_old', 'beacon_stale'])
})

test('a stored state needs no checkpoint', async (t) => {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const db = openDatabase(join(dataDir, 'cairn.db'))
  migrate(db)
  const { sql, parameters } = putLightClient({
    network: 'simulated',
    state: '{}',
    digest: '',
    saved: 1,
  })
  db.run(sql, parameters)
  db.close()
  assert.deepEqual(await codes(t, { checkpoint: null, dataDir }), [])
})
