// Many announcements of one region: few DHT walks, and each record is stored at the peers where lookups search for it.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { closestPeers } from '../../src/ipfs/network/child/dht-zone.ts'
import { kadOf, regionBits, regionOf } from '../../src/ipfs/network/provide-times.ts'
import { missingKubo, startKubo } from '../engines/kubo.ts'
import { type DhtServer, startDhtServers } from '../fakes/dht-servers.ts'
import { type NetChild, startNetChild } from '../fakes/net-child.ts'
import { until } from '../fakes/until.ts'

const withinMs = 60_000

/** Multihashes whose keys start with the digits. */
function multihashesIn(digits: string, count: number): readonly Uint8Array[] {
  const found: Uint8Array[] = []
  const prefix = Number.parseInt(digits, 2)
  // Only a counter differs between the tries, because new random bytes for each take longer than its key.
  const tried = Buffer.concat([Uint8Array.of(0x12, 32), randomBytes(32)])
  for (let tries = 0; found.length < count; tries += 1) {
    tried.writeUInt32LE(tries, 2)
    if (regionOf(kadOf(tried), digits.length) === prefix) found.push(Uint8Array.from(tried))
  }
  return found
}

async function startChild(
  t: Parameters<typeof startNetChild>[0],
  bootstrap: readonly string[],
): Promise<NetChild> {
  const child = await startNetChild(t, { dht: 'client', bootstrap })
  await until(() => ok((child.counts()?.dhtPeers ?? 0) > 0, 'no DHT peer'), withinMs)
  return child
}

/** Result codes of announcements that peers stored. */
const done = (count: number): readonly number[] => Array.from({ length: count }, () => 0)

/** Waits for the next counts, which the process sends every 5 s. */
async function walksOf(child: NetChild): Promise<number> {
  const before = child.counts()
  await until(() => ok(child.counts() !== before, 'no counts'), withinMs)
  return child.counts()?.dhtLookups ?? 0
}

async function holdersOf(
  multihash: Uint8Array,
  servers: readonly DhtServer[],
  peer: string,
): Promise<readonly string[]> {
  const holders: string[] = []
  for (const { id, providersOf } of servers) {
    if ((await providersOf(multihash)).includes(peer)) holders.push(id)
  }
  return holders
}

test('a region of 100 blocks needs a walk or two', { timeout: 300_000 }, async (t) => {
  const servers = await startDhtServers(t, 36)
  const child = await startChild(t, [servers[0]?.address ?? ''])
  const before = await walksOf(child)
  const region = '010011010'
  equal(region.length, regionBits)
  const multihashes = multihashesIn(region, 100)
  deepEqual(await child.provide(multihashes, regionBits), done(100))
  const walks = (await walksOf(child)) - before
  t.diagnostic(`${walks} walks for ${multihashes.length} blocks`)
  ok(walks <= 16, `${walks} walks`)

  for (const multihash of multihashes.slice(0, 25)) {
    const closest = closestPeers(kadOf(multihash), servers).map(({ id }) => id)
    const holders = await holdersOf(multihash, servers, child.ready.peer)
    deepEqual(holders.toSorted(), closest.toSorted())
  }

  // The neighbour is in the same region.
  const next = multihashesIn('010011011', 50)
  deepEqual(await child.provide(next, regionBits), done(50))
  // Without a region each block needs a separate walk.
  deepEqual(await child.provide(next.slice(0, 5), 0), done(5))
  equal((await walksOf(child)) - before, walks + 5)
})

const kuboLimit = { skip: missingKubo(), timeout: 300_000 }

test(
  'Kubo finds the provider of a block that was announced with its region',
  kuboLimit,
  async (t) => {
    const [hub, other] = await Promise.all([startKubo(t), startKubo(t)])
    await other.connect(hub.address)
    const child = await startChild(t, [hub.address])
    const multihashes = multihashesIn('1100', 20)
    deepEqual(await child.provide(multihashes, 4), done(20))
    const cid = cidOf(1, rawCodec, multihashes[7] ?? new Uint8Array(0)).toString()
    const lines = await other.call('routing/findprovs', { arg: cid, 'num-providers': '1' })
    ok(lines.includes(child.ready.peer))
  },
)

test('without a peer of the DHT no block counts as announced', { timeout: 300_000 }, async (t) => {
  const child = await startNetChild(t, { dht: 'client' })
  deepEqual(await child.provide(multihashesIn('1', 2), 1), [1, 1])
})
