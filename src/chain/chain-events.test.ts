import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createForkedChain } from '../../test/fakes/upstream/forked-chain.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import type { Fault } from '../base/fault.ts'
import { silentLog } from '../base/log.ts'
import { createChainEvents } from './chain-events.ts'
import type { ProvedHeader } from './proved-memory.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}

function follow(limits: Partial<Parameters<typeof createChainEvents>[2]> = {}) {
  const chain = createForkedChain()
  const clock = createManualClock()
  const feed = createChainEvents(
    chain.network,
    { clock, log: silentLog },
    { stepsMax: 50, movesMax: 4, patienceMs: 60_000, tryMs: 10_000, ...limits },
  )
  const events: [ProvedHeader, boolean][] = []
  const lost: Fault[] = []
  const join = () =>
    feed.follow({
      step: ({ block, removed }) => events.push([block, removed]),
      lost: (fault) => lost.push(fault),
    })
  return { chain, clock, feed, events, lost, join }
}

test('each block is delivered once and in order, even if the head skips blocks', async () => {
  const { chain, events, join } = follow()
  const leave = join()
  const line = [chain.genesis]
  for (let made = 0; made < 9; made += 1) line.push(chain.grow(line.at(-1) as ProvedHeader))
  for (const at of [1, 2, 5, 9]) chain.moveTo(line[at] as ProvedHeader)
  await settle()
  assert.deepEqual(
    events,
    line.slice(1).map((block) => [block, false]),
  )
  leave()
  assert.equal(chain.watchers, 0)
})

test('a reorg removes blocks, newest first, then adds the whole new branch', async () => {
  const { chain, events, join } = follow()
  join()
  const a1 = chain.grow(chain.genesis)
  const a2 = chain.grow(a1)
  const a3 = chain.grow(a2)
  const b2 = chain.grow(a1)
  const b3 = chain.grow(b2)
  const b4 = chain.grow(b3)
  chain.moveTo(a3)
  await settle()
  chain.moveTo(b4)
  await settle()
  assert.deepEqual(events, [
    [a1, false],
    [a2, false],
    [a3, false],
    [a3, true],
    [a2, true],
    [b2, false],
    [b3, false],
    [b4, false],
  ])
})

test('without a reachable source no block is delivered, and none is missing afterwards', async () => {
  const { chain, clock, events, lost, join } = follow()
  join()
  chain.reachable = false
  const a1 = chain.grow(chain.genesis)
  const a2 = chain.grow(a1)
  chain.moveTo(a1)
  await settle()
  chain.moveTo(a2)
  for (let second = 0; second < 20; second += 1) {
    clock.advance(1_000)
    await settle()
  }
  assert.deepEqual(events, [])
  chain.reachable = true
  clock.advance(10_000)
  await settle()
  assert.deepEqual(events, [
    [a1, false],
    [a2, false],
  ])
  assert.deepEqual(lost, [])
})

test('after a timeout or an overlong reorg followers are lost, and new ones start again', async () => {
  const { chain, clock, events, lost, join } = follow()
  join()
  chain.reachable = false
  chain.moveTo(chain.grow(chain.genesis))
  for (let second = 0; second < 80; second += 1) {
    await settle()
    clock.advance(1_000)
  }
  assert.deepEqual(
    lost.map(({ code }) => code),
    ['no_upstream'],
  )
  assert.equal(chain.watchers, 0)
  chain.reachable = true
  join()
  let block = chain.genesis
  for (let made = 0; made < 60; made += 1) block = chain.grow(block)
  chain.moveTo(block)
  await settle()
  assert.deepEqual(
    lost.map(({ code }) => code),
    ['no_upstream', 'over_range'],
  )
  assert.deepEqual(events, [])
})

test('a follower that joins during a move recognizes its events by their number', async () => {
  const { chain, feed, join } = follow()
  join()
  chain.moveTo(chain.grow(chain.genesis))
  const { sequence: turn } = feed
  const late: boolean[] = []
  feed.follow({ step: (step) => late.push(step.sequence > turn), lost: () => {} })
  await settle()
  chain.moveTo(chain.grow(chain.genesis))
  await settle()
  assert.deepEqual(late, [false, true, true])
})

test('a head that moves while the last event of the previous move is delivered is followed once', async () => {
  const { chain, feed, events, join } = follow()
  const a1 = chain.grow(chain.genesis)
  const a2 = chain.grow(a1)
  feed.follow({
    step: ({ block }) => {
      if (block.header.number === 1n) queueMicrotask(() => chain.moveTo(a2))
    },
    lost: () => {},
  })
  join()
  chain.moveTo(a1)
  await settle()
  assert.deepEqual(
    events.map(([{ header }]) => header.number),
    [1n, 2n],
  )
})
