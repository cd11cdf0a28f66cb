// Blocks, nodes, archives and lists through kubo-rpc-client and ipfs-http-client against a started server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create as createOlder } from 'ipfs-http-client'
import { create as createKubo } from 'kubo-rpc-client'
import { readTar } from '../fakes/read-tar.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started

before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

/** Both clients as the newer one types itself: their calls here are the same. */
const clients: Readonly<Record<string, typeof createKubo>> = {
  'kubo-rpc-client 7.1.0': createKubo,
  'ipfs-http-client 60.0.1': createOlder as unknown as typeof createKubo,
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

  test(`${name} stats content by its path`, async () => {
    const ipfs = connect()
    const root = await folder(ipfs)
    const stat = await ipfs.files.stat(`/ipfs/${root.toString()}/a.txt`)
    assert.deepEqual([stat.type, stat.size, stat.blocks], ['file', 4, 0])
    assert.equal((await ipfs.files.stat(`/ipfs/${root.toString()}`)).type, 'directory')
    await assert.rejects(ipfs.files.stat('/nowhere'), /file does not exist/)
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
