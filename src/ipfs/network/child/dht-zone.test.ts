// Zones of simulated DHTs, whose walks are exact.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { kadOf } from '../provide-times.ts'
import { closestPeers, type DhtPeer, digitsOf, findZone, peersOfRecord } from './dht-zone.ts'

type World = {
  readonly peers: readonly DhtPeer[]
  walks: number
  readonly walk: (key: Uint8Array) => Promise<readonly DhtPeer[]>
  readonly isSmall: () => boolean
}

function createWorld(count: number): World {
  const peers = Array.from({ length: count }, (_, at): DhtPeer => {
    return { id: `${at}`, kad: randomBytes(32), addresses: [] }
  })
  const world: World = {
    peers,
    walks: 0,
    async walk(key) {
      world.walks += 1
      return closestPeers(kadOf(key), peers)
    },
    isSmall: () => count < peersOfRecord,
  }
  return world
}

const ids = (peers: readonly DhtPeer[]): string[] => peers.map(({ id }) => id).toSorted()

test('a region of 10,000 peers is learned by a few walks', async () => {
  const world = createWorld(10_000)
  for (let round = 0; round < 20; round++) {
    const prefix = digitsOf(randomBytes(32)).slice(0, 9)
    const zone = await findZone(prefix, world)
    ok(zone !== null && prefix.startsWith(zone.prefix))
    const whole = world.peers.filter(({ kad }) => digitsOf(kad).startsWith(zone.prefix))
    deepEqual(ids(zone.peers), ids(whole))
    ok(zone.peers.length >= peersOfRecord)
  }
  // About 20 peers per region: many regions need those of a neighbour too.
  ok(world.walks <= 20 * 8, `${world.walks} walks`)
})

test('a zone contains the closest peers of each of its keys', async () => {
  const world = createWorld(300)
  const zone = await findZone('010101010', world)
  ok(zone !== null)
  let checked = 0
  while (checked < 50) {
    const key = randomBytes(32)
    if (!digitsOf(key).startsWith(zone.prefix)) continue
    checked += 1
    deepEqual(closestPeers(key, zone.peers), closestPeers(key, world.peers))
  }
})

test('one walk finds all peers of a small DHT', async () => {
  const world = createWorld(7)
  const zone = await findZone('110010101', world)
  equal(zone?.prefix, '')
  equal(zone.peers.length, 7)
  equal(world.walks, 1)
})

test('without an answer there is no zone', async () => {
  equal(await findZone('1', createWorld(0)), null)
})

test('peers that invent their neighbours end the search after 32 walks', async () => {
  const world = createWorld(0)
  const walk = async (key: Uint8Array): Promise<readonly DhtPeer[]> => {
    world.walks += 1
    // As close to the key as peers can be.
    return Array.from({ length: peersOfRecord }, () => {
      return { id: randomBytes(8).toString('hex'), kad: kadOf(key), addresses: [] }
    })
  }
  const zone = await findZone('1', { walk, isSmall: () => false })
  equal(world.walks, 32)
  equal(zone?.peers.length, 32 * peersOfRecord)
})
