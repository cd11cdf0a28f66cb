import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { carLimits, openCar } from '../codec/ipld/car-reader.ts'
import { verifyDagBlock } from '../codec/ipld/verify-dag-block.ts'
import { dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import { encodeDagNode } from '../codec/ipld/dag-pb.ts'
import { cidOf } from '../codec/ipld/cid.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../codec/ipld/unixfs.ts'
import { fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { absentCid, type GatewayClient, startPathReader } from '../../test/fakes/gateway-client.ts'

/** The CIDs of a CAR in order, each block verified by its CID. */
async function readCar(reader: GatewayClient, path: string): Promise<readonly string[]> {
  const response = await reader.get(path)
  assert.equal(response.status, 200, path)
  const { roots, blocks } = await openCar(
    response.body as unknown as AsyncIterable<Uint8Array>,
    carLimits,
  )
  // The target of the path, whatever the number of blocks on it.
  const end = response.headers.get('x-ipfs-roots')?.split(',').at(-1)
  assert.deepEqual(roots.map(String), [end])
  const names: string[] = []
  for await (const { cid, block } of blocks) {
    verifyDagBlock(cid.multihash.bytes, block)
    names.push(cid.toString())
  }
  return names
}

/** Four leaves of 256 KiB under one root. */
const fourLeaves = Buffer.concat([1, 2, 3, 4].map((byte) => Buffer.alloc(262_144, byte)))

async function leavesOf(reader: GatewayClient, cid: string): Promise<readonly string[]> {
  const links: string[] = []
  const patience = { offline: true, timeoutMs: null }
  for await (const { cid: leaf } of reader.server.files.list(CID.parse(cid), patience, never)) {
    links.push(leaf.toString())
  }
  return links
}

async function putBlock(
  { server, account }: GatewayClient,
  codec: number,
  bytes: Uint8Array,
): Promise<string> {
  const cid = cidOf(1, codec, multihashOf('sha2-256', bytes))
  const context = { accountId: account.key, proceed: () => true, signal: never }
  await server.files.putBlock({ cid, bytes }, false, { offline: true, timeoutMs: null }, context)
  return cid.toString()
}

test('a CAR of all has the whole DAG depth first, each block once, with the headers of the contract', async (t) => {
  const reader = await startPathReader(t)
  const file = await reader.add([fileEntry('', fourLeaves)])
  const folder = await reader.add([
    fileEntry('d/a', fourLeaves),
    fileEntry('d/b', 'stone'),
    fileEntry('d/c', fourLeaves),
  ])
  const stone = await reader.add([fileEntry('', 'stone')])
  const leaves = await leavesOf(reader, file)
  assert.equal(leaves.length, 4)
  const names = await readCar(reader, `${folder}?format=car`)
  assert.deepEqual(names, [folder, file, ...leaves, stone])
  const { headers } = await reader.get(`${folder}/a?format=car`, {}, 'HEAD')
  assert.equal(
    headers.get('content-type'),
    'application/vnd.ipld.car; version=1; order=dfs; dups=n',
  )
  assert.equal(headers.get('content-disposition'), `attachment; filename="${folder}_a.car"`)
  assert.equal(headers.get('accept-ranges'), 'none')
  assert.equal(headers.get('cache-control'), 'public, max-age=29030400, immutable')
  assert.equal(headers.get('x-ipfs-path'), `/ipfs/${folder}/a`)
  assert.equal(headers.get('x-ipfs-roots'), `${folder},${file}`)
  assert.match(headers.get('etag') ?? '', new RegExp(`^W/"${folder}\\.car\\.[0-9a-f]{20}"$`))
  assert.equal(headers.get('content-length'), null)
})

test('with car-dups=y a block comes as often as it is met', async (t) => {
  const reader = await startPathReader(t)
  const same = Buffer.alloc(4 * 262_144, 7)
  const file = await reader.add([fileEntry('', same)])
  const [leaf = ''] = await leavesOf(reader, file)
  const tail = (await leavesOf(reader, file)).slice(1)
  assert.deepEqual(await readCar(reader, `${file}?format=car`), [file, leaf])
  for (const scope of ['all', 'entity']) {
    const twice = await readCar(reader, `${file}?format=car&car-dups=y&dag-scope=${scope}`)
    assert.deepEqual(twice, [file, leaf, ...tail])
  }
})

test('dag-scope chooses the block, the entity or all, behind the blocks of the path', async (t) => {
  const reader = await startPathReader(t)
  const file = await reader.add([fileEntry('', fourLeaves)])
  const folder = await reader.add([fileEntry('d/sub/file', fourLeaves)])
  const leaves = await leavesOf(reader, file)
  const [sub = ''] = await leavesOf(reader, folder)
  const car = (path: string, scope: string) =>
    readCar(reader, `${folder}${path}?format=car&dag-scope=${scope}`)
  assert.deepEqual(await car('', 'block'), [folder])
  assert.deepEqual(await car('', 'entity'), [folder])
  assert.deepEqual(await car('/sub', 'block'), [folder, sub])
  assert.deepEqual(await car('/sub', 'entity'), [folder, sub])
  assert.deepEqual(await car('/sub/file', 'block'), [folder, sub, file])
  assert.deepEqual(await car('/sub/file', 'entity'), [folder, sub, file, ...leaves])
  assert.deepEqual(await car('/sub/file', 'all'), [folder, sub, file, ...leaves])
})

test('entity-bytes brings only the blocks that hold those bytes', async (t) => {
  const reader = await startPathReader(t)
  const file = await reader.add([fileEntry('', fourLeaves)])
  const [first = '', second = '', third = '', fourth = ''] = await leavesOf(reader, file)
  const folder = await reader.add([fileEntry('d/a', 'stone')])
  const leaves = async (bytes: string) => {
    const names = await readCar(reader, `${file}?format=car&entity-bytes=${bytes}`)
    assert.equal(names[0], file)
    return names.slice(1)
  }
  assert.deepEqual(await leaves('0:*'), [first, second, third, fourth])
  assert.deepEqual(await leaves('0:0'), [first])
  assert.deepEqual(await leaves('262143:262144'), [first, second])
  assert.deepEqual(await leaves('262144:524287'), [second])
  assert.deepEqual(await leaves('-1:*'), [fourth])
  assert.deepEqual(await leaves('-262145:-262145'), [third])
  assert.deepEqual(await leaves('300000:-300000'), [second, third])
  assert.deepEqual(await leaves('-9999999:99999999'), [first, second, third, fourth])
  // The range contains no bytes of the file: only the root is sent, which shows the client why.
  assert.deepEqual(await leaves('1048576:*'), [])
  assert.deepEqual(await leaves('1048575:-5'), [])
  // A directory has no bytes.
  assert.deepEqual(await readCar(reader, `${folder}?format=car&entity-bytes=5:6`), [folder])
})

test('the entity of a sharded directory is all its shards, and a path through it brings those on the way', async (t) => {
  const reader = await startPathReader(t)
  const names = Array.from({ length: 7000 }, (_, index) => `a-rather-long-name-of-a-file-${index}`)
  const folder = await reader.add(names.map((name) => fileEntry(`d/${name}`, 'x')))
  const leaf = await reader.add([fileEntry('', 'x')])
  const shards = await readCar(reader, `${folder}?format=car&dag-scope=entity`)
  assert.ok(shards.length > 100, `${shards.length} shards`)
  assert.ok(!shards.includes(leaf))
  const way = await readCar(reader, `${folder}/${names[5000]}?format=car`)
  assert.equal(way[0], folder)
  assert.equal(way.at(-1), leaf)
  assert.ok(way.length === 3 || way.length === 4, way.join(' '))
})

test('no block of an identity CID is in a CAR', async (t) => {
  const reader = await startPathReader(t)
  const folder = await reader.add([fileEntry('d/a', 'tiny'), fileEntry('d/b', 'x'.repeat(99))], {
    inline: true,
    cidVersion: 1,
  })
  const names = await readCar(reader, `${folder}?format=car&car-dups=y`)
  assert.equal(names.length, 2)
  assert.ok(names.every((name) => CID.parse(name).multihash.code !== 0))
  assert.deepEqual(await readCar(reader, 'bafkqaaa?format=car'), [])
})

test('another form of the request has another tag, and a known tag gets a 304', async (t) => {
  const reader = await startPathReader(t)
  const folder = await reader.add([fileEntry('d/a', 'stone'), fileEntry('d/b', 'stone')])
  const tags = new Set<string>()
  const ways = [
    '',
    '/a',
    '/b',
    ['dag-scope=block', 'dag-scope=entity', 'car-dups=y', 'entity-bytes=0:1', 'entity-bytes=0:*'],
  ].flat()
  for (const way of ways) {
    const path = way.startsWith('/') ? `${folder}${way}?format=car` : `${folder}?format=car&${way}`
    const tag = (await reader.get(path, {}, 'HEAD')).headers.get('etag') ?? ''
    tags.add(tag)
    assert.equal((await reader.get(path, { 'if-none-match': tag })).status, 304)
  }
  assert.equal(tags.size, ways.length)
  const [one, same] = await Promise.all(
    ['format=car&dag-scope=all&car-order=unk', 'format=car&car-version=1&filename=x'].map(
      async (query) => (await reader.get(`${folder}?${query}`, {}, 'HEAD')).headers.get('etag'),
    ),
  )
  assert.equal(one, same)
})

test('values that are not served are a 400 that names them', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')])
  for (const [name, value] of [
    ['dag-scope', 'most'],
    ['car-version', '2'],
    ['car-order', 'bfs'],
    ['car-dups', 'yes'],
    ['entity-bytes', '1'],
    ['entity-bytes', '5:4'],
    ['entity-bytes', '-4:-5'],
    ['entity-bytes', '*:5'],
    ['entity-bytes', '99999999999999999999:*'],
  ] as const) {
    const query = new URLSearchParams([
      ['format', 'car'],
      [name, value],
    ])
    const response = await reader.get(`${cid}?${query.toString()}`)
    assert.equal(response.status, 400, `${name}=${value}`)
    assert.match(await response.text(), new RegExp(`of parameter "${name}" is not supported`))
  }
  const accepted = await reader.get(cid, { accept: 'application/vnd.ipld.car; version=2' })
  assert.equal(accepted.status, 400)
  await accepted.text()
  const wins = await reader.get(`${cid}?car-version=1`, {
    accept: 'application/vnd.ipld.car; version=2',
  })
  assert.equal(wins.status, 200)
  await wins.text()
})

test('a missing child block cuts the connection after the CAR has started', async (t) => {
  const reader = await startPathReader(t)
  const big = await putBlock(reader, rawCodec, Buffer.alloc(100_000, 1))
  const links = [big, absentCid].map((cid) => ({ cid: CID.parse(cid).bytes, name: '', size: 1n }))
  const root = await putBlock(reader, dagPbCodec, encodeDagNode({ links, data: null }))
  const response = await reader.get(`${root}?format=car`)
  assert.equal(response.status, 200)
  await assert.rejects(response.arrayBuffer())
  assert.equal(reader.server.settled.at(-1)?.outcome, 'not_found')
  // A failure before the first byte is an error reply.
  const small = [absentCid].map((cid) => ({ cid: CID.parse(cid).bytes, name: '', size: 1n }))
  const early = await putBlock(reader, dagPbCodec, encodeDagNode({ links: small, data: null }))
  assert.equal((await reader.get(`${early}?format=car`)).status, 404)
})

test('a file whose parts are not as large as it says is never given as whole', async (t) => {
  const reader = await startPathReader(t)
  const leaf = await putBlock(reader, rawCodec, Buffer.alloc(100_000, 1))
  const data = encodeUnixfs({ type: 'file', fileSize: 5n, blockSizes: [5n] })
  const links = [{ cid: CID.parse(leaf).bytes, name: '', size: 5n }]
  const root = await putBlock(reader, dagPbCodec, encodeDagNode({ links, data }))
  const response = await reader.get(`${root}?format=car&entity-bytes=0:*`)
  assert.equal(response.status, 500)
  assert.match(await response.text(), /is not as large as its parent says/)
})

test('a DAG that describes more blocks than anybody walks ends in time', async (t) => {
  const reader = await startPathReader(t)
  let below = await putBlock(reader, rawCodec, Buffer.from('stone'))
  let size = 5n
  for (let level = 0; level < 40; level++) {
    const links = [0, 1].map(() => ({ cid: CID.parse(below).bytes, name: '', size: 1n }))
    const data = encodeUnixfs({ type: 'file', fileSize: size * 2n, blockSizes: [size, size] })
    below = await putBlock(reader, dagPbCodec, encodeDagNode({ links, data }))
    size *= 2n
  }
  for (const query of ['', '&dag-scope=entity', '&entity-bytes=1:-2', '&entity-bytes=77:99']) {
    const names = await readCar(reader, `${below}?format=car${query}`)
    assert.equal(names.length, 41, query)
  }
  const abort = new AbortController()
  const endless = await fetch(`${reader.server.url}/ipfs/${below}?format=car&car-dups=y`, {
    headers: { authorization: reader.basic },
    signal: abort.signal,
  })
  assert.equal(endless.status, 200)
  abort.abort()
})
