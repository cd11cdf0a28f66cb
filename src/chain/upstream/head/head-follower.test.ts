// The head from the votes of several upstreams: the counted votes, the updates of a reorg, and the cases without a head.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { until } from '../../../../test/fakes/until.ts'
import { Fault } from '../../../base/fault.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { silentLog } from '../../../base/log.ts'
import type { Header } from '../../../codec/ethereum/header.ts'
import type { HeadUpdate } from '../../head.ts'
import { createHeadFollower } from './head-follower.ts'
import type { HeadSettings } from './head-settings.ts'
import type { HeadSource } from './head-source.ts'
import type { NumberedBlocks } from './numbered-blocks.ts'
import { beginRead, completeRead, SuspendedRead } from '../../read.ts'

const { signal } = new AbortController()

/** Block `number` of a branch: 'a' is the main one, others leave it after `forkAt`. */
type Name = { readonly branch: string; readonly number: number }
const forkAt = 10

function hashOf({ branch, number }: Name): Uint8Array {
  const hash = new Uint8Array(32)
  hash[0] = number <= forkAt ? 97 : branch.charCodeAt(0)
  new DataView(hash.buffer).setUint32(28, number)
  return hash
}

function headerOf(hash: Uint8Array): Header {
  const number = new DataView(hash.buffer).getUint32(28)
  const branch = String.fromCharCode(hash[0] ?? 0)
  const parentHash = number === 0 ? new Uint8Array(32) : hashOf({ branch, number: number - 1 })
  return { number: BigInt(number), parentHash } as Header
}

type Node = HeadSource & {
  at: Name
  safeAt: Name | null
  /** The number of its safe block in its replies; null: the correct one. */
  safeNumber: number | null
  /** Its chain ID is that of another chain. */
  elsewhere: boolean
  down: boolean
  usable: boolean
  lag: number
}

function node(name: string, at: Name, trusted = false): Node {
  const made: Node = {
    name,
    trusted,
    usable: true,
    at,
    safeAt: null,
    safeNumber: null,
    elsewhere: false,
    down: false,
    lag: 0,
    setLag: (blocks) => void (made.lag = blocks),
    confirmChain: async () => {
      made.usable = !made.elsewhere
      if (made.elsewhere) throw new Error('another chain')
    },
    call: async (_method, [tag]) => {
      if (made.down) throw new Error('connection refused')
      const block = tag === 'latest' ? made.at : made.safeAt
      if (block === null) return null
      const number = (tag === 'latest' ? null : made.safeNumber) ?? block.number
      return { hash: toHex(hashOf(block)), number: toQuantity(BigInt(number)) }
    },
  }
  return made
}

const settings: HeadSettings = {
  quorum: 2,
  quorumRequired: false,
  pollMs: 1_000,
  maxAgeMs: 60_000,
}

async function follow(
  t: TestContext,
  sources: readonly Node[],
  over: Partial<HeadSettings> = {},
  older: NumberedBlocks = {
    get: async () => assert.fail('asked for an older block'),
    forget: () => {},
  },
) {
  const clock = createManualClock()
  const requests: string[] = []
  const follower = createHeadFollower({
    network: 'test',
    sources,
    settings: { ...settings, ...over },
    header: async (hash) => {
      requests.push(toHex(hash))
      const isCut = (hash[0] ?? 0) > 98 && new DataView(hash.buffer).getUint32(28) === 200
      if (hash[0] === 0 || isCut) throw new Fault('not_found')
      return headerOf(hash)
    },
    older,
    // eslint-disable-next-line typescript/require-await
    locate: async function* () {},
    clock,
    log: silentLog,
  })
  t.after(() => follower.stop())
  await follower.poll()
  const updates: HeadUpdate[] = []
  follower.watch((change) => void updates.push(change))
  const latest = () => {
    const { hash, number, anchor } = follower.latest()
    return [String.fromCharCode(hash[0] ?? 0), Number(number), anchor]
  }
  return { follower, clock, updates, asked: requests, latest }
}

const a = (number: number): Name => ({ branch: 'a', number })
const b = (number: number): Name => ({ branch: 'b', number })

test('the head is the highest block that a quorum has in its chain, with the number of votes', async (t) => {
  const { latest, follower } = await follow(t, [
    node('one', a(7)),
    node('two', a(9)),
    node('three', a(8)),
  ])
  assert.deepEqual(latest(), ['a', 8, 'quorum:2/3'])
  const seventh = beginRead(follower.byNumber(7n))
  assert.ok(!(seventh instanceof SuspendedRead))
  assert.equal(seventh?.anchor, 'quorum:2/3')
  assert.equal(await completeRead(follower.byNumber(9n), signal), null)
})

