import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { denyLinesMax, parseDenyList } from './deny-list.ts'

const one = CID.parse('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
const other = CID.parse('bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy')

test('an entry denies a block by every spelling of its CID, with all below it', async () => {
  for (const line of [
    `${one.toString()}`,
    `/ipfs/${one.toString()}`,
    `/ipfs/${one.toV1().toString()}/*`,
    `  ${one.toString()} # why`,
  ]) {
    const list = await parseDenyList(line)
    assert.equal(list.denies(one), true, line)
    assert.equal(list.denies(one.toV1(), ['a']), true, line)
    assert.equal(list.denies(other), false, line)
  }
})

test('an entry with a path denies that path, with a star all that begins so', async () => {
  const list = await parseDenyList(`/ipfs/${one.toString()}/a/b\n/ipfs/${other.toString()}/x*\n`)
  assert.equal(list.denies(one), false)
  assert.equal(list.denies(one, ['a', 'b']), true)
  assert.equal(list.denies(one, ['a', 'b', 'c']), false)
  assert.equal(list.denies(other, ['xyz', 'a']), true)
  assert.equal(list.denies(other, ['y']), false)
})

test('a hashed entry denies content that the list does not name in clear', async () => {
  const lines = [`${one.toV1().toString()}/`, `${other.toString()}/a/b`].map(
    (name) => `//${hash('sha256', name, 'hex')}`,
  )
  const list = await parseDenyList(lines.join('\n'))
  assert.equal(list.entries, 2)
  assert.equal(list.denies(one), true)
  assert.equal(list.denies(other), false)
  assert.equal(list.denies(other, ['a', 'b']), true)
})

test('a head, comments and empty lines are ignored, and errors name their line', async () => {
  const list = await parseDenyList(
    `version: 1\nname: x\n---\n\n# note\r\n${one.toString()}\r\n/ipns/x\n+${one.toString()}\n`,
  )
  assert.equal(list.entries, 1)
  assert.deepEqual(list.unread, [7, 8])
})

test('a list without end is refused', async () => {
  await assert.rejects(parseDenyList('\n'.repeat(denyLinesMax)), RangeError)
})
