// Heads that an upstream pushes: the messages in both directions and their limits.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startHeadPusher } from '../../../../test/fakes/upstream/head-pusher.ts'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { toHex } from '../../../base/hex.ts'
import type { Log } from '../../../base/log.ts'
import {
  createHeadFeed,
  guessWebSocketUrl,
  type HeadFeedOptions,
  headFeedLimits,
} from './head-feed.ts'

const hashOf = (tag: number): string => toHex(new Uint8Array(32).fill(tag))
const block = (tag: number) => ({ hash: hashOf(tag), number: BigInt(tag) })

type Entry = { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }

async function start(t: TestContext, over: Partial<HeadFeedOptions> = {}) {
  const node = await startHeadPusher()
  const clock = createManualClock()
  const heads: string[] = []
  const logged: Entry[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => waiting.forEach((wake) => wake())
  const log: Log = (_level, event, fields = {}) => {
    logged.push({ event, fields: fields as Entry['fields'] })
    wakeAll()
  }
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      await promise
      waiting.delete(resolve)
    }
  }
  const count = (event: string): number => logged.filter((one) => one.event === event).length
  /** Advances to the next attempt, and not beyond, because its own timers start then. */
  const again = (): void => clock.advance(Number(logged.at(-1)?.fields['againMs']))
  const feed = createHeadFeed({
    name: 'node',
    url: node.url,
    isGuess: false,
    headers: {},
    clock,
    log,
    onHead: async (hash) => {
      heads.push(toHex(hash))
      wakeAll()
    },
    ...over,
  })
  t.after(async () => {
    feed.stop()
    await node[Symbol.asyncDispose]()
  })
  return { node, pusher: node.pusher, clock, heads, logged, feed, until, count, again }
}

test('each pushed block is reported by its hash, with the headers of the upstream on the upgrade', async (t) => {
  const { pusher, clock, heads, until, feed, count } = await start(t, {
    headers: { authorization: 'Bearer secret-token' },
  })
  await until(() => count('heads_pushed') === 1)
  assert.equal(feed.isLive, true)
  assert.equal(pusher.upgrades[0]?.headers.authorization, 'Bearer secret-token')
  pusher.push(block(1))
  await until(() => heads.length === 1)
  clock.advance(headFeedLimits.headsApartMs)
  pusher.push(block(2))
  await until(() => heads.length === 2)
  assert.deepEqual(heads, [hashOf(1), hashOf(2)])
})

