// Heads that the light client reports: the selected head, its label, the fallback to votes, and blocks that no vote can undo.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { Fault } from '../../../base/fault.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { silentLog } from '../../../base/log.ts'
import type { Header } from '../../../codec/ethereum/header.ts'
import { weakerAnchor } from '../../head.ts'
import type { ConsensusWitness } from './consensus-source.ts'
import { createHeadFollower } from './head-follower.ts'
import type { HeadSettings } from './head-settings.ts'
import type { HeadSource } from './head-source.ts'

const forkAt = 10

/** Block `number` of branch a or b, which diverge after block 10. */
function block(number: number, branch = 'a'): Uint8Array {
  const hash = new Uint8Array(32)
  hash[0] = number <= forkAt ? 97 : branch.charCodeAt(0)
  new DataView(hash.buffer).setUint32(28, number)
  return hash
}

type Head = {
  readonly latest: Uint8Array
  readonly finalized: Uint8Array
  readonly signers?: number
}

async function follow(
  t: TestContext,
  options: {
    readonly signed?: Head | null
    readonly votes?: readonly Uint8Array[]
    readonly trusted?: boolean
    readonly aheadMax?: number
    readonly settings?: Partial<HeadSettings>
  } = {},
) {
  const clock = createManualClock()
  const listeners = new Set<() => void>()
  const state = {
    signed: options.signed ?? null,
    votes: [...(options.votes ?? [])],
    refusal: null as string | null,
    ageMs: 15_000,
    missing: new Set<string>(),
  }
  const consensus: ConsensusWitness = {
    members: 512,
    aheadMax: options.aheadMax ?? 0,
    head() {
      const { signed } = state
      const signers = signed?.signers ?? 498
      if (signed === null) return null
      return {
        latest: { hash: signed.latest, signers },
        finalized: { hash: signed.finalized, signers: 500 },
      }
    },
    ageMs: () => state.ageMs,
    refusal: () => state.refusal,
    reason: () => 'no checkpoint',
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const sources = state.votes.map((_, at): HeadSource => ({
    name: `node-${at}`,
    trusted: options.trusted ?? false,
    usable: true,
    setLag: () => {},
    confirmChain: async () => {},
    call: async (_method, [tag]) => {
      const hash = tag === 'latest' ? state.votes[at] : block(5)
      if (hash === undefined) throw new Error('connection refused')
      const number = new DataView(hash.buffer).getUint32(28)
      return { hash: toHex(hash), number: toQuantity(number) }
    },
  }))
  const follower = createHeadFollower({
    network: 'test',
    sources,
    consensus,
    settings: {
      quorum: 2,
      quorumRequired: false,
      pollMs: 1000,
      maxAgeMs: 60_000,
      ...options.settings,
    },
    header: async (hash) => {
      if (state.missing.has(toHex(hash))) throw new Fault('not_found')
      const number = new DataView(hash.buffer, hash.byteOffset).getUint32(28)
      const parentHash = block(number - 1, String.fromCharCode(hash[0] ?? 0))
      return { number: BigInt(number), parentHash } as Header
    },
    older: { get: async () => assert.fail('asked for an older block'), forget: () => {} },
    // eslint-disable-next-line typescript/require-await
    locate: async function* () {},
    clock,
    log: silentLog,
  })
  t.after(() => follower.stop())
  // The second poll adds the branches of heads that were reported after the first one.
  await follower.poll()
  await follower.poll()
  return {
    follower,
    state,
    clock,
    push: async () => {
      for (const listener of listeners) listener()
      await follower.poll()
    },
  }
}

test('the head is the signed block, with its signers, whatever upstreams report', async (t) => {
  const { follower } = await follow(t, {
    signed: { latest: block(20), finalized: block(12) },
    votes: [block(22), block(22)],
  })
  const head = follower.latest()
  assert.deepEqual([head.hash, head.number, head.anchor], [block(20), 20n, 'consensus:498/512'])
  for (const tag of [follower.safe(), follower.finalized()]) {
    assert.deepEqual([tag?.hash, tag?.number, tag?.anchor], [block(12), 12n, 'consensus:500/512'])
  }
})

test('a signed finalized block replaces a higher one that votes named before', async (t) => {
  const { follower, state, push } = await follow(t, { votes: [block(20), block(20)] })
  assert.deepEqual([follower.finalized()?.number, follower.finalized()?.anchor], [5n, 'quorum:2/2'])
  state.signed = { latest: block(20), finalized: block(4) }
  await push()
  assert.deepEqual(
    [follower.finalized()?.number, follower.finalized()?.anchor],
    [4n, 'consensus:500/512'],
  )
})

test('the head moves with the light client, and reorganizes with it', async (t) => {
  const { follower, state, push } = await follow(t, {
    signed: { latest: block(20), finalized: block(5) },
    votes: [block(20)],
  })
  state.signed = { latest: block(21), finalized: block(5), signers: 400 }
  await push()
  assert.deepEqual([follower.latest().number, follower.latest().anchor], [21n, 'consensus:400/512'])
  state.signed = { latest: block(22, 'b'), finalized: block(5) }
  await push()
  assert.deepEqual(follower.latest().hash, block(22, 'b'))
})

test('the block before stays the head while no upstream has the signed one', async (t) => {
  const { follower, state, push } = await follow(t, {
    signed: { latest: block(20), finalized: block(5) },
    votes: [block(20), block(20)],
  })
  state.missing.add(toHex(block(21)))
  state.signed = { latest: block(21), finalized: block(5) }
  await push()
  assert.deepEqual([follower.latest().number, follower.latest().anchor], [20n, 'consensus:498/512'])
  state.missing.clear()
  await push()
  assert.equal(follower.latest().number, 21n)
})

test('a trusted upstream may be three blocks ahead, on the branch of the signed block alone', async (t) => {
  const ahead = { trusted: true, aheadMax: 3, signed: { latest: block(20), finalized: block(5) } }
  const near = await follow(t, { ...ahead, votes: [block(22)] })
  assert.deepEqual([near.follower.latest().number, near.follower.latest().anchor], [22n, 'trusted'])
  const far = await follow(t, { ...ahead, votes: [block(30)] })
  assert.deepEqual([far.follower.latest().number, far.follower.latest().anchor], [23n, 'trusted'])
  const apart = await follow(t, { ...ahead, votes: [block(22, 'b')] })
  assert.deepEqual(
    [apart.follower.latest().hash, apart.follower.latest().anchor],
    [block(20), 'consensus:498/512'],
  )
  const untrusted = await follow(t, { ...ahead, trusted: false, votes: [block(22), block(22)] })
  assert.equal(untrusted.follower.latest().number, 20n)
})

test('without a signed block the head is by votes, unless heads.require is consensus', async (t) => {
  const votes = [block(20), block(20)]
  const any = await follow(t, { votes })
  assert.equal(any.follower.latest().anchor, 'quorum:2/2')
  const none = await follow(t, {
    votes,
    settings: { quorumRequired: true, consensusRequired: true },
  })
  assert.throws(
    () => none.follower.latest(),
    (error) =>
      error instanceof Fault &&
      error.code === 'unverified' &&
      /heads\.require requires it: no checkpoint/.test(error.message),
  )
  none.state.signed = { latest: block(20), finalized: block(12) }
  await none.push()
  assert.equal(none.follower.latest().anchor, 'consensus:498/512')
  assert.equal(none.follower.finalized()?.number, 12n)
})

test('a head that the light client no longer confirms expires by the age of its slot', async (t) => {
  const { follower, state, clock } = await follow(t, {
    signed: { latest: block(20), finalized: block(5) },
    votes: [block(20)],
    settings: { consensusRequired: true, quorumRequired: true },
  })
  assert.equal(follower.age(), 15_000)
  state.signed = null
  clock.advance(44_000)
  assert.equal(follower.latest().number, 20n)
  clock.advance(2_000)
  assert.throws(() => follower.latest(), Fault)
})

test('no vote undoes a block that the sync committee finalized', async (t) => {
  const { follower, state, clock } = await follow(t, {
    signed: { latest: block(20), finalized: block(15) },
    votes: [block(20), block(20)],
    trusted: true,
  })
  state.signed = null
  state.votes = [block(40, 'b'), block(40, 'b')]
  clock.advance(61_000)
  await follower.poll()
  assert.throws(() => follower.latest(), Fault)
  assert.equal(state.signed, null)
  state.votes = [block(21), block(21)]
  await follower.poll()
  assert.deepEqual([follower.latest().hash, follower.latest().anchor], [block(21), 'trusted'])
})

test('while the light client refuses, tags are refused with its reason', async (t) => {
  const { follower, state } = await follow(t, {
    signed: { latest: block(20), finalized: block(5) },
    votes: [block(20)],
  })
  state.refusal = 'another network, or an attack'
  assert.throws(() => follower.latest(), /another network, or an attack/)
  assert.throws(() => follower.finalized(), /another network, or an attack/)
})

test('a signed block is a stronger anchor than a trusted upstream', () => {
  assert.equal(weakerAnchor('consensus:498/512', 'trusted'), 'trusted')
  assert.equal(weakerAnchor('single', 'consensus:498/512'), 'single')
})