test('one faulty upstream cannot move the head', async (t) => {
  const faulty = node('faulty', a(7))
  const { latest, follower } = await follow(t, [node('one', a(7)), node('two', a(7)), faulty])
  for (const at of [b(20), { branch: '\0', number: 30 }, b(11), a(3)]) {
    faulty.at = at
    await follower.poll()
    assert.deepEqual(latest().slice(0, 2), ['a', 7])
  }
  faulty.call = async () => ({ hash: 'x', number: 1 })
  await follower.poll()
  assert.equal(latest()[1], 7)
})

test('forks from a faulty upstream are dropped, at any height', async (t) => {
  const faulty = node('faulty', a(7))
  const nodes = [node('one', a(7)), node('two', a(7))]
  const { asked, follower, latest } = await follow(t, [...nodes, faulty])
  const fork = (at: number): Name => ({ branch: 'c', number: 4_000_000_000 - 1_000 * at })
  for (let at = 0; at < 100; at += 1) {
    faulty.at = fork(at)
    await follower.poll()
  }
  const count = asked.length
  faulty.at = fork(0)
  await follower.poll()
  assert.equal(asked[count], toHex(hashOf(fork(0))), 'it is asked for anew')
  for (const one of nodes) one.at = a(9)
  await follower.poll()
  assert.deepEqual(latest(), ['a', 9, 'quorum:2/3'])
  assert.equal((await completeRead(follower.byNumber(7n), signal))?.number, 7n)
})

test('a node that repeatedly reports forks is followed for fewer steps, an honest one as before', async (t) => {
  for (const [everyOther, lowest] of [
    [1, 0],
    [2, 0],
    // The branch ends in a header that no node has.
    [1, 200],
  ] as const) {
    const faulty = node('faulty', a(7))
    const nodes = [node('one', a(7)), node('two', a(7))]
    const { asked, follower, updates, latest } = await follow(t, [...nodes, faulty])
    for (let at = 1; at <= 60; at += 1) {
      const number = lowest === 0 ? 4_000_000_000 - 1_000 * at : lowest + 180
      const branch = lowest === 0 ? 'c' : String.fromCharCode(99 + at)
      faulty.at = at % everyOther === 0 ? { branch, number } : a(7)
      await follower.poll()
    }
    // Each is stored on disk: 60 times 256 would be too many.
    assert.ok(asked.length < 3_000, `${asked.length} headers requested`)
    for (const one of nodes) one.at = a(207)
    await follower.poll()
    assert.equal(latest()[1], 207)
    assert.equal(updates.at(-1)?.added.length, 200)
  }
})

test('a faulty upstream that answers first, with an unreachable block, does not prevent a head', async (t) => {
  for (const at of [{ branch: '\0', number: 30 }, b(4_000_000)]) {
    const { latest } = await follow(t, [node('faulty', at), node('one', a(9)), node('two', a(8))])
    assert.deepEqual(latest().slice(0, 2), ['a', 8])
  }
})

test('an upstream that does not answer does not delay the others', async (t) => {
  const silent = node('silent', a(9))
  silent.call = () => new Promise(() => {})
  const clock = createManualClock()
  const follower = createHeadFollower({
    network: 'test',
    sources: [silent, node('one', a(9)), node('two', a(9))],
    settings,
    header: async (hash) => headerOf(hash),
    older: { get: async () => assert.fail('asked for an older block'), forget: () => {} },
    locate: () => assert.fail('asked for a transaction'),
    clock,
    log: silentLog,
  })
  t.after(() => follower.stop())
  await follower.started
  assert.equal(follower.latest().anchor, 'quorum:2/3')
})

test('the head of one trusted upstream is sufficient, and precedes a quorum of others', async (t) => {
  const own = node('own', a(6), true)
  const { latest, follower } = await follow(t, [own, node('one', b(12)), node('two', b(12))])
  assert.deepEqual(latest(), ['a', 6, 'trusted'])
  own.at = a(7)
  await follower.poll()
  assert.deepEqual(latest(), ['a', 7, 'trusted'])
})

test('the head of a single upstream has the anchor single', async (t) => {
  const { latest } = await follow(t, [node('one', a(5))])
  assert.deepEqual(latest(), ['a', 5, 'single'])
})

