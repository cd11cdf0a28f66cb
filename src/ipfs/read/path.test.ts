// Paths as callers write them, with Kubo's texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePath } from './path.ts'

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
    ['/ipns/example.org', 'this server does not resolve IPNS names'],
    ['ipns://example.org', 'this server does not resolve IPNS names'],
  ]
  for (const [text, message] of texts) {
    assert.throws(() => parsePath(text), { code: 'command_failed', message }, text)
  }
})
