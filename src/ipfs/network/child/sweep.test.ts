// The limits of announcements of a region, on a simulated DHT.
import { deepEqual, equal } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { kadOf } from '../provide-times.ts'
import { closestPeers, type DhtPeer } from './dht-zone.ts'
import { createSweep, sendsMax, zoneMs } from './sweep.ts'

function rig(peerCount: number) {
  const clock = createManualClock()
  const peers = Array.from({ length: peerCount }, (_, at): DhtPeer => {
    return { id: `${at}`, kad: randomBytes(32), addresses: [] }
  })
  let walks = 0
  let running = 0
  let most = 0
  const sweep = createSweep({
    clock,
    dht: {
      peers: peerCount,
      async closestPeers(key) {
        walks += 1
        return closestPeers(kadOf(key), peers)
      },
    },
    async send() {
      running += 1
      most = Math.max(most, running)
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      running -= 1
      return true
    },
  })
  const announce = (count: number) =>
    sweep.announce(
      Array.from({ length: count }, () =>
        Buffer.concat([Uint8Array.of(0x12, 32), randomBytes(32)]),
      ),
      0,
    )
  return { clock, announce, walks: () => walks, most: () => most }
}

test('16 peers get records at a time', async () => {
  const { announce, most } = rig(60)
  deepEqual(new Set(await announce(40)), new Set([20]))
  equal(most(), sendsMax)
})

test('the peers of a region are known for ten minutes', async () => {
  const { clock, announce, walks } = rig(10)
  await announce(1)
  equal(walks(), 1)
  clock.advance(zoneMs - 1)
  await announce(1)
  equal(walks(), 1)
  clock.advance(1)
  await announce(1)
  equal(walks(), 2)
})
