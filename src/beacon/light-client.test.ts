// The light client against simulated beacon nodes behind real HTTP: periods, missed slots, low participation, false
// endpoints, equivocation, old checkpoints, restarts and wrong clocks.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  type BeaconChain,
  createBeaconChain,
  type Json,
  minimalSpec,
} from '../../test/fakes/beacon/beacon-chain.ts'
import { type BeaconNode, startBeaconNode } from '../../test/fakes/beacon/beacon-node.ts'
import type { Clock } from '../base/clock.ts'
import { createBeaconClient } from './beacon-client.ts'
import { decompressKeys, verifyAggregate } from './bls.ts'
import {
  type Evidence,
  type LightClient,
  type LightStatus,
  startLightClient,
} from './light-client.ts'
import type { SavedStore } from './saved-store.ts'
import { timeOfSlot } from './spec.ts'

const spec = minimalSpec()
const chain = createBeaconChain({ spec })
const slotMs = spec.secondsPerSlot * 1000
const daySlots = 86_400_000 / slotMs

/** Only `advance` moves the time, and no timer runs: the tests poll. */
function createStillClock(startMs: number): Clock & { advance(ms: number): void } {
  let elapsed = 0
  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    after: () => () => {},
    every: () => () => {},
    advance: (ms) => void (elapsed += ms),
  }
}

type Rig = {
  readonly nodes: readonly BeaconNode[]
  readonly client: LightClient
  readonly statuses: LightStatus[]
  readonly evidence: Evidence[]
  readonly saved: SavedStore[]
  readonly verified: { count: number }
  /** Moves the clock to the middle of a slot, and polls. */
  goTo(slot: number): Promise<LightStatus>
  restart(more?: { readonly saved?: SavedStore | null }): LightClient
}

async function rig(
  t: TestContext,
  options: {
    readonly slot?: number
    readonly checkpoint?: Uint8Array | null
    readonly chains?: readonly BeaconChain[]
    readonly saved?: SavedStore
    /** Error of the local clock, in slots. */
    readonly clockError?: number
  } = {},
): Promise<Rig> {
  const { slot = 50, chains = [chain], clockError = 0 } = options
  const checkpoint = options.checkpoint === undefined ? chain.rootAt(24) : options.checkpoint
  const clock = createStillClock(timeOfSlot(spec, slot + clockError) + slotMs / 2)
  let now = slot
  const nodes = await Promise.all(
    chains.map((one) => startBeaconNode(t, { chain: one, headSlot: () => now })),
  )
  const statuses: LightStatus[] = []
  const evidence: Evidence[] = []
  const saved: SavedStore[] = []
  const verified = { count: 0 }
  const begin = (before: SavedStore | null): LightClient =>
    startLightClient({
      spec,
      checkpoint,
      saved: before,
      clients: nodes.map(({ url }) => createBeaconClient(url, clock)),
      signatures: {
        decompress: decompressKeys,
        verify(...args) {
          verified.count += 1
          return verifyAggregate(...args)
        },
      },
      clock,
      onStatus: (status) => statuses.push(status),
      onStore: (one) => saved.push(one),
      onEvidence: (one) => evidence.push(one),
    })
  const client = begin(options.saved ?? null)
  t.after(() => client.stop())
  await client.poll()
  return {
    nodes,
    client,
    statuses,
    evidence,
    saved,
    verified,
    async goTo(next) {
      clock.advance((next - now) * slotMs)
      now = next
      await client.poll()
      return client.status
    },
    restart(more = {}) {
      const again = begin(more.saved ?? null)
      t.after(() => again.stop())
      return again
    },
  }
}

test('the client starts from a checkpoint and follows the chain over periods', async (t) => {
  const { client, goTo, saved } = await rig(t)
  assert.equal(client.status.state, 'following')
  assert.equal(client.status.latest?.slot, 49)
  assert.deepEqual(client.status.latest?.root, chain.rootAt(49))
  assert.equal(client.status.latest?.signers, 32)
  for (const slot of [60, 63, 64, 65, 90, 120, 128, 150, 200]) {
    const { state, latest, finalized } = await goTo(slot)
    assert.equal(state, 'following')
    assert.equal(latest?.slot, slot - 1)
    assert.equal(finalized?.slot, (Math.floor((slot - 1) / 8) - 2) * 8)
  }
  assert.equal(saved.at(-1)?.store.finalized.slot, 176)
})

