// Paths as clients write them, with Kubo's texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNamePath, parsePath } from './path.ts'

const cid = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

test('every accepted form names the same root', () => {
  for (const text of [
    `${cid}/a/b`,
    `/ipfs/${cid}/a/b`,
    `/ipld/${cid}/a/b/`,
    `ipfs://${cid}/a/b`,
    `IPFS:${cid}/a/b`,
    `/ipfs//${cid}/./x/../a/b`,
  ]) {
    const { root, segments, ipld } = parsePath(text)
    assert.equal(ipld, text.startsWith('/ipld'), text)
    assert.equal(root.toString(), cid, text)
    assert.deepEqual(segments, ['a', 'b'], text)
  }
})

test('what is no path is refused with the text clients know', () => {
  const texts: readonly (readonly [string, string | RegExp])[] = [
    ['notacid', 'invalid path "notacid": path does not have enough components'],
    ['', 'invalid path "": path does not have enough components'],
    [`/foo/${cid}`, `invalid path "/foo/${cid}": unknown namespace: "foo"`],
    ['/ipfs/notacid', /^invalid path "\/ipfs\/notacid": invalid cid: /],
  ]
  for (const [text, message] of texts) {
    assert.throws(() => parsePath(text), { code: 'command_failed', message }, text)
  }
})

test('a path of an IPNS name gives the name as it is written, and what is below it', () => {
  for (const text of [
    '/ipns/Example.org/a/b',
    'ipns://Example.org/a/./b',
    '//ipns//Example.org/x/../a/b/',
  ]) {
    assert.deepEqual(parseNamePath(text), { name: 'Example.org', segments: ['a', 'b'] }, text)
  }
  for (const text of ['/ipns', '/ipns/', 'ipns', cid, `/ipfs/${cid}`, 'example.org']) {
    assert.equal(parseNamePath(text), null, text)
  }
})
