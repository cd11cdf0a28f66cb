import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidRange } from './cid-range.ts'

const v0 = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'
const v1 = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

function isIn(cid: string, text: string): boolean {
  const range = cidRange(text)
  if (range === null) return false
  const bytes = CID.parse(cid).bytes
  return Buffer.compare(range.from, bytes) <= 0 && Buffer.compare(bytes, range.below) < 0
}

test('each beginning of a CID finds the CID, from nine characters on', () => {
  for (const cid of [v0, v1]) {
    for (let length = 9; length <= cid.length; length++) {
      const text = cid.slice(0, length)
      assert.ok(isIn(cid, text), text)
      assert.equal(isIn(cid === v0 ? v1 : v0, text), false, text)
      if (length < cid.length)
        assert.equal(isIn(cid, `${text.slice(0, -1)}${text.at(-1) === 'a' ? 'b' : 'a'}`), false)
    }
  }
})

test('a whole CID finds itself alone, in any base, and other texts find none', () => {
  const upper = v1.toUpperCase()
  assert.ok(isIn(v1, upper))
  assert.equal(isIn(v0, CID.parse(v0).toV1().toString()), false)
  for (const text of ['bafkreif', 'Qm123', 'a name', 'bafk reifz', `b${'a'.repeat(400)}`, '']) {
    assert.equal(cidRange(text), null, text)
  }
})
