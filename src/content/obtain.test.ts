import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createManualClock, type ManualClock } from '../../test/fakes/manual-clock.ts'
import { createRemoteStore } from '../../test/fakes/files/remote-store.ts'
import { item } from '../../test/suites/block-store.suite.ts'
import { equalBytes } from '../base/hex.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { silentLog } from '../base/log.ts'
import { createMemoryStore } from './memory-store.ts'
import { type Obtainer, createObtain } from './obtain.ts'
import { defaultObtainLimits } from './obtain-limits.ts'
import type { ReadTrace, UnverifiedItem, Verify } from './ref.ts'
import type { Source } from './source.ts'
import type { BlockStore, LocalStore } from './block-store.ts'

const never = new AbortController().signal

/** Refs of `item` are sha256 multihashes. */
const verify: Verify = ({ hash }, bytes) => {
  const digest = createHash('sha256').update(bytes).digest()
  if (!equalBytes(hash, Uint8Array.of(0x12, 0x20, ...digest))) throw new Fault('unverified')
}

/** Converts a memory store to the store that `obtain` uses. */
type Over = (store: LocalStore) => BlockStore

type Rig = Obtainer & {
  readonly store: LocalStore
  readonly clock: ManualClock
  readonly events: string[]
}

/** `store` with another `peek`. */
function withReads(store: LocalStore, peek: LocalStore['peek']): LocalStore {
  return { ...store, peek, get: async (ref, copy) => peek(ref, copy) }
}

function rig(over: Over, sources: readonly Source[], limits = defaultObtainLimits): Rig {
  const store = createMemoryStore()
  const clock = createManualClock()
  const events: string[] = []
  const obtaining = createObtain({
    store: over(store),
    sourcesFor: () => sources,
    verify,
    clock,
    log: silentLog,
    count: (event, source) => events.push(source === null ? event : `${event} ${source}`),
    limits,
  })
  return { ...obtaining, store, clock, events }
}

type RecordingSource = Source & { readonly requested: string[] }

function source(
  name: string,
  answer: (ref: UnverifiedItem['ref']) => readonly UnverifiedItem[] | Error,
): RecordingSource {
  const requested: string[] = []
  return {
    name,
    requested,
    async fetch({ ref }, offer) {
      requested.push(Buffer.from(ref.hash).toString('hex'))
      const items = answer(ref)
      if (items instanceof Error) throw items
      offer(items)
    },
  }
}

const having = (...items: UnverifiedItem[]): RecordingSource => source('honest', () => items)
const nothing = source('empty', () => [])
const broken = source('broken', () => new Error('connection refused'))
const invalid = (name: string): UnverifiedItem => ({
  ref: item(name).ref,
  bytes: new Uint8Array(8),
})

/** Runs the test with a store of this machine, and with one without `peek`, which replies asynchronously. */
function promise(title: string, run: (over: Over) => Promise<void>): void {
  test(title, () => run((store) => store))
  test(`${title}, with a store on another machine`, () => run(createRemoteStore))
}

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

promise(
  "a source's content is verified, returned and stored, and not requested again",
  async (over) => {
    const honest = having(item('a'))
    const { obtain, idle, store, events } = rig(over, [honest])
    const { ref, bytes } = item('a')
    assert.deepEqual(await obtain(ref, {}, never), bytes)
    assert.deepEqual(await obtain(ref, {}, never), bytes)
    await idle()
    assert.deepEqual(store.peek(ref), bytes)
    assert.deepEqual(await obtain(ref, { offline: true }, never), bytes)
    assert.equal(honest.requested.length, 1)
    assert.deepEqual(events, ['fetched honest', 'held', 'held'])
  },
)

promise(
  'a source with an invalid reply is skipped, and its bytes are never stored',
  async (over) => {
    const faulty = source('faulty', () => [invalid('a')])
    const { obtain, idle, store, events } = rig(over, [faulty, having(item('a'))])
    assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
    await idle()
    assert.deepEqual(store.peek(item('a').ref), item('a').bytes)
    assert.deepEqual(events, ['lied faulty', 'fetched honest'])
  },
)

promise('one invalid item does not invalidate other items of the same source', async (over) => {
  const mixed = source('mixed', () => [invalid('a'), invalid('b'), item('a')])
  const { obtain } = rig(over, [mixed])
  assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
})