test('the head does not go back to an ancestor, but follows a reorg immediately', async (t) => {
  const nodes = [node('one', a(12)), node('two', a(12))]
  const { latest, follower, updates } = await follow(t, nodes)
  for (const one of nodes) one.at = a(11)
  await follower.poll()
  assert.equal(latest()[1], 12)
  assert.equal(updates.length, 0)
  for (const one of nodes) one.at = b(12)
  await follower.poll()
  assert.deepEqual(latest(), ['b', 12, 'quorum:2/2'])
  const numbers = updates.map(({ removed, added }) => [
    removed.map(({ number }) => Number(number)),
    added.map(({ number }) => Number(number)),
  ])
  assert.deepEqual(numbers, [
    [
      [12, 11],
      [11, 12],
    ],
  ])
  assert.equal(await completeRead(follower.isCanonical(hashOf(a(12)), 12n), signal), false)
  assert.equal(await completeRead(follower.isCanonical(hashOf(b(11)), 11n), signal), true)
  assert.equal(await completeRead(follower.isCanonical(hashOf(a(10)), 10n), signal), true)
})

test('blocks between two polls are found by their parent hashes, each reported once', async (t) => {
  const nodes = [node('one', a(3)), node('two', a(3))]
  const { follower, updates } = await follow(t, nodes)
  for (const at of [a(9), a(40)]) {
    for (const one of nodes) one.at = at
    await follower.poll()
  }
  const added = updates.flatMap((change) => change.added.map(({ number }) => Number(number)))
  assert.deepEqual(
    added,
    Array.from({ length: 37 }, (_, index) => index + 4),
  )
  assert.ok(updates.every(({ removed }) => removed.length === 0))
})

test('another upstream takes over without a missing or repeated block', async (t) => {
  const [one, two, three] = [node('one', a(3)), node('two', a(3)), node('three', a(3))]
  const { follower, updates } = await follow(t, [one, two, three])
  one.down = true
  two.at = a(5)
  three.at = a(4)
  await follower.poll()
  one.down = false
  one.at = a(6)
  three.at = a(7)
  await follower.poll()
  assert.deepEqual(
    updates.flatMap(({ added }) => added.map(({ number }) => Number(number))),
    [4, 5, 6],
  )
  assert.deepEqual([one.lag, two.lag, three.lag], [0, 1, 0])
})

test('a reorg of 128 blocks is followed', async (t) => {
  const nodes = [node('one', a(137)), node('two', a(137))]
  const { follower, updates, latest } = await follow(t, nodes)
  for (const one of nodes) one.at = a(138)
  await follower.poll()
  for (const one of nodes) one.at = b(139)
  await follower.poll()
  assert.deepEqual(latest(), ['b', 139, 'quorum:2/2'])
  const { removed, added } = updates.at(-1) ?? { removed: [], added: [] }
  assert.deepEqual([removed.at(-1)?.number, removed.length], [11n, 128])
  assert.deepEqual([added[0]?.number, added.length], [11n, 129])
})

test('with too few upstreams the last head serves until its maximum age, then a single one, or none', async (t) => {
  for (const quorumRequired of [false, true]) {
    const nodes = [node('one', a(5)), node('two', a(5)), node('three', a(5))]
    const { follower, clock, latest } = await follow(t, nodes, { quorumRequired })
    for (const one of nodes.slice(1)) one.down = true
    if (nodes[0] !== undefined) nodes[0].at = a(6)
    await follower.poll()
    assert.deepEqual(latest().slice(0, 2), ['a', 5])
    clock.advance(60_001)
    await follower.poll()
    if (quorumRequired) assert.throws(latest, /mark a source trusted: true/)
    else assert.deepEqual(latest(), ['a', 6, 'single'])
    follower.stop()
  }
})

test('all upstreams down: tags fail once the head is too old', async (t) => {
  const one = node('one', a(5))
  const { follower, clock } = await follow(t, [one])
  one.down = true
  clock.advance(59_000)
  await follower.poll()
  assert.equal(follower.latest().number, 5n)
  clock.advance(2_000)
  await follower.poll()
  assert.throws(() => follower.latest(), { code: 'no_upstream' })
  assert.throws(() => follower.safe(), { code: 'no_upstream' })
  assert.throws(() => beginRead(follower.byNumber(1n)), { code: 'no_upstream' })
})

test('an upstream that is not usable has no vote', async (t) => {
  const faulty = node('faulty', b(20), true)
  faulty.usable = false
  const { latest } = await follow(t, [faulty, node('one', a(5)), node('two', a(5))])
  assert.deepEqual(latest(), ['a', 5, 'quorum:2/3'])
})

