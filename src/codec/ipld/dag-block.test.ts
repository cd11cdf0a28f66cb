// The IPFS codecs: examples of the specifications, malicious bytes, and hashes compared with node:crypto.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import fc from 'fast-check'
import { fromHex, toBareHex } from '../../base/hex.ts'
import { cidOf, dagPbCodec, decodeCid, findMultibase, parseCid, rawCodec } from './cid.ts'
import { decodeDagNode, encodeDagNode } from './dag-pb.ts'
import { encodeMultihash, hashNames, multihashOf } from './multihash.ts'
import { murmur3 } from './murmur3.ts'
import { decodeUnixfs, encodeUnixfs } from './unixfs.ts'
import { verifyDagBlock } from './verify-dag-block.ts'

const text = (value: string) => new Uint8Array(Buffer.from(value, 'utf8'))

test('leaves have the bytes that Kubo gives them', () => {
  const leaf = (data: Uint8Array | null, rest: object = {}) => {
    const fileSize = BigInt(data?.length ?? 0)
    const unixfs = encodeUnixfs({ type: 'file', data, fileSize, ...rest })
    return toBareHex(encodeDagNode({ links: [], data: unixfs }))
  }
  assert.equal(leaf(null), '0a0408021800')
  assert.equal(leaf(text('hello world')), '0a110802120b68656c6c6f20776f726c64180b')
  assert.equal(leaf(null, { mode: 0o764 }), '0a070802180038f403')
  const mtime = { seconds: 1603539720n, nanos: 54321 }
  assert.equal(leaf(null, { mtime }), '0a1108021800420b0888a6d0fc051531d40000')
})

test('what is encoded decodes to the same', () => {
  const size = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
  const bytes = fc.uint8Array({ maxLength: 40 })
  const name = fc.string({ unit: 'grapheme' })
  const link = fc.record({ cid: bytes, name, size }, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(link), fc.option(bytes), (links, data) => {
      const node = decodeDagNode(encodeDagNode({ links, data }))
      assert.deepEqual(node, { links, data })
    }),
  )
  const mtime = fc.record(
    {
      seconds: fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
      nanos: fc.integer({ min: 0, max: 999_999_999 }),
    },
    { noNullPrototype: true },
  )
  const unixfs = fc.record(
    {
      type: fc.constantFrom('raw', 'directory', 'file', 'metadata', 'symlink', 'hamt'),
      data: fc.option(bytes),
      fileSize: fc.option(size),
      blockSizes: fc.array(size),
      hashType: fc.option(size),
      fanout: fc.option(size),
      mode: fc.option(fc.integer({ min: 1, max: 0xfff })),
      mtime: fc.option(mtime),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(unixfs, (node) => {
      assert.deepEqual(decodeUnixfs(encodeUnixfs(node)), node)
    }),
  )
})

test('data before links and unknown fields are read', () => {
  const node = decodeDagNode(fromHex('0a02080112070a01ff12001803' + '1a00' + '2001'))
  assert.deepEqual(node.data, Uint8Array.of(8, 1))
  assert.deepEqual(node.links, [{ cid: Uint8Array.of(255), name: '', size: 3n }])
})

test('packed blocksizes are read as well', () => {
  assert.deepEqual(decodeUnixfs(fromHex('08022203018002')).blockSizes, [1n, 256n])
})

test('hostile bytes end in a Fault, never in anything else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const decode of [decodeDagNode, decodeUnixfs]) {
        try {
          decode(bytes)
        } catch (thrown) {
          assert.equal((thrown as { code?: string }).code, 'command_failed')
        }
      }
    }),
  )
  assert.throws(() => decodeDagNode(fromHex('0affffffffffffffff7f')), /runs past the end/)
  assert.throws(() => decodeDagNode(fromHex('12021200')), /link without a hash/)
})

function writtenIn(cid: CID, base: string): string {
  const encoder = findMultibase(base)
  assert.ok(encoder, base)
  return cid.toString(encoder)
}

