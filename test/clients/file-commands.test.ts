// Blocks, nodes, archives and lists through kubo-rpc-client and ipfs-http-client against a started server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create as createOlder } from 'ipfs-http-client'
import { create as createKubo } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { piecesOf } from '../fakes/files/files-fixture.ts'
import { readTar } from '../fakes/files/read-tar.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started

before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

/** Both clients with the types of the newer one: the calls in this test are the same. */
const clients: Readonly<Record<string, typeof createKubo>> = {
  'kubo-rpc-client 7.1.0': createKubo,
  'ipfs-http-client 60.0.1': createOlder as unknown as typeof createKubo,
}

/** Creates an account with a card, and returns the header of its key. */
async function anotherAccount(client: string): Promise<string> {
  const account = client.replaceAll(/[ .]/g, '-')
  await cairn.cli('accounts', 'create', account)
  await cairn.cli('card', 'set', account)
  const made = await cairn.cli('keys', 'create', '--account', account)
  return `Basic ${btoa(`${String(made['apiKey'])}:${String(made['apiKeySecret'])}`)}`
}

/** Files in the form that these clients expect. */
async function* carFiles(
  ...cars: readonly Uint8Array[]
): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for (const car of cars) yield piecesOf(car)
}

/** Links as text and bytes as hex, so that objects of both clients compare. */
function shape(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return value
  const cid = CID.asCID(value)
  if (cid !== null) return cid.toString()
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]))
}