test('an unrelated head counts after its node has confirmed its chain ID', async (t) => {
  // Beyond the maximum depth of a reorg: the branches do not meet.
  const own = node('own', a(1_000), true)
  const { follower, latest } = await follow(t, [own])
  own.at = b(1_001)
  own.elsewhere = true
  await follower.poll()
  assert.deepEqual(latest(), ['a', 1_000, 'trusted'])
  assert.equal(own.usable, false)
  own.usable = true
  own.elsewhere = false
  await follower.poll()
  assert.deepEqual(latest(), ['b', 1_001, 'trusted'])
})

test('safe is a block with a quorum, never one of another branch', async (t) => {
  const nodes = [node('one', a(15)), node('two', a(15)), node('three', a(15))]
  const [one, two, three] = nodes
  assert(one && two && three)
  one.safeAt = a(8)
  two.safeAt = a(8)
  three.safeAt = b(12)
  const { follower } = await follow(t, nodes)
  assert.equal(follower.safe()?.number, 8n)
  assert.equal(follower.finalized()?.number, 8n)
  const none = await follow(t, [node('one', a(4)), node('two', a(4))])
  assert.equal(none.follower.safe(), null)
})

test('safe has the number of its header, not that of the reply', async (t) => {
  for (const count of [1, 2]) {
    const nodes = [node('faulty', a(15)), node('two', a(15))].slice(0, count)
    for (const one of nodes) one.safeAt = a(8)
    const [faulty] = nodes
    assert(faulty)
    faulty.safeNumber = 14
    const { follower } = await follow(t, nodes)
    assert.deepEqual(follower.safe()?.number, 8n)
  }
})

test('safe has the anchor of its own votes, not of the head’s', async (t) => {
  const own = node('own', a(15), true)
  const others = [node('one', a(15)), node('two', a(15)), node('three', a(9))]
  for (const one of others) one.safeAt = a(8)
  const { follower, latest } = await follow(t, [own, ...others])
  assert.deepEqual([latest()[2], follower.safe()?.anchor], ['trusted', 'quorum:3/4'])
  own.safeAt = a(9)
  const trusted = await follow(t, [own, ...others])
  assert.deepEqual(
    [trusted.follower.safe()?.number, trusted.follower.safe()?.anchor],
    [9n, 'trusted'],
  )
  const alone = node('one', a(15))
  alone.safeAt = a(8)
  assert.equal((await follow(t, [alone])).follower.safe()?.anchor, 'single')
})

/** Blocks of branch `a`, with the numbers requested and the number of calls of `forget`. */
function olderBlocks() {
  const requestedNumbers: bigint[] = []
  let forgotten = 0
  const blocks: NumberedBlocks = {
    async get(number) {
      requestedNumbers.push(number)
      return { network: 'test', hash: hashOf(a(Number(number))), number, anchor: 'single' }
    },
    forget: () => void (forgotten += 1),
  }
  return { ...blocks, asked: requestedNumbers, forgotten: () => forgotten }
}

test('a number below the head is requested once: then parent links name it, until a reorg below it', async (t) => {
  const nodes = [node('one', a(300)), node('two', a(300))]
  const older = olderBlocks()
  const { follower } = await follow(t, nodes, {}, older)
  const find = async (number: bigint) => await completeRead(follower.byNumber(number), signal)
  assert.deepEqual((await find(290n))?.anchor, 'single')
  await until(() => assert.ok(!(beginRead(follower.byNumber(290n)) instanceof SuspendedRead)))
  // The whole window above this block is in memory, with the anchor of the head.
  for (let number = 290n; number <= 300n; number += 1n) {
    const { hash, anchor } = (await find(number)) ?? assert.fail('no block')
    assert.deepEqual([hash, anchor], [hashOf(a(Number(number))), 'quorum:2/2'])
  }
  assert.deepEqual(older.asked, [290n])
  // A number below the window is not a reason to follow 300 parents.
  await find(20n)
  await find(20n)
  assert.deepEqual(older.asked, [290n, 20n, 20n])
  assert.equal(older.forgotten(), 0)
  for (const one of nodes) one.at = b(301)
  await follower.poll()
  assert.deepEqual((await find(290n))?.hash, hashOf(b(290)))
  // The two branches share no block of the window, so older blocks may be of either.
  assert.equal(older.forgotten(), 1)
})

test('upstreams are polled for a new block before it is reported as not canonical', async (t) => {
  const nodes = [node('one', a(5)), node('two', a(5))]
  const { follower } = await follow(t, nodes)
  for (const one of nodes) one.at = a(6)
  assert.equal(await completeRead(follower.isCanonical(hashOf(a(6)), 6n), signal), true)
})