test('credentials of the URL are sent with Basic authentication', async (t) => {
  const node = await startHeadPusher()
  t.after(() => node[Symbol.asyncDispose]())
  const { count, until } = await start(t, { url: node.url.replace('://', '://me:p%40ss@') })
  await until(() => count('heads_pushed') === 1)
  const { authorization } = node.pusher.upgrades[0]?.headers ?? {}
  assert.equal(authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})

test('if blocks arrive faster than they are processed the newest is delivered, one at a time', async (t) => {
  const reported: string[] = []
  let letGo: () => void = () => {}
  let running = 0
  const { pusher, clock, until, count, logged } = await start(t, {
    onHead: async (hash) => {
      running += 1
      assert.equal(running, 1)
      reported.push(toHex(hash))
      log()
      await new Promise<void>((resolve) => (letGo = resolve))
      running -= 1
    },
  })
  const log = (): void => void logged.push({ event: 'given', fields: {} })
  await until(() => count('heads_pushed') === 1)
  for (let tag = 1; tag <= 50; tag += 1) pusher.push(block(tag))
  while (reported.at(-1) !== hashOf(50)) {
    await new Promise((resolve) => setImmediate(resolve))
    letGo()
    clock.advance(headFeedLimits.headsApartMs)
  }
  assert.ok(reported.length < 50, `${reported.length} of 50 were looked at`)
})

test('after a burst of eight blocks the next are reported a tenth of a second apart', async (t) => {
  const { pusher, clock, heads, until, count } = await start(t)
  await until(() => count('heads_pushed') === 1)
  const { headsAtOnce, headsApartMs } = headFeedLimits
  for (let tag = 1; tag <= headsAtOnce; tag += 1) {
    pusher.push(block(tag))
    await until(() => heads.length === tag)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(clock.timers, 2, 'the pings, and the rest after the last of them')
  pusher.push(block(99))
  clock.advance(headsApartMs)
  await until(() => heads.length === headsAtOnce + 1)
})

test('a closed connection is reopened with backoff up to a minute, and soon after a good one', async (t) => {
  const { node, pusher, clock, logged, until, count, feed, heads, again } = await start(t)
  await until(() => count('heads_pushed') === 1)
  node.isOn = false
  pusher.cut()
  for (let times = 1; times <= 10; times += 1) {
    await until(() => count('heads_not_pushed') === times)
    assert.equal(feed.isLive, false)
    assert.equal(clock.timers, 1, 'nothing but the next try is left')
    again()
  }
  const waits = logged
    .filter(({ event }) => event === 'heads_not_pushed')
    .map(({ fields }) => fields['againMs'])
  assert.equal(waits[0], headFeedLimits.retryMs)
  assert.ok(waits.every((ms) => Number(ms) <= headFeedLimits.retryMsMax))
  node.isOn = true
  await until(() => count('heads_pushed') === 2)
  pusher.push(block(1))
  await until(() => heads.length === 1)
  clock.advance(headFeedLimits.headsApartMs)
  pusher.cut()
  await until(() => count('heads_not_pushed') === 11)
  assert.equal(logged.at(-1)?.fields['againMs'], headFeedLimits.retryMs)
})

test('a guessed URL that takes no WebSocket is retried after an hour, one of the settings after a minute', async (t) => {
  for (const isGuess of [true, false]) {
    const node = await startHeadPusher()
    t.after(() => node[Symbol.asyncDispose]())
    node.isOn = false
    const { until, count, logged } = await start(t, { url: node.url, isGuess })
    await until(() => count('heads_not_pushed') === 1)
    const ms = isGuess ? headFeedLimits.absentMs : headFeedLimits.retryMsMax
    assert.deepEqual(logged.at(-1)?.fields, { upstream: 'node', why: 'status 404', againMs: ms })
  }
})

test('an upstream that refuses the subscription, or never answers it, is polled', async (t) => {
  const { pusher, clock, until, count, feed, again } = await start(t)
  await until(() => count('heads_pushed') === 1)
  pusher.manner = 'refuse'
  pusher.cut()
  await until(() => count('heads_not_pushed') === 1)
  again()
  await until(() => count('heads_not_pushed') === 2)
  pusher.manner = 'silent'
  again()
  await pusher.until(() => pusher.open === 1)
  clock.advance(headFeedLimits.connectMs)
  await until(() => count('heads_not_pushed') === 3)
  assert.equal(feed.isLive, false)
})

test('a message that is too long, not text or not JSON ends the connection; another subscription is ignored', async (t) => {
  const { pusher, until, count, heads, again } = await start(t)
  const bad = ['{', '[]', '3', `"${'x'.repeat(headFeedLimits.messageBytesMax)}"`]
  for (const [at, text] of bad.entries()) {
    await until(() => count('heads_pushed') === at + 1)
    const params = { subscription: '0xffff', result: { hash: hashOf(1) } }
    pusher.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    pusher.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: null }))
    pusher.send(text)
    await until(() => count('heads_not_pushed') === at + 1)
    again()
  }
  assert.deepEqual(heads, [])
})

test('a silent connection is closed', async (t) => {
  const { pusher, clock, until, count } = await start(t)
  await until(() => count('heads_pushed') === 1)
  assert.equal(pusher.open, 1)
  // Without a wait between the two, no reply can arrive.
  clock.advance(headFeedLimits.pingMs)
  clock.advance(headFeedLimits.pingMs)
  await until(() => count('heads_not_pushed') === 1)
  await pusher.until(() => pusher.open === 0)
})

test('after stop the connection is closed, no timer is left, and nothing is reported', async (t) => {
  const { pusher, clock, until, count, feed, logged } = await start(t)
  await until(() => count('heads_pushed') === 1)
  const before = logged.length
  feed.stop()
  await pusher.until(() => pusher.open === 0)
  assert.equal(clock.timers, 0)
  clock.advance(headFeedLimits.absentMs)
  assert.deepEqual([logged.length, pusher.upgrades.length, feed.isLive], [before, 1, false])
})

test('the guessed URL has the same host and path', () => {
  assert.equal(
    guessWebSocketUrl('https://a:b@node.example/v1?k=1'),
    'wss://a:b@node.example/v1?k=1',
  )
  assert.equal(guessWebSocketUrl('http://127.0.0.1:8545'), 'ws://127.0.0.1:8545')
})