test('the client catches up over many periods, one update each', async (t) => {
  const { client, nodes } = await rig(t, { slot: 64 * 12 + 30 })
  assert.equal(client.status.state, 'following')
  assert.equal(client.status.latest?.slot, 64 * 12 + 29)
  const updates = nodes[0]?.requests.filter((path) => path.includes('/updates')) ?? []
  assert.ok(updates.length <= 2, `${updates.length} requests`)
})

test('missed slots neither stop the client nor move its head', async (t) => {
  const isMissed = (slot: number): boolean => slot >= 52 && slot < 56
  const gaps = createBeaconChain({ spec, isMissed })
  const { goTo } = await rig(t, { chains: [gaps], checkpoint: gaps.rootAt(24) })
  assert.equal((await goTo(55)).latest?.slot, 50)
  const after = await goTo(57)
  assert.equal(after.latest?.slot, 56)
  assert.equal(after.state, 'following')
})

test('each header is verified once, however many endpoints repeat it', async (t) => {
  const { verified, client } = await rig(t, { chains: [chain, chain, chain] })
  const { count } = verified
  for (let polls = 0; polls < 5; polls += 1) await client.poll()
  assert.equal(verified.count, count)
})

test('headers signed by fewer than two thirds are not served, and the state says so', async (t) => {
  const { nodes, goTo, evidence, verified, client } = await rig(t)
  const [node] = nodes
  if (node !== undefined) node.knobs.sign = { signers: 21 }
  const short = await goTo(60)
  assert.equal(short.state, 'short')
  assert.match(short.reason ?? '', /fewer than 22 of 32/)
  assert.equal(short.latest?.slot, 49)
  const { count } = verified
  await client.poll()
  assert.equal(verified.count, count)
  if (node !== undefined) node.knobs.sign = { signers: 22 }
  const again = await goTo(61)
  assert.deepEqual([again.state, again.latest?.slot, again.latest?.signers], ['following', 60, 22])
  assert.deepEqual(evidence, [])
})

test('a false endpoint rests, its data is evidence, and an honest one is followed', async (t) => {
  const other = createBeaconChain({ spec, firstKey: (period) => 900 + period })
  const { nodes, goTo, evidence } = await rig(t, { chains: [chain, other] })
  const [, liar] = nodes
  const requestsBefore = liar?.requests.length ?? 0
  assert.ok(requestsBefore > 0)
  assert.equal(evidence.length > 0, true)
  assert.equal(evidence[0]?.endpoint, new URL(liar?.url ?? '').host)
  const status = await goTo(53)
  assert.equal(status.latest?.slot, 52)
  assert.equal(liar?.requests.length, requestsBefore, 'it rests for a minute')
  await goTo(80)
  assert.ok((liar?.requests.length ?? 0) > requestsBefore, 'and is asked again later')
})

const lies: readonly (readonly [kind: string, rule: string, change: (data: Json) => unknown])[] = [
  ['optimistic_update', 'unreadable', () => ({})],
  ['optimistic_update', 'unreadable', () => []],
  [
    'optimistic_update',
    'signature',
    () => chain.optimisticUpdate(59, { signatureSlot: 61, version: new Uint8Array(4) }),
  ],
  ['optimistic_update', 'slots', () => chain.optimisticUpdate(80)],
  [
    'finality_update',
    'finality-branch',
    (data) => ({ ...data, finalized_header: chain.finalityUpdate(50)['finalized_header'] }),
  ],
]
for (const [at, [kind, rule, change]] of lies.entries()) {
  test(`the kind ${kind} that breaks the rule ${rule} is evidence (${at}) and moves nothing`, async (t) => {
    const { nodes, goTo, evidence, client } = await rig(t)
    const before = client.status
    const [node] = nodes
    if (node !== undefined) {
      node.knobs.falsify = (replyKind, data) => (replyKind === kind ? change(data) : data)
    }
    const after = await goTo(60)
    if (kind === 'optimistic_update') assert.equal(after.latest, before.latest)
    assert.equal(after.finalized, before.finalized)
    assert.ok(evidence.some((one) => one.rule === rule && one.request === kind))
  })
}