promise(
  'if all replies are invalid, the error is unverified and no bytes are stored',
  async (over) => {
    const { obtain, idle, store } = rig(over, [
      source('faulty', () => [invalid('a')]),
      nothing,
      broken,
    ])
    await assert.rejects(obtain(item('a').ref, {}, never), isFault('unverified'))
    await idle()
    assert.equal(store.peek(item('a').ref), null)
  },
)

promise('the reason that a source gives for invalid content is returned', async (over) => {
  const judging: Source = {
    name: 'judging',
    async fetch(_asked, offer) {
      offer([invalid('a')])
      throw new Fault('unverified', { data: { expected: '0x1', computed: '0x2' } })
    },
  }
  await assert.rejects(
    rig(over, [judging, nothing]).obtain(item('a').ref, {}, never),
    (thrown: Fault) =>
      thrown.code === 'unverified' && JSON.stringify(thrown.data).includes('computed'),
  )
})

promise(
  'a check that throws on malformed bytes counts as an invalid reply, not as a bug',
  async (over) => {
    const stumbling: Verify = (ref, bytes) => {
      if (bytes.length === 8) throw new RangeError('offset out of range')
      verify(ref, bytes)
    }
    const { obtain } = createObtain({
      store: over(createMemoryStore()),
      sourcesFor: () => [source('faulty', () => [invalid('a')])],
      verify: stumbling,
      clock: createManualClock(),
      log: silentLog,
      count: () => {},
    })
    await assert.rejects(obtain(item('a').ref, {}, never), isFault('unverified'))
  },
)

promise(
  'content that exists nowhere is not_found: without a source, with empty sources, and offline',
  async (over) => {
    const honest = having(item('a'))
    await assert.rejects(rig(over, []).obtain(item('a').ref, {}, never), isFault('not_found'))
    await assert.rejects(
      rig(over, [nothing]).obtain(item('a').ref, {}, never),
      isFault('not_found'),
    )
    await assert.rejects(
      rig(over, [honest]).obtain(item('a').ref, { offline: true }, never),
      isFault('not_found'),
    )
    assert.deepEqual(honest.requested, [])
  },
)

promise('an unreachable source is not evidence of absence', async (over) => {
  await assert.rejects(rig(over, [broken]).obtain(item('a').ref, {}, never), isFault('no_upstream'))
  await assert.rejects(
    rig(over, [broken, nothing]).obtain(item('a').ref, {}, never),
    isFault('no_upstream'),
  )
  const slow = source('slow', () => new Fault('deadline'))
  await assert.rejects(rig(over, [slow]).obtain(item('a').ref, {}, never), isFault('deadline'))
  assert.deepEqual(
    await rig(over, [broken, having(item('a'))]).obtain(item('a').ref, {}, never),
    item('a').bytes,
  )
})

promise('a corrupt copy on disk is read again, counted and fetched again', async (over) => {
  const { obtain, idle, store, events } = rig(over, [having(item('a'))])
  const { ref, bytes } = item('a')
  await store.put([invalid('a')])
  assert.deepEqual(await obtain(ref, {}, never), bytes)
  await idle()
  assert.deepEqual(store.peek(ref), bytes)
  assert.deepEqual(events, ['misread', 'misread', 'bad_copy', 'fetched honest'])
  assert.equal(await store.get(ref, 'quarantined'), null)
})

promise(
  'a corrupt copy that no source can replace causes an error; it is neither served nor deleted',
  async (over) => {
    const { obtain, store } = rig(over, [])
    const { ref } = item('a')
    await store.put([invalid('a')])
    await assert.rejects(obtain(ref, {}, never), isFault('damaged'))
    assert.equal(store.peek(ref), null)
    await assert.rejects(obtain(ref, { offline: true }, never), isFault('damaged'))
    assert.deepEqual(await store.get(ref, 'quarantined'), invalid('a').bytes)
  },
)

