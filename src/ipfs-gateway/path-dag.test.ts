import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidOf, dagCborCodec, dagJsonCodec } from '../codec/ipld/cid.ts'
import { encodeIpld } from '../codec/ipld/ipld.ts'
import type { IpldNode } from '../codec/ipld/ipld-node.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { atOnce, fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { type GatewayClient, startPathReader } from '../../test/fakes/gateway-client.ts'

const shown = { pathSettings: { deserialized: true } }
const dagJson = 'application/vnd.ipld.dag-json'
const dagCbor = 'application/vnd.ipld.dag-cbor'
const cborCodec = 0x51
const jsonCodec = 0x0200

async function putBlock(reader: GatewayClient, codec: number, bytes: Uint8Array): Promise<string> {
  const cid = cidOf(1, codec, multihashOf('sha2-256', bytes))
  const context = { accountId: reader.account.key, proceed: () => true, signal: never }
  await reader.server.files.putBlock({ cid, bytes }, false, atOnce, context)
  return cid.toString()
}

async function putNode(reader: GatewayClient, codec: number, members: Record<string, IpldNode>) {
  return await putBlock(reader, codec, encodeIpld(codec, new Map(Object.entries(members))))
}

test('a block of each codec is given as itself, under its own format and its plain one', async (t) => {
  const reader = await startPathReader(t, shown)
  const bytes = new Map([
    [dagJsonCodec, Buffer.from('{"a":1}')],
    [dagCborCodec, Buffer.from('a1616101', 'hex')],
    [jsonCodec, Buffer.from('{ "a": 1 }')],
    [cborCodec, Buffer.from('a1616101', 'hex')],
  ])
  const cases = [
    [dagJsonCodec, '', dagJson, 'dag-json', 'inline'],
    [dagJsonCodec, 'dag-json', dagJson, 'dag-json', 'inline'],
    [dagJsonCodec, 'json', 'application/json', 'json', 'inline'],
    [dagCborCodec, '', dagCbor, 'dag-cbor', 'attachment'],
    [dagCborCodec, 'dag-cbor', dagCbor, 'dag-cbor', 'attachment'],
    [dagCborCodec, 'cbor', 'application/cbor', 'cbor', 'attachment'],
    [jsonCodec, '', 'application/json', 'json', 'inline'],
    [jsonCodec, 'json', 'application/json', 'json', 'inline'],
    [cborCodec, '', 'application/cbor', 'cbor', 'attachment'],
    [cborCodec, 'cbor', 'application/cbor', 'cbor', 'attachment'],
  ] as const
  for (const [codec, format, type, suffix, disposition] of cases) {
    const block = bytes.get(codec) ?? Buffer.alloc(0)
    const cid = await putBlock(reader, codec, block)
    const paths = [
      await reader.get(format === '' ? cid : `${cid}?format=${format}`),
      ...(format === '' ? [] : [await reader.get(cid, { accept: type })]),
    ]
    for (const response of paths) {
      const { headers } = response
      assert.equal(response.status, 200)
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('etag'), `"${cid}.${suffix}"`)
      const name = `${cid}.${suffix.replace('dag-', '')}`
      assert.equal(headers.get('content-disposition'), `${disposition}; filename="${name}"`)
      assert.equal(headers.get('cache-control'), 'public, max-age=29030400, immutable')
      assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), block)
    }
    const part = await reader.get(cid, { range: 'bytes=1-2' })
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), block.subarray(1, 3))
  }
  const named = await reader.get(
    `${await putBlock(reader, dagJsonCodec, Buffer.from('{}'))}?filename=b.json&download=true`,
  )
  assert.equal(named.headers.get('content-disposition'), 'attachment; filename="b.json"')
})

test('no codec is converted to another: that is a 406 that says how to get the block', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')])
  const json = await putBlock(reader, dagJsonCodec, Buffer.from('{"a":1}'))
  const cbor = await putBlock(reader, dagCborCodec, Buffer.from('a1616101', 'hex'))
  const plainJson = await putBlock(reader, jsonCodec, Buffer.from('{}'))
  for (const [cid, format] of [
    [file, 'dag-json'],
    [file, 'dag-cbor'],
    [json, 'dag-cbor'],
    [json, 'cbor'],
    [cbor, 'dag-json'],
    [cbor, 'json'],
    [plainJson, 'dag-json'],
    [plainJson, 'cbor'],
  ] as const) {
    const response = await reader.get(`${cid}?format=${format}`)
    assert.equal(response.status, 406, `${cid} ${format}`)
    assert.match(await response.text(), /is not converted to .*: ask for \?format=raw/)
  }
  assert.equal((await reader.get(file, { accept: dagJson })).status, 406)
})