for (const [name, create] of Object.entries(clients)) {
  const connect = () => {
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    return create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  }
  const folder = async (ipfs: ReturnType<typeof connect>) => {
    const files = [
      { path: 'f/a.txt', content: 'one\n' },
      { path: 'f/d/b.txt', content: 'two\n' },
    ]
    const added = await Array.fromAsync(ipfs.addAll(files))
    return added.at(-1)?.cid ?? assert.fail()
  }

  test(`${name} puts a block, stats it and gets it back`, async () => {
    const ipfs = connect()
    const bytes = Buffer.from('blorb')
    const cid = await ipfs.block.put(bytes, { format: 'v0' } as object)
    assert.equal(cid.toString(), 'QmPv52ekjS75L4JmHpXVeuJ5uX2ecSfSZo88NSyxwA3rAQ')
    const stat = await ipfs.block.stat(cid)
    assert.deepEqual([stat.cid.toString(), stat.size], [cid.toString(), 5])
    assert.deepEqual(Buffer.from(await ipfs.block.get(cid)), bytes)
    const big = ipfs.block.put(Buffer.alloc(2_097_153))
    await assert.rejects(big, /produced block is over 2MiB/)
  })

  test(`${name} gets a folder as a tar, and lists it`, async () => {
    const ipfs = connect()
    const root = await folder(ipfs)
    const packed = Buffer.concat(await Array.fromAsync(ipfs.get(root)))
    assert.deepEqual(
      readTar(packed).map(({ path, content }) => [path, content.toString()]),
      [
        [root.toString(), ''],
        [`${root.toString()}/a.txt`, 'one\n'],
        [`${root.toString()}/d`, ''],
        [`${root.toString()}/d/b.txt`, 'two\n'],
      ],
    )
    const listed = await Array.fromAsync(ipfs.ls(root))
    assert.deepEqual(
      listed.map((entry) => [entry.name, entry.type, entry.size]),
      [
        ['a.txt', 'file', 4],
        ['d', 'dir', 0],
      ],
    )
    const refs = await Array.fromAsync(ipfs.refs(root, { recursive: true }))
    assert.deepEqual([refs.length, refs.map(({ err }) => err).join('')], [3, ''])
  })

  test(`${name} resolves paths and gets nodes`, async () => {
    const ipfs = connect()
    const root = await folder(ipfs)
    const node = Buffer.from(JSON.stringify({ n: [1, { deep: { '/': root.toString() } }] }))
    const options = { 'cid-codec': 'dag-json' } as object
    const cid = await ipfs.block.put(node, options)
    const inside = await ipfs.dag.resolve(`${cid.toString()}/n/1`)
    assert.deepEqual([String(inside.cid), inside.remainderPath], [cid.toString(), '/n/1'])
    const across = await ipfs.dag.resolve(`${cid.toString()}/n/1/deep/a.txt`)
    assert.deepEqual([across.remainderPath, String(across.cid) === String(cid)], ['', false])
    const got = (await ipfs.dag.get(root)).value as { Links: { Name: string }[] }
    assert.deepEqual(
      got.Links.map((link) => link.Name),
      ['a.txt', 'd'],
    )
    const cbor = await ipfs.block.put(Buffer.from('a161611818', 'hex'), {
      'cid-codec': 'dag-cbor',
    } as object)
    assert.deepEqual((await ipfs.dag.get(cbor)).value, { a: 24 })
  })

  test(`${name} puts nodes in every codec and gets them back`, async () => {
    const ipfs = connect()
    const root = await folder(ipfs)
    const node = { hello: 'world', list: [1, null, true], bytes: Uint8Array.of(1, 2), link: root }
    const cbor = await ipfs.dag.put(node)
    assert.deepEqual([cbor.version, cbor.code], [1, 0x71])
    assert.deepEqual(shape((await ipfs.dag.get(cbor)).value), shape(node))
    assert.equal((await ipfs.dag.get(cbor, { path: '/list/0' })).value, 1)
    const json = await ipfs.dag.put(node, { storeCodec: 'dag-json' })
    assert.equal(json.code, 0x0129)
    assert.deepEqual(shape((await ipfs.dag.get(json)).value), shape(node))
    const hashed = await ipfs.dag.put(node, { hashAlg: 'sha2-512', pin: true })
    assert.equal(hashed.multihash.code, 0x13)
    assert.ok((await Array.fromAsync(ipfs.pin.ls({ paths: [hashed] }))).length === 1)
  })

  test(`${name} exports a DAG and imports it under another account`, async () => {
    const ipfs = connect()
    const content = Buffer.alloc(700_000, name)
    const { cid } = await ipfs.add(content)
    const car = Buffer.concat(await Array.fromAsync(ipfs.dag.export(cid)))
    const other = create({
      url: `${cairn.url}/api/v0`,
      headers: { authorization: await anotherAccount(name) },
    })
    const imported = await Array.fromAsync(other.dag.import(carFiles(car), { pinRoots: true }))
    assert.deepEqual(
      imported.map(({ root }) => [root.cid.toString(), root.pinErrorMsg]),
      [[cid.toString(), '']],
    )
    const pinned = (await Array.fromAsync(other.pin.ls({ type: 'recursive' }))).map(
      (pin) => pin.cid,
    )
    assert.deepEqual(pinned.map(String), [cid.toString()])
    assert.deepEqual(Buffer.concat(await Array.fromAsync(other.cat(cid))), content)
    // Two CARs in one request, one of them truncated: no block of either is stored.
    const torn = Array.fromAsync(other.dag.import(carFiles(car, car.subarray(0, -9))))
    await assert.rejects(torn, /import failed after block "[a-zA-Z\d]+": unexpected EOF/)
  })

  test(`${name} stats content by its path`, async () => {
    const ipfs = connect()
    const root = await folder(ipfs)
    const stat = await ipfs.files.stat(`/ipfs/${root.toString()}/a.txt`)
    assert.deepEqual([stat.type, stat.size, stat.blocks], ['file', 4, 0])
    assert.equal((await ipfs.files.stat(`/ipfs/${root.toString()}`)).type, 'directory')
    await assert.rejects(ipfs.files.stat('/nowhere'), /file does not exist/)
  })

  test(`${name} removes blocks, runs a collection, and gets an error for pinned blocks`, async () => {
    const ipfs = connect()
    const pinned = (await ipfs.add(`${name} pins this`)).cid
    const loose = (await ipfs.add(`${name} lets this go`, { pin: false })).cid
    const later = (await ipfs.add(`${name} lets this go later`, { pin: false })).cid
    const removed = await Array.fromAsync(ipfs.block.rm([pinned, loose]))
    assert.deepEqual(
      removed.map(({ cid, error }) => [cid.toString(), error?.message ?? null]),
      [
        [pinned.toString(), 'pinned: recursive'],
        [loose.toString(), null],
      ],
    )
    const collected = (await Array.fromAsync(ipfs.repo.gc())).map(({ cid }) => cid?.toString())
    assert.ok(
      collected.includes(CID.createV1(0x55, CID.parse(later.toString()).multihash).toString()),
    )
    for (const gone of [loose, later]) {
      await assert.rejects(ipfs.block.stat(gone), /could not find/)
    }
    assert.ok((await ipfs.block.stat(pinned)).size > 0)
  })
}

test('kubo-rpc-client moves a pin to another root', async () => {
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  const ipfs = createKubo({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  const from = (await ipfs.add('the first edition')).cid
  const to = (await ipfs.add('the second edition', { pin: false })).cid
  const moved = await ipfs.pin.update(from, to)
  assert.deepEqual(moved.map(String), [from.toString(), to.toString()])
  const pinned = (await Array.fromAsync(ipfs.pin.ls())).map(({ cid }) => cid.toString())
  assert.deepEqual(
    [pinned.includes(from.toString()), pinned.includes(to.toString())],
    [false, true],
  )
  await assert.rejects(ipfs.pin.update(from, to), /not recursively pinned/)
})
