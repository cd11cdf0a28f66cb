import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { importer } from 'ipfs-unixfs-importer'
import { toBareHex } from '../../base/hex.ts'
import { leafBlockBytes, leafPrefix, leafSuffix } from './leaf-frame.ts'

const known: readonly [bytes: number, prefix: string, suffix: string, size: number][] = [
  [0, '0a0408021800', '', 6],
  [11, '0a110802120b', '180b', 19],
  [121, '0a7f08021279', '1879', 129],
  [122, '0a80010802127a', '187a', 131],
  [127, '0a85010802127f', '187f', 136],
  [128, '0a88010802128001', '188001', 139],
  [16383, '0a878001080212ff7f', '18ff7f', 16395],
  [16384, '0a8a8001080212808001', '18808001', 16398],
  [262144, '0a8a8010080212808010', '18808010', 262158],
]

test('the frame of a leaf is the one that was written down, at every edge of a varint', () => {
  for (const [bytes, prefix, suffix, size] of known) {
    assert.equal(toBareHex(leafPrefix(bytes)), prefix)
    assert.equal(toBareHex(leafSuffix(bytes)), suffix)
    assert.equal(leafBlockBytes(bytes), size)
  }
})

test('a framed leaf has the name that the importer of the community gives it', async () => {
  for (const bytes of [0, 1, 11, 100, 115, 116, 117, 120, 121, 122, 127, 128, 129, 16383, 262143]) {
    const data = Buffer.alloc(bytes, 7)
    const hash = createHash('sha256')
    for (const part of [leafPrefix(bytes), data, leafSuffix(bytes)]) hash.update(part)
    const named = Uint8Array.of(0x12, 0x20, ...hash.digest())
    const blocks = { put: async (cid: CID) => cid, has: async () => false }
    const options = { profile: 'unixfs-v0-2015' as const }
    for await (const { cid } of importer([{ content: data }], blocks as never, options)) {
      assert.equal(toBareHex(cid.multihash.bytes), toBareHex(named), `${bytes} bytes`)
    }
  }
})
