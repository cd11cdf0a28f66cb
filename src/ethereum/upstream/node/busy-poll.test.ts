import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBusyPoll } from './busy-poll.ts'

/** An upstream that answers when it is told to, and how many turns of the loop were made without sleep meanwhile. */
function open({ processors = 2 } = {}) {
  let now = 0
  let waiting: (() => void)[] = []
  const poll = createBusyPoll({
    clock: { monotonic: () => now },
    processors,
    nextTurn: (look) => void waiting.push(look),
  })
  return {
    poll,
    /** A call that is answered after so long. */
    call(ms: number): void {
      const sent = poll.sent()
      now += ms
      poll.ended(sent, true)
    },
    /** Turns of 0.01 ms each until the loop would sleep. */
    turns(): number {
      let made = 0
      for (; waiting.length > 0; made += 1) {
        assert.equal(waiting.length, 1, 'one look a turn')
        const [look] = waiting
        waiting = []
        now += 0.01
        look?.()
      }
      return made
    },
  }
}

test('an upstream that answers within 0.25 ms is waited for awake, but no longer than 0.5 ms', () => {
  const { poll, call, turns } = open()
  call(0.25)
  const sent = poll.sent()
  const made = turns()
  assert.ok(made >= 50 && made <= 51, `${made} turns of 0.01 ms`)
  assert.equal(turns(), 0, 'it sleeps then')
  poll.ended(sent, true)
})

test('with its answer the loop may sleep, and is awake again for the next call', () => {
  const { poll, call, turns } = open()
  call(0.1)
  call(0.1)
  assert.equal(turns(), 1)
  const sent = poll.sent()
  assert.ok(turns() > 1)
  poll.ended(sent, true)
})

test('nobody stays awake for an upstream that is new or takes longer', () => {
  const { poll, call, turns } = open()
  poll.ended(poll.sent(), true)
  assert.equal(turns(), 0, 'nothing is known of it')
  const edge = open()
  edge.call(0.26)
  edge.poll.sent()
  assert.equal(edge.turns(), 0)
  for (let number = 0; number < 20; number += 1) call(3)
  turns()
  call(0.1)
  assert.equal(turns(), 0)
})

test('calls that were given up make no upstream near', () => {
  const { poll, call, turns } = open()
  call(3)
  for (let number = 0; number < 20; number += 1) poll.ended(poll.sent(), false)
  poll.sent()
  assert.equal(turns(), 0)
})

test('one pause among short answers changes nothing', () => {
  const { poll, call, turns } = open()
  for (let number = 0; number < 20; number += 1) call(0.1)
  call(5000)
  turns()
  const sent = poll.sent()
  assert.ok(turns() > 1)
  poll.ended(sent, true)
})

test('while several calls are under way, or where there is one processor, it sleeps', () => {
  const several = open()
  several.call(0.1)
  several.turns()
  const one = several.poll.sent()
  const other = several.poll.sent()
  assert.equal(several.turns(), 1)
  several.poll.ended(one, true)
  several.poll.ended(other, true)

  const single = open({ processors: 1 })
  single.call(0.1)
  single.poll.sent()
  assert.equal(single.turns(), 0)
})