promise('one wrong read, or two, do not make a bad copy', async (over) => {
  const store = createMemoryStore()
  await store.put([item('a')])
  for (const wrongReads of [1, 2, 3]) {
    let reads = 0
    const read: LocalStore['peek'] = (ref) =>
      (reads += 1) > wrongReads ? store.peek(ref) : invalid('a').bytes
    const events: string[] = []
    const { obtain } = createObtain({
      store: over(withReads(store, read)),
      sourcesFor: () => [],
      verify,
      clock: createManualClock(),
      log: silentLog,
      count: (event) => events.push(event),
    })
    const obtained = obtain(item('a').ref, {}, never)
    if (wrongReads < 3) assert.deepEqual(await obtained, item('a').bytes)
    else await assert.rejects(obtained, isFault('damaged'))
    const misreads = events.filter((event) => event === 'misread')
    assert.equal(misreads.length, Math.min(wrongReads, 2))
    assert.equal(events.includes('bad_copy'), wrongReads === 3)
  }
})

promise(
  'calls that read a corrupt copy at the same time quarantine it once, and not its replacement',
  async (over) => {
    const store = createMemoryStore()
    await store.put([invalid('a')])
    let quarantines = 0
    const counting: LocalStore = {
      ...store,
      async quarantine(ref) {
        quarantines += 1
        await store.quarantine(ref)
      },
    }
    const { obtain, idle } = createObtain({
      store: over(counting),
      sourcesFor: () => [having(item('a'))],
      verify,
      clock: createManualClock(),
      log: silentLog,
      count: () => {},
    })
    const { ref, bytes } = item('a')
    const calls = Array.from({ length: 5 }, () => obtain(ref, {}, never))
    for (const obtained of await Promise.all(calls)) assert.deepEqual(obtained, bytes)
    await idle()
    assert.equal(quarantines, 1)
    assert.deepEqual(store.peek(ref), bytes)
  },
)

promise(
  'a copy in quarantine is read on request, at most every ten seconds, and released when it is good',
  async (over) => {
    const store = createMemoryStore()
    await store.put([item('a')])
    const { ref, bytes } = item('a')
    await store.quarantine(ref)
    const clock = createManualClock()
    let good = false
    let reads = 0
    const watched = withReads(store, (asked, copy) => {
      if (copy !== 'quarantined') return store.peek(asked, copy)
      reads += 1
      return good ? store.peek(asked, copy) : invalid('a').bytes
    })
    const parts = { sourcesFor: () => [], verify, clock, log: silentLog, count: () => {} }
    const { obtain } = createObtain({ ...parts, store: over(watched) })
    for (let call = 0; call < 3; call += 1) {
      await assert.rejects(obtain(ref, {}, never), isFault('damaged'))
    }
    assert.equal(reads, 1)
    good = true
    clock.advance(10_000)
    assert.deepEqual(await obtain(ref, {}, never), bytes)
    assert.deepEqual(store.peek(ref), bytes)
  },
)

promise('a store that cannot read is treated as one that lost the copy', async (over) => {
  const memory = createMemoryStore()
  const store = over(
    withReads(memory, () => {
      throw new Error('disk I/O error')
    }),
  )
  const { obtain } = createObtain({
    store,
    sourcesFor: () => [having(item('a'))],
    verify,
    clock: createManualClock(),
    log: silentLog,
    count: () => {},
  })
  assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
})

promise(
  'a store that cannot read keeps its copy, and the error is internal, not not_found',
  async (over) => {
    const memoryStore = createMemoryStore()
    await memoryStore.put([item('a')])
    let broken = true
    const store = over(
      withReads(memoryStore, (ref, copy) => {
        if (broken) throw new Error('disk I/O error')
        return memoryStore.peek(ref, copy)
      }),
    )
    const log = silentLog
    const clock = createManualClock()
    const { obtain } = createObtain({
      store,
      sourcesFor: () => [],
      verify,
      clock,
      log,
      count: () => {},
    })
    await assert.rejects(obtain(item('a').ref, {}, never), isFault('damaged'))
    await assert.rejects(obtain(item('a').ref, { offline: true }, never), isFault('damaged'))
    broken = false
    assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
  },
)

promise(
  'unrequested items wait until they are requested; only then are they verified and stored',
  async (over) => {
    const generous = having(item('a'), item('b'), invalid('c'))
    const { obtain, idle, store, events } = rig(over, [generous])
    await obtain(item('a').ref, {}, never)
    await idle()
    assert.equal(store.peek(item('b').ref), null)
    assert.deepEqual(await obtain(item('b').ref, {}, never), item('b').bytes)
    await idle()
    assert.deepEqual(store.peek(item('b').ref), item('b').bytes)
    assert.equal(generous.requested.length, 1)
    await assert.rejects(obtain(item('c').ref, {}, never), isFault('unverified'))
    assert.deepEqual(events, ['fetched honest', 'fetched honest', 'lied honest', 'lied honest'])
  },
)

