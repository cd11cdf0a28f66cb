import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createChoose } from './choose-upstreams.ts'
import type { Upstream } from '../node/upstream.ts'

type Facts = {
  cost: number
  can?: 'yes' | 'no' | 'unknown'
  isProving?: boolean
  mayCall?: boolean
  trusted?: boolean
}

function upstreamOf(name: string, facts: Facts): Upstream {
  return {
    name,
    trusted: facts.trusted ?? false,
    cost: () => facts.cost,
    can: () => facts.can ?? 'yes',
    mayCall: () => facts.mayCall ?? true,
    get isProving() {
      return facts.isProving ?? false
    },
  } as unknown as Upstream
}

const content = { methodClass: 'content', need: 'proof', number: 1n } as const

function order(
  facts: Readonly<Record<string, Facts>>,
  need: Parameters<ReturnType<typeof createChoose>>[0] = content,
): () => string {
  const choose = createChoose(
    Object.entries(facts).map(([name, one]) => upstreamOf(name, one)),
    createManualClock(),
  )
  return () =>
    choose(need)
      .map(({ name }) => name)
      .join('')
}

test('able upstreams come first, then unknown ones, then those that owe canaries; unable ones are left out', () => {
  const line = order({
    a: { cost: 1, can: 'unknown' },
    b: { cost: 9 },
    c: { cost: 1, isProving: true },
    d: { cost: 1, can: 'no' },
    e: { cost: 2 },
    f: { cost: 1, mayCall: false },
  })
  assert.equal(line(), 'ebac')
})

test('unproved answers come from a trusted upstream first, content from the cheapest', () => {
  const facts = {
    a: { cost: 1 },
    b: { cost: 9, trusted: true },
    c: { cost: 8, can: 'unknown', trusted: true },
    d: { cost: 1, can: 'no', trusted: true },
    e: { cost: 1, isProving: true, trusted: true },
  } as const
  assert.equal(order(facts, { ...content, methodClass: 'read' })(), 'bcae')
  assert.equal(order(facts)(), 'abce')
})

test('when no upstream is known to be able, the cheapest is queried anyway', () => {
  assert.equal(order({ a: { cost: 5, can: 'no' }, b: { cost: 2, can: 'no' } })(), 'b')
})

test('the first stays first until another is clearly better', () => {
  const a = { cost: 10 }
  const b = { cost: 12 }
  const line = order({ a, b })
  assert.equal(line(), 'ab')
  b.cost = 9
  assert.equal(line(), 'ab')
  b.cost = 7
  assert.equal(line(), 'ba')
  a.cost = 6
  assert.equal(line(), 'ba')
})

test('an upstream that is first because the others are unable is not first for the next request', () => {
  const a: Facts = { cost: 10 }
  const line = order({ a, b: { cost: 11 } })
  assert.equal(line(), 'ab')
  a.can = 'no'
  assert.equal(line(), 'b')
  a.can = 'yes'
  assert.equal(line(), 'ab')
})
