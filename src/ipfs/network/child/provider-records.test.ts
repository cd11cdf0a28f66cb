// The limits of sending provider records, on a simulated DHT peer.
import { equal, ok } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { multiaddr } from '@multiformats/multiaddr'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import type { NetNode } from './node.ts'
import { addressesMax, peerMs, sendRecords } from './provider-records.ts'

const id = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'

/** A peer that reads, and replies at `reply`. */
class FakeStream extends EventTarget {
  readonly sent: Uint8Array[] = []
  isAborted = false
  writeStatus = 'writable'
  writableNeedsDrain = false
  writeBufferLength = 0
  send(bytes: Uint8Array): void {
    this.sent.push(bytes)
  }
  async close(): Promise<void> {}
  abort(): void {
    this.isAborted = true
    this.dispatchEvent(new Event('close'))
  }
  reply(): void {
    this.dispatchEvent(new Event('message'))
  }
}

function rig(addresses: number) {
  const clock = createManualClock()
  const stream = new FakeStream()
  const own = Array.from({ length: addresses }, (_, at) =>
    multiaddr(`/ip4/192.0.2.1/tcp/${4000 + at}`),
  )
  const libp2p = {
    peerId: { toMultihash: () => ({ bytes: Uint8Array.of(0, 1, 2) }) },
    getMultiaddrs: () => own,
    getConnections: () => [{}],
    dialProtocol: async () => stream,
  }
  const parts = { node: { libp2p } as unknown as NetNode, isPrivate: true, clock }
  const send = (count: number) => {
    const multihashes = Array.from({ length: count }, (_, at) => sha256Name(Buffer.from([at])))
    const peer = { id, kad: new Uint8Array(32), addresses: [] }
    return sendRecords(peer, multihashes, parts, new AbortController().signal)
  }
  return { clock, stream, send, own }
}

test('a record has at most 16 addresses of this node', async () => {
  const { stream, send, own } = rig(addressesMax + 4)
  const sent = send(2)
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  stream.reply()
  equal(await sent, true)
  // The records, and a PING.
  equal(stream.sent.length, 3)
  const [record = new Uint8Array(0)] = stream.sent
  const has = own.map(({ bytes }) => Buffer.from(record).includes(Buffer.from(bytes)))
  ok(has.slice(0, addressesMax).every(Boolean))
  ok(!has.slice(addressesMax).some(Boolean))
})

test('a peer that does not reply is given up after a minute', async () => {
  const { clock, stream, send } = rig(1)
  let taken: boolean | null = null
  const sent = send(1).then((isTaken) => (taken = isTaken))
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  clock.advance(peerMs - 1)
  await setImmediate()
  equal(taken, null)
  clock.advance(1)
  equal(await sent, false)
  equal(stream.sent.length, 2)
})
