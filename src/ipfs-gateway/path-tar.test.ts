import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import { encodeDagNode } from '../codec/ipld/dag-pb.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../codec/ipld/unixfs.ts'
import { atOnce, fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { type GatewayClient, startPathReader } from '../../test/fakes/gateway-client.ts'
import { readTar } from '../../test/fakes/files/read-tar.ts'

const shown = { pathSettings: { deserialized: true } }

async function putBlock(reader: GatewayClient, codec: number, bytes: Uint8Array): Promise<string> {
  const cid = cidOf(1, codec, multihashOf('sha2-256', bytes))
  const context = { accountId: reader.account.key, proceed: () => true, signal: never }
  await reader.server.files.putBlock({ cid, bytes }, false, atOnce, context)
  return cid.toString()
}

async function folderOf(reader: GatewayClient, links: readonly (readonly [string, string])[]) {
  const node = {
    links: links.map(([name, cid]) => ({ cid: CID.parse(cid).bytes, name, size: 1n })),
    data: encodeUnixfs({ type: 'directory' }),
  }
  return await putBlock(reader, dagPbCodec, encodeDagNode(node))
}

async function pathsIn(response: Response): Promise<readonly string[]> {
  return readTar(Buffer.from(await response.arrayBuffer())).map(({ path }) => path)
}

test('a directory comes as an archive under its CID, the same bytes each time', async (t) => {
  const reader = await startPathReader(t, shown)
  const root = await reader.add([
    fileEntry('d/ą/ę.txt', 'stone'),
    { kind: 'symlink', path: 'd/link', target: 'ą' },
  ])
  const response = await reader.get(`${root}?format=tar`)
  assert.equal(response.status, 200)
  const { headers } = response
  assert.equal(headers.get('content-type'), 'application/x-tar')
  assert.equal(headers.get('etag'), `W/"${root}.x-tar"`)
  assert.equal(headers.get('content-disposition'), `attachment; filename="${root}.tar"`)
  assert.equal(headers.get('cache-control'), 'public, max-age=29030400, immutable')
  assert.equal(headers.get('accept-ranges'), 'none')
  assert.equal(headers.get('x-ipfs-roots'), root)
  const archive = Buffer.from(await response.arrayBuffer())
  const entries = readTar(archive)
  assert.deepEqual(
    entries.map(({ path }) => path),
    [root, `${root}/link`, `${root}/ą`, `${root}/ą/ę.txt`],
  )
  assert.equal(entries.at(-1)?.content.toString(), 'stone')
  const again = await reader.get(root, { accept: 'application/x-tar' })
  assert.deepEqual(Buffer.from(await again.arrayBuffer()), archive)
  assert.equal(again.headers.get('content-location'), `/ipfs/${root}?format=tar`)
  const known = await reader.get(`${root}?format=tar`, { 'if-none-match': `"${root}.x-tar"` })
  assert.equal(known.status, 304)
})

test('what lies below a path comes under its own CID, and may be given a name', async (t) => {
  const reader = await startPathReader(t, shown)
  const root = await reader.add([fileEntry('d/sub/a', 'stone')])
  const file = (await reader.server.files.resolve(`${root}/sub/a`, atOnce, never)).toString()
  const response = await reader.get(`${root}/sub/a?format=tar&filename=testтест.tar`)
  assert.equal(
    response.headers.get('content-disposition'),
    `attachment; filename="test____.tar"; filename*=UTF-8''test%D1%82%D0%B5%D1%81%D1%82.tar`,
  )
  assert.deepEqual(await pathsIn(response), [file])
  const head = await reader.get(`${root}/sub?format=tar`, {}, 'HEAD')
  assert.deepEqual([head.status, await head.text()], [200, ''])
})

test('names that leave the archive are refused before a status is sent', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')])
  const inner = await folderOf(reader, [['../x', file]])
  const outside = await folderOf(reader, [['../x', file]])
  const inside = await folderOf(reader, [['sub', inner]])
  assert.equal((await reader.get(`${outside}?format=tar`)).status, 500)
  const response = await reader.get(`${inside}?format=tar`)
  assert.deepEqual(await pathsIn(response), [inside, `${inside}/sub`, `${inside}/x`])
})

test('what is no file, what is not here, and a value in a block each have their answer', async (t) => {
  const reader = await startPathReader(t, shown)
  const cbor = await putBlock(reader, dagCborCodec, Buffer.from('a16161820102', 'hex'))
  const absent = cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from('absent'))).toString()
  const half = await folderOf(reader, [['a', absent]])
  const status = async (path: string) => (await reader.get(`${path}?format=tar`)).status
  assert.equal(await status(cbor), 400)
  assert.equal(await status(`${cbor}/a`), 501)
  assert.equal(await status(half), 404)
  assert.equal(await status(`${half}/b`), 404)
})

test('an archive whose content goes missing on the way is cut', async (t) => {
  const reader = await startPathReader(t, shown)
  const large = await putBlock(reader, rawCodec, Buffer.alloc(200_000, 1))
  const absent = cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from('absent'))).toString()
  const root = await folderOf(reader, [
    ['a', large],
    ['b', absent],
  ])
  const response = await reader.get(`${root}?format=tar`)
  assert.equal(response.status, 200)
  await assert.rejects(response.arrayBuffer())
})

test('an entry on the deny list ends the archive', async (t) => {
  const denied = new Set<string>()
  const reader = await startPathReader(t, {
    ...shown,
    pathRules: { denialOf: (cid) => (denied.has(cid.toString()) ? 410 : null) },
  })
  const root = await reader.add([fileEntry('d/a', 'stone'), fileEntry('d/b', 'moss')])
  denied.add((await reader.server.files.resolve(`${root}/b`, atOnce, never)).toString())
  assert.equal((await reader.get(`${root}?format=tar`)).status, 410)
})