promise('items of a reply are available to all callers without another request', async (over) => {
  const generous = having(item('a'), item('b'), item('c'))
  const { obtain, peek } = rig(over, [generous])
  await obtain(item('a').ref, {}, never)
  const both = await Promise.all([1, 2].map(() => obtain(item('b').ref, {}, never)))
  assert.deepEqual(both, [item('b').bytes, item('b').bytes])
  assert.deepEqual(peek(item('c').ref), item('c').bytes)
  assert.equal(generous.requested.length, 1)
})

type BlockedSource = Source & {
  readonly answer: (items: readonly UnverifiedItem[]) => void
  asks: number
  request: Parameters<Source['fetch']>[0] | null
}

function blockedSource(): BlockedSource {
  const answers: ((items: readonly UnverifiedItem[]) => void)[] = []
  const waiting: BlockedSource = {
    name: 'held',
    asks: 0,
    request: null,
    answer: (items) => answers.shift()?.(items),
    async fetch(request, offer, signal) {
      waiting.asks++
      waiting.request = request
      const { promise, resolve, reject } = Promise.withResolvers<readonly UnverifiedItem[]>()
      answers.push(resolve)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      offer(await promise)
    },
  }
  return waiting
}

const turns = async (): Promise<void> => {
  // Waits long enough for a store on another machine, too.
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

promise('a source that offers nothing learns that its item has arrived meanwhile', async (over) => {
  const { promise: brought, resolve: bring } = Promise.withResolvers<void>()
  const outcomes: string[] = []
  const slow: Source = {
    name: 'slow',
    async fetch({ ref }, offer) {
      if (equalBytes(ref.hash, item('a').ref.hash)) {
        outcomes.push(offer([item('a'), item('b')]))
        return bring()
      }
      outcomes.push(offer([]))
      await brought
      outcomes.push(offer([]))
    },
  }
  const { obtain } = rig(over, [slow])
  const waiting = obtain(item('b').ref, {}, never)
  await obtain(item('a').ref, {}, never)
  assert.deepEqual(await waiting, item('b').bytes)
  assert.deepEqual(outcomes, ['missing', 'taken', 'taken'])
})

promise('many callers for one ref cost one fetch', async (over) => {
  const slow = blockedSource()
  const { obtain } = rig(over, [slow])
  const callers = Array.from({ length: 25 }, () => obtain(item('a').ref, {}, never))
  await turns()
  slow.answer([item('a')])
  for (const caller of callers) assert.deepEqual(await caller, item('a').bytes)
  assert.equal(slow.asks, 1)
})

promise(
  'a source sees the fetch contexts of all waiting callers, also of later ones',
  async (over) => {
    const slow = blockedSource()
    const { obtain } = rig(over, [slow])
    const leaver = new AbortController()
    const slot = (tag: number) => ({ slots: [new Uint8Array(32).fill(tag)] })
    const first = obtain(item('a').ref, slot(1), never)
    await turns()
    const left = obtain(item('a').ref, slot(2), leaver.signal)
    const second = obtain(item('a').ref, slot(3), never)
    await turns()
    leaver.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    assert.deepEqual(slow.request?.hints(), [slot(1), slot(3)])
    slow.answer([item('a')])
    await Promise.all([first, second])
  },
)

promise(
  'nameless bytes are named by their hash: the requested item is taken, others wait, junk is dropped',
  async (over) => {
    const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
    const bytesOf = (name: string) => Buffer.from(name)
    const ref = (name: string) => ({ kind: 'code', hash: hashOf(bytesOf(name)) }) as const
    const verdicts: string[] = []
    const events: string[] = []
    const { obtain } = createObtain({
      store: over(createMemoryStore()),
      sourcesFor: () => [
        {
          name: 'honest',
          fetch: async (_asked, offer) => {
            const nodes = ['junk', 'leaf', 'root'].map((name) => bytesOf(name))
            const verdict = offer(nodes.map((bytes) => ({ kind: 'code', bytes })))
            verdicts.push(verdict)
          },
        },
      ],
      verify: () => assert.fail('hashed a second time'),
      nameOf(_kind, bytes) {
        if (Buffer.from(bytes).toString() === 'junk') throw new Fault('unverified')
        return hashOf(bytes)
      },
      clock: createManualClock(),
      log: silentLog,
      count: (event) => events.push(event),
    })
    assert.deepEqual(await obtain(ref('root'), {}, never), bytesOf('root'))
    assert.deepEqual(await obtain(ref('leaf'), {}, never), bytesOf('leaf'))
    await assert.rejects(obtain(ref('other'), {}, never), isFault('not_found'))
    assert.deepEqual(verdicts, ['taken', 'missing'])
    assert.deepEqual(events, ['fetched', 'fetched', 'absent'])
  },
)

promise('a taken item stays valid, whatever the source does afterwards', async (over) => {
  const verdicts: string[] = []
  const fickle: Source = {
    name: 'fickle',
    async fetch({ ref }, offer) {
      verdicts.push(
        offer([invalid('a')]),
        offer([item('b')]),
        offer([item('a')]),
        offer([invalid('a')]),
      )
      assert.deepEqual(ref, item('a').ref)
      throw new Error('connection reset')
    },
  }
  const { obtain } = rig(over, [fickle])
  assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
  assert.deepEqual(verdicts, ['wrong', 'missing', 'taken', 'taken'])
})

promise('a network that cannot be asked does not fail the callers of another', async (over) => {
  const slow = blockedSource()
  const honest = having(item('a'))
  const { obtain } = createObtain({
    store: over(createMemoryStore()),
    sourcesFor: ({ network }) => [network === 'down' ? slow : honest],
    verify,
    clock: createManualClock(),
    log: silentLog,
    count: () => {},
  })
  const failing = obtain(item('a').ref, { network: 'down' }, never)
  await turns()
  assert.deepEqual(await obtain(item('a').ref, { network: 'up' }, never), item('a').bytes)
  slow.answer([item('a')])
  assert.deepEqual(await failing, item('a').bytes)
  assert.equal(honest.requested.length, 1)
})

promise('one caller hangs up, the others are answered', async (over) => {
  const slow = blockedSource()
  const { obtain } = rig(over, [slow])
  const leaver = new AbortController()
  const left = obtain(item('a').ref, {}, leaver.signal)
  const stays = obtain(item('a').ref, {}, never)
  await turns()
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  slow.answer([item('a')])
  assert.deepEqual(await stays, item('a').bytes)
})

promise(
  'the last caller hangs up: the fetch ends, and the next caller starts a fresh one',
  async (over) => {
    const slow = blockedSource()
    const { obtain, events } = rig(over, [slow])
    const leaver = new AbortController()
    const left = obtain(item('a').ref, {}, leaver.signal)
    await turns()
    leaver.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    const next = obtain(item('a').ref, {}, never)
    await turns()
    slow.answer([])
    slow.answer([item('a')])
    assert.deepEqual(await next, item('a').bytes)
    assert.equal(slow.asks, 2)
    assert.deepEqual(events, ['fetched held'])
  },
)

promise("a caller's timeout ends its own wait, not those of others", async (over) => {
  const slow = blockedSource()
  const { obtain, idle, clock } = rig(over, [slow])
  const hurried = obtain(item('a').ref, { patienceMs: 50 }, never)
  const patient = obtain(item('a').ref, { patienceMs: 5000 }, never)
  await turns()
  clock.advance(50)
  await assert.rejects(hurried, isFault('deadline'))
  slow.answer([item('a')])
  assert.deepEqual(await patient, item('a').bytes)
  await idle()
  assert.equal(clock.timers, 0)
})

promise(
  'items fetched at about the same time are stored in one write, and in part if not all fit',
  async (over) => {
    const groups: number[] = []
    const memory = createMemoryStore()
    const picky: LocalStore = {
      ...memory,
      async put(items, rows) {
        groups.push(items.length)
        if (items.some(({ ref }) => equalBytes(ref.hash, item('b').ref.hash))) {
          throw new Fault('no_space')
        }
        return await memory.put(items, rows)
      },
    }
    const clock = createManualClock()
    let lost = 0
    const { obtain, idle } = createObtain({
      store: over(picky),
      sourcesFor: () => [having(item('a'), item('b'), item('c'))],
      verify,
      clock,
      log: silentLog,
      count: (event) => void (lost += event === 'not_kept' ? 1 : 0),
    })
    for (const name of ['a', 'b', 'c']) await obtain(item(name).ref, {}, never)
    clock.advance(499)
    assert.deepEqual(groups, [])
    clock.advance(1)
    assert.deepEqual(groups, [3])
    await idle()
    assert.deepEqual(groups, [3, 1, 1, 1])
    assert.equal(lost, 1)
    assert.ok(
      (await memory.has(item('a').ref)) &&
        (await memory.has(item('c').ref)) &&
        !(await memory.has(item('b').ref)),
    )
  },
)

promise('large items are stored without waiting for others', async (over) => {
  const large = ['a', 'b', 'c'].map((name) => {
    const bytes = Buffer.alloc(512 * 1024, name)
    const digest = createHash('sha256').update(bytes).digest()
    return {
      ref: { kind: 'dag-block', hash: Uint8Array.of(0x12, 0x20, ...digest) },
      bytes,
    } as const
  })
  const { obtain, idle, store, clock } = rig(over, [having(...large)])
  for (const { ref } of large) await obtain(ref, {}, never)
  await turns()
  assert.deepEqual(
    large.map(({ ref }) => store.peek(ref) !== null),
    [true, true, false],
  )
  await idle()
  assert.equal(clock.timers, 0)
})

promise(
  'a store that accepts no writes causes later fetches, but not a failed reply',
  async (over) => {
    const full: LocalStore = {
      ...createMemoryStore(),
      put: () => Promise.reject(new Fault('no_space')),
    }
    const events: string[] = []
    const { obtain, idle, keep } = createObtain({
      store: over(full),
      sourcesFor: () => [having(item('a'))],
      verify,
      clock: createManualClock(),
      log: silentLog,
      count: (event) => events.push(event),
    })
    assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
    await idle()
    assert.deepEqual(events, ['fetched', 'not_kept'])
    await assert.rejects(keep(item('a').ref, item('a').bytes), isFault('no_space'))
  },
)

promise('bytes on their way to the store are bounded', async (over) => {
  const { obtain, idle, store, events } = rig(over, [having(item('a'))], {
    ...defaultObtainLimits,
    writeBehindBytesMax: 0,
  })
  assert.deepEqual(await obtain(item('a').ref, {}, never), item('a').bytes)
  await idle()
  assert.equal(store.peek(item('a').ref), null)
  assert.deepEqual(events, ['fetched honest', 'not_kept'])
})

promise('keep verifies before it keeps', async (over) => {
  const { keep, store } = rig(over, [])
  await assert.rejects(keep(item('a').ref, invalid('a').bytes), isFault('unverified'))
  assert.equal(store.peek(item('a').ref), null)
  await keep(item('a').ref, item('a').bytes)
  assert.deepEqual(store.peek(item('a').ref), item('a').bytes)
})

promise('a reader with a trace gets the steps of its read, others get none', async (over) => {
  const { obtain, idle } = rig(over, [source('faulty', () => [invalid('a')]), having(item('a'))])
  const steps: string[] = []
  const watch: ReadTrace = (step, name) => {
    steps.push(`${step} ${name}`)
    return (outcome) => void steps.push(`${step} ${outcome}`)
  }
  const { ref } = item('a')
  const [bytes] = await Promise.all([obtain(ref, { watch }, never), obtain(ref, {}, never)])
  assert.deepEqual(bytes, item('a').bytes)
  assert.deepEqual(steps, [
    'store ',
    'store absent',
    'verify ',
    'verify wrong',
    'verify ',
    'verify taken',
  ])
  steps.length = 0
  await idle()
  await obtain(ref, { watch }, never)
  assert.deepEqual(steps, ['store ', 'store held'])
})

test('while the machine that stores content is away, sources are asked, and then the reply is overloaded', async () => {
  const away: Over = (store) => ({
    ...createRemoteStore(store),
    isRemote: () => true,
    get: async () => {
      throw new Fault('overloaded')
    },
  })
  const none = rig(away, [source('empty', () => [])])
  await assert.rejects(none.obtain(item('a').ref, {}, never), { code: 'overloaded' })
  assert.ok(!none.events.includes('bad_copy'))
  const some = rig(away, [source('full', () => [item('a')])])
  assert.deepEqual(await some.obtain(item('a').ref, {}, never), item('a').bytes)
})
