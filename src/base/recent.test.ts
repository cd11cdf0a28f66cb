import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecent } from './recent.ts'

test('gives back what was added under the same key, and nothing else', () => {
  const recent = createRecent<string>({ sizeMax: 1_000 })
  recent.add('a', 'first', 10)
  recent.add('a', 'second', 10)
  assert.equal(recent.find('a'), 'first')
  assert.equal(recent.find('b'), null)
})

test('stays within its size, and keeps what is used again and again', () => {
  const recent = createRecent<number>({ sizeMax: 1_000 })
  recent.add('used', 0, 10)
  for (let number = 1; number <= 1_000; number += 1) {
    recent.add(`${number}`, number, 10)
    assert.equal(recent.find('used'), 0)
  }
  const held = Array.from({ length: 1_000 }, (_, index) => recent.find(`${index + 1}`))
  const count = held.filter((value) => value !== null).length
  assert.ok(count * 10 <= 1_000, `${count} entries of 10 are held`)
  assert.ok(count * 10 >= 400, `${count} entries of 10 are held`)
})

test('does not give its room to one large thing, and without room remembers nothing', () => {
  const recent = createRecent<string>({ sizeMax: 640 })
  recent.add('large', 'value', 11)
  assert.equal(recent.find('large'), null)
  const none = createRecent<string>({ sizeMax: 0 })
  none.add('a', 'value', 1)
  assert.equal(none.find('a'), null)
})