test('updates of other periods than requested are evidence', async (t) => {
  const wrong = chain.update(130)
  const { nodes, evidence, goTo, client } = await rig(t)
  const [node] = nodes
  if (node !== undefined) {
    node.knobs.falsify = (kind, data) => (kind === 'update' ? wrong : data)
  }
  const status = await goTo(64 * 4 + 30)
  assert.equal(status.state, 'catching-up')
  assert.equal(evidence[0]?.rule, 'period')
  assert.equal(client.status.latest?.slot, 49)
})

test('of two signed headers of one slot the one with more signers is the head, and both are evidence', async (t) => {
  const other = createBeaconChain({ spec, salt: 'other' })
  const { nodes, goTo, evidence } = await rig(t, { chains: [chain, chain] })
  const [, second] = nodes
  if (second !== undefined) {
    second.knobs.falsify = (kind, data) =>
      kind === 'optimistic_update' ? other.optimisticUpdate(59, { signers: 25 }) : data
  }
  const status = await goTo(60)
  assert.deepEqual(status.latest?.root, chain.rootAt(59))
  assert.deepEqual(
    evidence.map(({ rule }) => rule),
    ['equivocation'],
  )
})

test('a contradicting finalized header stops the client until a restart', async (t) => {
  const other = createBeaconChain({ spec, salt: 'other' })
  const { nodes, goTo, client } = await rig(t)
  assert.equal(client.status.finalized?.slot, 32)
  const [node] = nodes
  if (node !== undefined) node.knobs.chain = other
  const status = await goTo(54)
  assert.equal(status.state, 'stopped')
  assert.match(status.reason ?? '', /another network, or an attack/)
  if (node !== undefined) node.knobs.chain = chain
  assert.equal((await goTo(60)).state, 'stopped')
})

test('without a checkpoint, and with one older than 14 days, the client says what to do', async (t) => {
  const none = await rig(t, { checkpoint: null })
  assert.equal(none.client.status.state, 'stale')
  assert.match(none.client.status.reason ?? '', /set heads\.checkpoint/)
  assert.equal(none.nodes[0]?.requests.length, 0)
  const old = await rig(t, { slot: 31 * daySlots + 100 })
  assert.equal(old.client.status.state, 'stale')
  assert.match(old.client.status.reason ?? '', /^the checkpoint is 31 days old; take a newer/)
  assert.equal(old.client.status.latest, null)
})

test('a checkpoint that no endpoint has is requested again', async (t) => {
  const { client, nodes, goTo } = await rig(t, { checkpoint: chain.rootAt(25) })
  assert.equal(client.status.state, 'bootstrapping')
  assert.match(client.status.reason ?? '', /status 404/)
  const requestsBefore = nodes[0]?.requests.length ?? 0
  await goTo(60)
  assert.ok((nodes[0]?.requests.length ?? 0) > requestsBefore)
})

test('a bootstrap of another block is evidence, and the next endpoint is asked', async (t) => {
  const other = createBeaconChain({ spec, salt: 'other' })
  const { nodes, goTo, evidence, client } = await rig(t, { chains: [other, other] })
  assert.equal(client.status.state, 'bootstrapping')
  const [first, second] = nodes
  if (first !== undefined) first.knobs.falsify = () => chain.bootstrap(32)
  if (first !== undefined) first.knobs.chain = chain
  if (second !== undefined) second.knobs.chain = chain
  const status = await goTo(60)
  assert.equal(status.latest?.slot, 59)
  assert.deepEqual(
    evidence.map(({ rule, request }) => [rule, request]),
    [['checkpoint', 'bootstrap']],
  )
})