test('CIDs are read in any multibase and written in the requested one', () => {
  const v0 = parseCid('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  assert.ok(v0)
  const v1 = v0.toV1()
  for (const base of ['base16', 'base32', 'base32upper', 'base36', 'base58btc', 'base64url']) {
    const encoder = findMultibase(base)
    assert.ok(encoder)
    assert.equal(findMultibase(encoder.prefix), encoder)
    assert.equal(parseCid(v1.toString(encoder))?.toString(), v1.toString(), base)
  }
  assert.equal(findMultibase('base3'), null)
  assert.equal(decodeCid(v0.bytes)?.toString(), v0.toString())
  for (const bad of ['', 'Q', 'notacid', 'Qm', 'bafy!', 'z'.repeat(2000)]) {
    assert.equal(parseCid(bad), null, bad)
  }
  assert.equal(decodeCid(Uint8Array.of(1, 2)), null)
})

test('a CID in bytes has one spelling: version 0 has no version byte, and numbers are as short as they can be', () => {
  const multihash = multihashOf('sha2-256', text('hello\n'))
  const spelled = (head: string) => Buffer.concat([Buffer.from(head, 'hex'), multihash])
  assert.ok(decodeCid(multihash))
  assert.ok(decodeCid(spelled('0170')))
  for (const head of ['0070', '0055', '800070', '810070', '01f000', '0270', '1270']) {
    const bytes = spelled(head)
    assert.equal(decodeCid(bytes), null, head)
    assert.equal(parseCid(`f${bytes.toString('hex')}`), null, head)
  }
  assert.equal(decodeCid(Buffer.concat([spelled('0170'), Buffer.of(0)])), null)
})

test('a block is proved by any hash of the list', () => {
  const bytes = text('hello\n')
  for (const name of hashNames.keys()) {
    const multihash = multihashOf(name, bytes)
    verifyDagBlock(multihash, bytes)
    assert.throws(() => verifyDagBlock(multihash, text('hellO\n')), { code: 'unverified' })
    assert.equal(cidOf(1, rawCodec, multihash).code, rawCodec)
  }
  const sha = multihashOf('sha2-256', bytes).subarray(2)
  verifyDagBlock(encodeMultihash(0x12, sha.subarray(0, 20)), bytes)
  assert.throws(() => verifyDagBlock(encodeMultihash(0x12, sha.subarray(0, 19)), bytes), {
    message: 'digest too small: got 19 bytes, minimum 20',
  })
  assert.throws(() => verifyDagBlock(encodeMultihash(0xd5, sha), bytes), {
    message: 'potentially insecure hash functions not allowed',
  })
  assert.throws(() => multihashOf('identity', new Uint8Array(129)), {
    message: 'digest too large: identity digest got 129 bytes, maximum 128',
  })
  assert.throws(() => cidOf(0, dagPbCodec, multihashOf('sha2-512', bytes)))
})

test('murmur3 gives the published values', () => {
  assert.equal(murmur3(text('')), 0n)
  assert.equal(murmur3(text('hello')), 0xcbd8a7b341bd9b02n)
  assert.equal(murmur3(text('The quick brown fox jumps over the lazy dog')), 0xe34bbc7bbc071b6cn)
})

test('a node of more links than any tool makes is refused before it takes its room', () => {
  const link = fromHex('0x12060a0401550000')
  const block = (count: number) => Buffer.concat(Array.from({ length: count }, () => link))
  assert.equal(decodeDagNode(block(100_000)).links.length, 100_000)
  assert.throws(() => decodeDagNode(block(100_001)), { message: /more than 100000 links/ })
})

test('the longest CID is read in every base, a longer one in slow bases is not even tried', () => {
  const digest = Buffer.alloc(128, 0xff)
  const cid = cidOf(1, 0x7fff_ffff, encodeMultihash(0xb240, digest))
  for (const base of ['base2', 'base8', 'base10', 'base16', 'base32', 'base36', 'base58btc']) {
    assert.ok(parseCid(writtenIn(cid, base))?.equals(cid), base)
  }
  const long = cidOf(1, rawCodec, encodeMultihash(0, Buffer.alloc(300, 0xff)))
  assert.ok(parseCid(writtenIn(long, 'base32'))?.equals(long))
  for (const base of ['base10', 'base36', 'base36upper', 'base58btc', 'base58flickr']) {
    assert.equal(parseCid(writtenIn(long, base)), null, base)
  }
})
