import assert from 'node:assert/strict'
import test from 'node:test'
import { fromHex, toHex, toLatin1 } from '../base/hex.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { createLearnedSets, type LearnedCall, type LearnedSets } from './learned-sets.ts'
import type { Reads } from './proved-state.ts'

type Slots = Readonly<Record<string, readonly string[]>>

const addressOf = (digits: string) => `0x${digits.repeat(20)}`
const wordOf = (value: number | string) =>
  (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')
const token = addressOf('70')
const [ann, ben, cem] = [addressOf('a1'), addressOf('b2'), addressOf('c3')]
const coinbase = addressOf('cb')

function callOf(data: readonly (number | string)[], more: Partial<LearnedCall> = {}): LearnedCall {
  const text = `0x12345678${data.map(wordOf).join('')}`
  return {
    network: 'main',
    accountId: 'one',
    request: { to: fromHex(token), data: fromHex(text) },
    coinbase: fromHex(coinbase),
    ...more,
  }
}

/** keccak256 of two words, which the EVM of some call computed. */
function hashIn(sets: LearnedSets, ...words: readonly (number | string)[]): string {
  const input = fromHex(words.map(wordOf).join(''))
  const hash = keccak256(input)
  sets.noteHash(input, hash)
  return toHex(hash)
}

function hashOf(...words: readonly (number | string)[]): string {
  return toHex(keccak256(fromHex(words.map(wordOf).join(''))))
}

function readsOf(slots: Slots): Reads {
  return new Map(
    Object.entries(slots).map(([address, words]) => [
      toLatin1(fromHex(address)),
      new Set(words.map((word) => toLatin1(fromHex(wordOf(word))))),
    ]),
  )
}

/** Without what every call reads: its sender, which most of these calls leave out, and the coinbase. */
function predicted(sets: LearnedSets, call: LearnedCall): Slots | null {
  const entries = sets.predict([call])
  if (entries === null) return null
  const { from = new Uint8Array(20) } = call.request
  const always = [from, call.coinbase].map(toHex)
  for (const address of always) assert.ok(entries.some((entry) => toHex(entry.address) === address))
  return Object.fromEntries(
    entries
      .map(({ address, storageKeys }) => [toHex(address), storageKeys.map(toHex)] as const)
      .filter(([address]) => !always.includes(address)),
  )
}

test('nothing is predicted before a call was seen', () => {
  assert.equal(createLearnedSets().predict([callOf([ann])]), null)
})

test('a mapping by a word of the calldata is predicted for other words', () => {
  const sets = createLearnedSets()
  sets.learn(callOf([ann]), readsOf({ [token]: ['0x00', hashIn(sets, ann, 3)] }))
  assert.deepEqual(predicted(sets, callOf([ben])), {
    [token]: [`0x${wordOf(0)}`, hashOf(ben, 3)],
  })
})

test('mappings in mappings, members of structs and entries of the sender are predicted', () => {
  const sets = createLearnedSets()
  const from = fromHex(cem)
  const call = (owner: string, spender: string) => {
    const { request, ...rest } = callOf([owner, spender])
    return { ...rest, request: { ...request, from } }
  }
  const nested = hashIn(sets, ben, hashIn(sets, ann, 1))
  const second = `0x${(BigInt(hashIn(sets, ann, 2)) + 2n).toString(16).padStart(64, '0')}`
  const own = hashIn(sets, cem, 4)
  sets.learn(call(ann, ben), readsOf({ [token]: [nested, second, own] }))
  const other = fromHex(ben)
  const fromOther = { ...call(ben, ann), request: { ...call(ben, ann).request, from: other } }
  assert.deepEqual(predicted(sets, fromOther), {
    [token]: [
      hashOf(ann, hashOf(ben, 1)),
      `0x${(BigInt(hashOf(ben, 2)) + 2n).toString(16).padStart(64, '0')}`,
      hashOf(ben, 4),
    ],
  })
})

test('accounts that the calldata names, and other coinbases, are predicted as such', () => {
  const sets = createLearnedSets()
  sets.learn(callOf([ann]), readsOf({ [ann]: [], [coinbase]: [], [cem]: ['0x05'] }))
  const call = callOf([ben], { coinbase: fromHex(addressOf('dd')) })
  assert.deepEqual(predicted(sets, call), { [ben]: [], [cem]: [`0x${wordOf(5)}`] })
})

test('after a miss nothing is predicted until a call reads what was learned', () => {
  const sets = createLearnedSets()
  sets.learn(callOf([ann]), readsOf({ [token]: ['0x01', '0x02'] }))
  sets.learn(callOf([ann]), readsOf({ [token]: ['0x02', '0x03'] }))
  assert.equal(predicted(sets, callOf([ann])), null)
  sets.learn(callOf([ann]), readsOf({ [token]: ['0x01', '0x03'] }))
  assert.deepEqual(predicted(sets, callOf([ann])), {
    [token]: [1, 2, 3].map((slot) => `0x${wordOf(slot)}`),
  })
})

test('a function that reads other slots each time does not grow its set', () => {
  const sets = createLearnedSets()
  for (let call = 0; call < 50; call += 1) {
    sets.learn(callOf([ann]), readsOf({ [token]: [hashOf(call, 1), hashOf(call, 2)] }))
  }
  sets.learn(callOf([ann]), readsOf({ [token]: [hashOf(49, 1), hashOf(49, 2)] }))
  assert.ok((predicted(sets, callOf([ann]))?.[token]?.length ?? 0) <= 6)
})

test('a call that reads very much is not learned', () => {
  const sets = createLearnedSets()
  const many = Array.from({ length: 600 }, (_, slot) => `0x${slot.toString(16)}`)
  sets.learn(callOf([ann]), readsOf({ [token]: many }))
  assert.equal(sets.predict([callOf([ann])]), null)
})

test('accounts and networks learn apart', () => {
  const sets = createLearnedSets()
  sets.learn(callOf([ann]), readsOf({ [token]: ['0x01'] }))
  assert.equal(sets.predict([callOf([ann], { accountId: 'two' })]), null)
  assert.equal(sets.predict([callOf([ann], { network: 'other' })]), null)
  assert.notEqual(sets.predict([callOf([ann])]), null)
})

test('a call that carries others is predicted from what each of them reads', () => {
  const sets = createLearnedSets()
  const [outer, carried] = [callOf([ann, ben]), callOf([ann], { request: {} })]
  const inner = (owner: string) => ({
    ...carried,
    request: { ...callOf([owner]).request, to: fromHex(cem) },
  })
  sets.learn(outer, readsOf({ [token]: ['0x07'] }))
  assert.equal(sets.predict([outer, inner(ann)]), null)
  sets.learn(inner(ann), readsOf({ [cem]: [hashIn(sets, ann, 3)] }))
  const both = sets.predict([outer, inner(ann), inner(ben)]) ?? []
  const slots = new Map(both.map((entry) => [toHex(entry.address), entry.storageKeys.map(toHex)]))
  assert.deepEqual(slots.get(token), [`0x${wordOf(7)}`])
  assert.deepEqual(slots.get(cem), [hashOf(ann, 3), hashOf(ben, 3)])
})

test('the account that stores most loses its oldest set first', () => {
  const sets = createLearnedSets({ sets: 4, words: 1_000 })
  const call = (number: number, accountId: string) => {
    const to = fromHex(`0x${number.toString(16).padStart(40, '0')}`)
    return callOf([ann], { accountId, request: { ...callOf([ann]).request, to } })
  }
  sets.learn(call(0, 'small'), readsOf({ [token]: ['0x01'] }))
  for (let number = 1; number <= 9; number += 1) {
    sets.learn(call(number, 'large'), readsOf({ [token]: ['0x01'] }))
  }
  assert.notEqual(sets.predict([call(0, 'small')]), null)
  const known = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(
    (number) => sets.predict([call(number, 'large')]) !== null,
  )
  assert.deepEqual(known, [7, 8, 9])
})

test('the limit of words is of all sets together', () => {
  const sets = createLearnedSets({ sets: 100, words: 10 })
  const call = (accountId: string) => callOf([ann], { accountId })
  const slots = (count: number) => Array.from({ length: count }, (_, slot) => `0x${slot}`)
  sets.learn(call('small'), readsOf({ [token]: slots(2) }))
  sets.learn(call('large'), readsOf({ [token]: slots(8) }))
  assert.equal(sets.predict([call('large')]), null)
  assert.notEqual(sets.predict([call('small')]), null)
})
