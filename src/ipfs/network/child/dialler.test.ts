// The limits of the dialler, on a simulated node.
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import type { NetHello } from '../net-messages.ts'
import { createDialler, dialMs, peersMax, triesMax } from './dialler.ts'
import type { NetNode } from './node.ts'

const id = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'
const address = '/ip4/192.0.2.1/tcp/4001'
const addressNumber = (at: number): string => `/ip4/192.0.2.1/tcp/${4001 + at}/p2p/${id}`

type Dial = (signal: AbortSignal) => Promise<void>

function rig(dial: Dial, peers: readonly string[] = [], bootstrap: readonly string[] = []) {
  let lostMs = 0
  let dials = 0
  const manualClock = createManualClock()
  const clock = {
    ...manualClock,
    get lostMs() {
      return lostMs
    },
  }
  const libp2p = {
    peerId: { toString: () => 'self' },
    getConnections: () => [],
    dial: async (_targets: unknown, { signal = new AbortController().signal } = {}) => {
      dials += 1
      await dial(signal)
    },
  }
  const node = { libp2p, isExcluded: (peer: string) => peer === 'excluded' } as unknown as NetNode
  const hello = { peers, bootstrap, private: true } as unknown as NetHello
  const dialler = createDialler(node, hello, async () => [], clock)
  return {
    dialler,
    clock: manualClock,
    dials: () => dials,
    lose: (ms: number) => void (lostMs += ms),
  }
}

const untilAborted: Dial = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })

test('a dial ends after 10 s of running time', async () => {
  const { dialler, clock } = rig(untilAborted)
  const ended = rejects(dialler.dial(id, [address]), /no connection in time/)
  await setImmediate()
  clock.advance(dialMs)
  await ended
  equal(clock.timers, 2)
})

test('a dial whose time was lost is repeated, five times in all', async () => {
  const failing = async (): Promise<void> => {
    lose(1_000)
    throw new Error('late')
  }
  const { dialler, dials, lose } = rig(failing)
  await rejects(dialler.dial(id, [address]), /late/)
  equal(dials(), triesMax)
  const { dialler: other, dials: once } = rig(async () => {
    throw new Error('refused')
  })
  await rejects(other.dial(id, [address]), /refused/)
  equal(once(), 1)
})

test('an excluded peer, this one, and one without an address are not dialled', async () => {
  const { dialler, dials } = rig(async () => {})
  for (const peer of ['excluded', 'self', id]) await rejects(dialler.dial(peer, []))
  equal(dials(), 0)
})

test('at most 100 peers of the operator are connected, and of bootstrap', async () => {
  const many = Array.from({ length: peersMax + 5 }, (_, at) => addressNumber(at))
  const { dialler, dials } = rig(async () => {}, [], many)
  await setImmediate()
  equal(dials(), peersMax)
  dialler.replacePeers(many)
  equal(dialler.operatorPeers().length, peersMax)
  dialler.replacePeers([])
  const added = many.map((one) => dialler.addPeer(one))
  deepEqual(added, [
    ...Array.from({ length: peersMax }, () => true),
    false,
    false,
    false,
    false,
    false,
  ])
  equal(dialler.addPeer('/ip4/192.0.2.1/tcp/4001'), false)
  dialler.removePeer(id)
  deepEqual(dialler.operatorPeers(), [])
})
