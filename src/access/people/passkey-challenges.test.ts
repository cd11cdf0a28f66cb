import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { challengeMs, createChallenges } from './passkey-challenges.ts'

test('a challenge is 32 random bytes, good once, for its use, five minutes long', () => {
  const clock = createManualClock()
  const challenges = createChallenges({ clock })
  const [one, two, three] = [1, 2, 3].map(() => challenges.create('a'))
  assert.ok(one && two && three)
  assert.equal(Buffer.from(one.challenge, 'base64url').length, 32)
  assert.notEqual(one.challenge, two.challenge)
  assert.throws(() => challenges.use(one.challenge, one.seal, 'b'), /took too long/)
  assert.throws(() => challenges.use(one.challenge, two.seal, 'a'), /took too long/)
  challenges.use(one.challenge, one.seal, 'a')
  assert.throws(() => challenges.use(one.challenge, one.seal, 'a'), /answered already/)
  clock.advance(challengeMs - 1)
  challenges.use(two.challenge, two.seal, 'a')
  clock.advance(1)
  assert.throws(() => challenges.use(three.challenge, three.seal, 'a'), /took too long/)
})

test('a changed or missing seal is refused', () => {
  const clock = createManualClock()
  const challenges = createChallenges({ clock })
  const { challenge, seal } = challenges.create('a')
  const [until = '', mac = ''] = seal.split('.')
  const later = `${Number(until) + 1}.${mac}`
  const wrong = ['', '.', 'x', later, `${until}.`, `${until}.AAAA`, `Infinity.${mac}`, `NaN.${mac}`]
  for (const changed of wrong) {
    assert.throws(() => challenges.use(challenge, changed, 'a'), /took too long/, changed)
  }
  challenges.use(challenge, seal, 'a')
})

test('used challenges are stored up to a limit; open challenges take no memory', () => {
  const clock = createManualClock()
  const challenges = createChallenges({ clock, usedMax: 2 })
  for (let created = 0; created < 100; created += 1) challenges.create('a')
  const answer = () => {
    const { challenge, seal } = challenges.create('a')
    challenges.use(challenge, seal, 'a')
  }
  answer()
  answer()
  assert.throws(answer, { code: 'overloaded' })
  clock.advance(challengeMs)
  answer()
})