test('a file asked for as json or cbor is the file', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', '{"a":1}')])
  for (const headers of [{ accept: 'application/json' }, { accept: 'application/cbor' }]) {
    const response = await reader.get(file, headers)
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.equal(response.headers.get('etag'), `"${file}"`)
    assert.equal(await response.text(), '{"a":1}')
  }
  const both = await reader.get(`${file}?format=json`, { accept: 'application/vnd.ipld.raw' })
  assert.equal(await both.text(), '{"a":1}')
})

test('paths go through links of blocks, and a value inside a block is a 501', async (t) => {
  const reader = await startPathReader(t, shown)
  for (const [codec, format] of [
    [dagJsonCodec, 'dag-json'],
    [dagCborCodec, 'dag-cbor'],
  ] as const) {
    const inner = await putNode(reader, codec, { hello: 'no link' })
    const root = await putNode(reader, codec, {
      foo: new Map<string, IpldNode>([['link', CID.parse(inner)]]),
    })
    const response = await reader.get(`${root}/foo/link?format=${format}`)
    assert.equal(response.headers.get('x-ipfs-roots'), `${root},${inner}`)
    const block = await reader.server.files.block(CID.parse(inner), atOnce, never)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(block))
    const inside = await reader.get(`${root}/foo?format=${format}`)
    assert.equal(inside.status, 501)
    assert.match(await inside.text(), /^"foo" is a value inside the block /)
    assert.equal((await reader.get(`${root}/foo?format=raw`)).status, 501)
    assert.equal((await reader.get(`${root}/foo/nope`)).status, 404)
  }
})

test('a client that accepts HTML is given a page of a block, and no value becomes markup', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const codec of [dagJsonCodec, dagCborCodec]) {
    const cid = await putNode(reader, codec, {
      '<script>': '<img src=x onerror=alert(1)>',
      bytes: Buffer.from('0102ff', 'hex'),
      link: CID.parse(file),
      list: [1n, null, true, new Map<string, IpldNode>()],
      'quo"te': "it's",
    })
    const moved = await reader.get(cid, html)
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, `/ipfs/${cid}/`])
    const response = await reader.get(`${cid}/`, html)
    const { headers } = response
    assert.equal(response.status, 200)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('etag'), `"DagIndex-3_CID-${cid}"`)
    assert.match(headers.get('cache-control') ?? '', /max-age=604800/)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    assert.equal(headers.get('content-disposition'), null)
    assert.equal(headers.get('vary'), 'Accept, Authorization')
    const page = await response.text()
    assert.doesNotMatch(page, /<script|<img/)
    assert.ok(page.includes(`<a href="/ipfs/${file}">${file}</a>`))
    assert.ok(page.includes('0x0102ff'))
    assert.ok(page.includes('[\n    1\n    null\n    true\n    {\n    }\n  ]\n'))
    assert.ok(page.endsWith('</html>\n'))
    const plain = await reader.get(`${cid}/`)
    assert.notEqual(plain.headers.get('content-type'), 'text/html; charset=utf-8')
  }
})

test('a page of a block is bounded, and one that can not be decoded says so', async (t) => {
  const reader = await startPathReader(t, shown)
  const html = { accept: 'text/html' }
  const many = await putNode(reader, dagCborCodec, { many: Array<IpldNode>(50_000).fill(7n) })
  const page = await (await reader.get(`${many}/`, html)).text()
  assert.ok(page.includes('only the first 5000 values are shown'))
  assert.ok(page.length < 100_000)
  const junk = await putBlock(reader, dagCborCodec, Buffer.from('ff', 'hex'))
  const sorry = await reader.get(`${junk}/`, html)
  assert.equal(sorry.status, 200)
  assert.match(await sorry.text(), /can not be shown/)
})
