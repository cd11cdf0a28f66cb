import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createKnownDevices } from './known-devices.ts'

test('a device cookie is of one person, of one server, unchanged, and expires', () => {
  const clock = createManualClock()
  const of = (byte: number) =>
    createKnownDevices({ clock, secret: () => new Uint8Array(32).fill(byte) })
  const { issue, idOf } = of(1)
  const { token, expires } = issue('ada')
  assert.equal(idOf(token, 'ada'), token.split('.')[0])
  assert.notEqual(token, issue('ada').token)
  assert.equal(idOf(token, 'grace'), null)
  assert.equal(idOf(token, null), null)
  assert.equal(of(2).idOf(token, 'ada'), null)
  const longer = token.replace(String(expires), String(expires + 1))
  for (const wrong of [null, '', '..', 'a.b.c', longer, token.slice(0, -1)]) {
    assert.equal(idOf(wrong, 'ada'), null, String(wrong))
  }
  clock.advance(expires - clock.now())
  assert.equal(idOf(token, 'ada'), null)
})
