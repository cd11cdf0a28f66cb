// The limits of DHT lookups, on a simulated DHT.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import type { KadDHT, QueryEvent } from '@libp2p/kad-dht'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { parseCid } from '../../../codec/ipld/cid.ts'
import type { Provider } from './block-peer.ts'
import { createDht, dhtLimits } from './dht.ts'
import type { NetNode } from './node.ts'

const cid = parseCid('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy') ?? fail()
const peer = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'
const never = new AbortController().signal
const self = { toString: () => 'self' }

function fail(): never {
  throw new Error('no CID')
}

type Query = (signal: AbortSignal) => AsyncIterable<unknown>

/** A DHT whose lookups all have these events. */
function rig(query: Query) {
  const clock = createManualClock()
  const lookUp = (_key: unknown, { signal }: { signal: AbortSignal }) =>
    query(signal) as AsyncIterable<QueryEvent>
  const kad = {
    findProviders: lookUp,
    findPeer: lookUp,
    get: lookUp,
    getClosestPeers: lookUp,
    provide: lookUp,
    cancelReprovide: async () => {},
  } as unknown as KadDHT
  const node = { libp2p: { peerId: self } } as unknown as NetNode
  return { dht: createDht(kad, node, clock), clock }
}

/** Waits until `signal` aborts. */
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  yield await new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

test('a lookup ends with 100 providers, of which this node is none', async () => {
  let sent = 0
  let isEnded = false
  const { dht } = rig(async function* () {
    try {
      yield { name: 'PEER_RESPONSE' }
      for (; ; sent += 1) {
        const id = sent % 2 === 0 ? self : { toString: () => `peer${sent}` }
        yield { name: 'PROVIDER', providers: [{ id, multiaddrs: ['/ip4/192.0.2.1/tcp/1'] }] }
      }
    } finally {
      isEnded = true
    }
  })
  const found: Provider[] = []
  ok(await dht.findProviders(cid, (provider) => void found.push(provider), never))
  equal(found.length, dhtLimits.providersMax)
  ok(isEnded)
})

test('a key has at most 16 records, each once and of at most 10 KiB', async () => {
  let sent = 0
  const { dht } = rig(async function* () {
    const value = (bytes: number) => ({
      name: 'PEER_RESPONSE',
      record: { value: Buffer.alloc(bytes, sent) },
    })
    yield value(dhtLimits.recordBytesMax + 1)
    for (; ; sent += 1) {
      yield value(dhtLimits.recordBytesMax)
      yield value(dhtLimits.recordBytesMax)
    }
  })
  const records = await dht.getRecords(Buffer.from('key'), never)
  equal(records.length, dhtLimits.recordsMax)
  equal(sent, dhtLimits.recordsMax - 1)
  ok(records.every(({ length }) => length === dhtLimits.recordBytesMax))
})

test('16 lookups run, 2,048 wait, and further ones find nothing at once', async () => {
  const { dht } = rig(silence)
  const gone = new AbortController()
  const all = Array.from({ length: dhtLimits.lookups + dhtLimits.waiting }, () =>
    dht.findPeer(peer, gone.signal),
  )
  deepEqual(await dht.findPeer(peer, gone.signal), [])
  equal(dht.lookups, dhtLimits.lookups)
  gone.abort(new Error('over'))
  ok((await Promise.all(all)).every(({ length }) => length === 0))
  equal(dht.lookups, dhtLimits.lookups)
})

test('a lookup ends after 30 s, an announcement after a minute', async () => {
  const { dht, clock } = rig(silence)
  const ended: string[] = []
  const all = [
    dht.findProviders(cid, () => {}, never).then((isWhole) => ended.push(`lookup ${isWhole}`)),
    dht.provide(cid, never).then((stored) => ended.push(`announcement ${stored}`)),
  ]
  const advance = async (ms: number): Promise<void> => {
    await setImmediate()
    clock.advance(ms)
    await setImmediate()
  }
  await advance(dhtLimits.lookupMs - 1)
  deepEqual(ended, [])
  await advance(1)
  deepEqual(ended, ['lookup false'])
  await advance(dhtLimits.provideMs - dhtLimits.lookupMs)
  await Promise.all(all)
  deepEqual(ended, ['lookup false', 'announcement 0'])
})
