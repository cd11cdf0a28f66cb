import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createMemoryPubSub } from '../../../base/pub-sub.ts'
import { Fault } from '../../../base/fault.ts'
import type { BlockRef, HeadUpdate } from '../../head.ts'
import { shareHeadHints } from './head-hints.ts'

const block = (number: bigint): BlockRef => ({
  network: 'dev',
  hash: new Uint8Array(32).fill(Number(number)),
  number,
  anchor: 'single',
})

/** A node whose upstreams are at `upstream` and whose head is at `at`. */
function openNode(pubSub: ReturnType<typeof createMemoryPubSub>, at: bigint) {
  const clock = createManualClock()
  const listeners = new Set<(change: HeadUpdate) => void>()
  const node = {
    clock,
    at,
    upstream: at,
    polls: 0,
    async poll() {
      node.polls += 1
      if (node.upstream === node.at) return
      node.at = node.upstream
      for (const listener of listeners) listener({ removed: [], added: [block(node.at)] })
    },
  }
  const stop = shareHeadHints({
    network: 'dev',
    head: {
      latest() {
        if (node.at < 0n) throw new Fault('no_upstream')
        return block(node.at)
      },
      poll: node.poll,
      watch(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    pubSub,
    clock,
  })
  async function advance(ms: number): Promise<void> {
    clock.advance(ms)
    await setImmediate()
  }
  return Object.assign(node, { advance, stop })
}

test('a node polls at once when another one has a higher block', async () => {
  const pubSub = createMemoryPubSub()
  const [one, other] = [openNode(pubSub, 5n), openNode(pubSub, 5n)]
  one.upstream = 6n
  other.upstream = 6n
  await one.poll()
  await other.advance(0)
  assert.deepEqual([other.at, other.polls, one.polls], [6n, 1, 1])
  await other.advance(1_000)
  await one.advance(1_000)
  assert.deepEqual([other.polls, one.polls], [1, 1])
})

test('hints are not trusted, and cause a bounded number of polls', async () => {
  const pubSub = createMemoryPubSub()
  const node = openNode(pubSub, 5n)
  const hash = '0'.repeat(64)
  for (const message of [
    '',
    '6',
    `-6 ${hash}`,
    `6 ${hash}0`,
    `6e3 ${hash}`,
    `5 ${hash}`,
    `4 ${hash}`,
  ]) {
    pubSub.publish('head:dev', message)
  }
  await node.advance(1_000)
  assert.equal(node.polls, 0)
  pubSub.publish('head:dev', `99999999999999999999 ${hash}`)
  for (let n = 0; n < 20; n++) await node.advance(250)
  assert.deepEqual([node.at, node.polls], [5n, 3])
  // Many hints: one poll every 250 ms.
  for (let n = 0; n < 100; n++) {
    pubSub.publish('head:dev', `${n + 100} ${hash}`)
    await node.advance(10)
  }
  assert.ok(node.polls <= 3 + 1_000 / 250 + 1, `${node.polls}`)
  node.stop()
  pubSub.publish('head:dev', `9999999 ${hash}`)
  const { polls } = node
  await node.advance(1_000)
  assert.equal(node.polls, polls)
})

test('a node without a head polls too', async () => {
  const pubSub = createMemoryPubSub()
  const node = openNode(pubSub, -1n)
  node.upstream = 7n
  pubSub.publish('head:dev', `7 ${'0'.repeat(64)}`)
  await node.advance(0)
  assert.equal(node.at, 7n)
})
