import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createWantQueue, defaultWantQueueLimits, type WantQueueLimits } from './want-queue.ts'

function queueOf(limits: Partial<WantQueueLimits> = {}) {
  const clock = createManualClock()
  const events: string[] = []
  const sent: number[] = []
  const refused: number[] = []
  let next = 0
  const queue = createWantQueue({
    open: (session) => events.push(`open ${session}`),
    shut: (session) => events.push(`shut ${session}`),
    send(session, { id }) {
      events.push(`send ${session} ${id}`)
      sent.push(id)
    },
    refuse: (id) => refused.push(id),
    clock,
    limits: { ...defaultWantQueueLimits, ...limits },
  })
  /** Adds a want and returns its ID. */
  function want(account: string, root = 0): number {
    next += 1
    queue.add({
      id: next,
      account,
      root: Uint8Array.of(root),
      cid: Uint8Array.of(next),
      origins: [],
    })
    return next
  }
  return { queue, clock, events, sent, refused, want }
}

test('wants of one root share a session, which ends after its last want', () => {
  const { queue, clock, events, want } = queueOf()
  const [first, second] = [want('a'), want('a')]
  assert.deepEqual(events, ['open 1', 'send 1 1', 'send 1 2'])
  assert.equal(queue.end(first), true)
  assert.equal(queue.end(second), true)
  clock.advance(29_999)
  assert.equal(queue.sessions, 1)
  clock.advance(1)
  assert.deepEqual(events.slice(3), ['shut 1'])
  assert.equal(queue.sessions, 0)
})

test('accounts take turns, however many wants one of them has', () => {
  const { queue, sent, want } = queueOf({ sentMax: 2 })
  for (let index = 0; index < 10; index += 1) want('greedy')
  const [one, two] = [want('b'), want('c')]
  queue.end(1)
  queue.end(2)
  assert.ok(sent.includes(one) || sent.includes(two))
  for (const id of sent) queue.end(id)
  assert.ok(sent.includes(one) && sent.includes(two))
})

test('wants that no peer answers delay only those of their account', () => {
  const { sent, want } = queueOf()
  for (let index = 0; index < 5000; index += 1) want('greedy', index % 16)
  assert.equal(sent.length, 512)
  assert.ok(sent.includes(want('b')))
})

test('an account has 16 sessions, and a further root takes the place of an idle one', () => {
  const { queue, events, sent, want } = queueOf()
  for (let root = 0; root < 16; root += 1) want('a', root)
  const waits = want('a', 16)
  assert.equal(queue.waiting, 1)
  assert.ok(sent.includes(want('b', 16)))
  queue.end(1)
  assert.ok(sent.includes(waits))
  assert.ok(events.includes('shut 1'))
  assert.equal(queue.sessions, 17)
})

test('256 sessions are open in all', () => {
  const { queue, want } = queueOf()
  for (let index = 0; index < 300; index += 1) want(`account ${index}`)
  assert.equal(queue.sessions, 256)
  assert.equal(queue.waiting, 44)
})

test('a full queue refuses the newest want of the account with the most', () => {
  const { queue, refused, want } = queueOf({ sentMax: 1, queuedMax: 3 })
  const [, , greedy] = [want('a'), want('a'), want('a')]
  want('b')
  want('b')
  assert.equal(queue.waiting, 3)
  assert.deepEqual(refused, [greedy])
})

test('with the limits of a server, 4,096 wants wait and further ones are refused', () => {
  const { queue, refused, want } = queueOf()
  for (let index = 0; index < 10_000; index += 1) want('a')
  assert.equal(queue.waiting, 4096)
  assert.equal(refused.length, 10_000 - 4096 - 256)
})

test('a want that is dropped while it waits is never sent', () => {
  const { queue, sent, want } = queueOf({ sentMax: 1 })
  want('a')
  const dropped = want('a')
  const last = want('a')
  assert.equal(queue.end(dropped), false)
  queue.end(1)
  assert.deepEqual(sent, [1, last])
})