test('a restart goes on from the saved store, without the checkpoint', async (t) => {
  const { saved, nodes, restart, goTo } = await rig(t)
  await goTo(100)
  const requestsBefore = nodes[0]?.requests.filter((path) => path.includes('bootstrap')).length
  const last = saved.at(-1) ?? null
  const again = restart({ saved: last })
  await again.poll()
  assert.equal(again.status.state, 'following')
  assert.equal(again.status.latest?.slot, 99)
  assert.equal(
    nodes[0]?.requests.filter((path) => path.includes('bootstrap')).length,
    requestsBefore,
  )
})

test('another checkpoint in the settings replaces the saved store', async (t) => {
  const first = await rig(t)
  const saved = first.saved.at(-1)
  assert.ok(saved !== undefined)
  const second = await rig(t, { checkpoint: chain.rootAt(32), saved })
  const paths = second.nodes[0]?.requests ?? []
  assert.equal(paths.filter((path) => path.includes('bootstrap')).length, 1)
  assert.equal(second.client.status.state, 'following')
})

test('a saved store older than 14 days is not used', async (t) => {
  const first = await rig(t)
  const saved = first.saved.at(-1)
  assert.ok(saved !== undefined)
  const late = await rig(t, { checkpoint: null, saved, slot: 15 * daySlots })
  assert.equal(late.client.status.state, 'stale')
})

test('a clock one slot behind changes nothing, and a clock far behind refuses headers', async (t) => {
  const little = await rig(t, { clockError: -1 })
  assert.equal(little.client.status.latest?.slot, 49)
  const far = await rig(t, { clockError: -5 })
  assert.notEqual(far.client.status.latest?.slot, 49)
  assert.ok(far.evidence.some(({ rule }) => rule === 'slots'))
})

test('without a new header for five minutes the client is behind, and recovers', async (t) => {
  const { nodes, goTo } = await rig(t)
  const [node] = nodes
  if (node !== undefined) node.knobs.status = 503
  const status = await goTo(50 + 60)
  assert.equal(status.state, 'behind')
  assert.match(status.reason ?? '', /6 minutes.*status 503/)
  assert.equal(status.latest?.slot, 49)
  if (node !== undefined) delete node.knobs.status
  const after = await goTo(130)
  assert.deepEqual([after.state, after.latest?.slot], ['following', 129])
})

test('the committee of the next period is missed at its end: behind, without a forced update', async (t) => {
  const { nodes, goTo } = await rig(t)
  const [node] = nodes
  // The updates prove no committee.
  if (node !== undefined) {
    node.knobs.falsify = (kind, data) =>
      kind === 'update'
        ? chain.optimisticUpdate(
            Number((data['attested_header'] as Json & { beacon: { slot: string } }).beacon.slot),
          )
        : data
  }
  const within = await goTo(127)
  assert.ok(['following', 'catching-up', 'behind'].includes(within.state))
  const beyond = await goTo(64 * 4)
  assert.equal(beyond.state, 'catching-up')
  assert.ok((beyond.latest?.slot ?? 0) < 128)
})

test('the client follows a chain with 512 members', async (t) => {
  const large = minimalSpec({ committeeSize: 512 })
  const chainOf512 = createBeaconChain({ spec: large })
  const node = await startBeaconNode(t, { chain: chainOf512, headSlot: () => 50 })
  const clock = createStillClock(timeOfSlot(large, 50))
  const client = startLightClient({
    spec: large,
    checkpoint: chainOf512.rootAt(24),
    saved: null,
    clients: [createBeaconClient(node.url, clock)],
    signatures: { decompress: decompressKeys, verify: verifyAggregate },
    clock,
    onStatus: () => {},
    onStore: () => {},
    onEvidence: () => {},
  })
  t.after(() => client.stop())
  await client.poll()
  assert.equal(client.status.state, 'following')
  assert.equal(client.status.latest?.signers, 512)
})
