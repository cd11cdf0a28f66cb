// kubo-rpc-client against a started server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create, type KuboRPCClient } from 'kubo-rpc-client'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
let ipfs: KuboRPCClient

before(async () => {
  cairn = await startCairn()
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  ipfs = create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
})
after(() => cairn.stop())

const demo = 'Infura IPFS - Getting started demo.\n'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('an added file has the CID that Kubo computes, and is read back completely and in part', async () => {
  const added = await ipfs.add(demo)
  assert.equal(added.cid.toString(), 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
  assert.equal(added.size, 44)
  assert.equal(Buffer.concat(await collect(ipfs.cat(added.cid))).toString(), demo)
  const part = await collect(ipfs.cat(added.cid, { offset: 1, length: 5 }))
  assert.equal(Buffer.concat(part).toString(), 'nfura')
})

test('addAll builds a directory whose files are read by path', async () => {
  const files = [
    { path: 'a/1.txt', content: 'one\n' },
    { path: 'a/2.txt', content: 'two\n' },
  ]
  const added = await collect(ipfs.addAll(files))
  assert.equal(added.at(-1)?.cid.toString(), 'QmeJM3V6rsnEPSjpnVugpGmmWBaq1Cvrk8KusguBTRDNzy')
  assert.equal(
    Buffer.concat(await collect(ipfs.cat(`${String(added.at(-1)?.cid)}/2.txt`))).toString(),
    'two\n',
  )
})

test('pins are listed, removed, and gone', async () => {
  const { cid } = await ipfs.add('to be pinned', { pin: false })
  await ipfs.pin.add(cid)
  const listed = await collect(ipfs.pin.ls({ paths: cid }))
  assert.deepEqual(
    listed.map((pin) => [pin.cid.toString(), pin.type]),
    [[cid.toString(), 'recursive']],
  )
  assert.equal((await ipfs.pin.rm(cid)).toString(), cid.toString())
  await assert.rejects(collect(ipfs.pin.ls({ paths: cid })), /is not pinned/)
})

test('missing content fails immediately where no source could have it', async () => {
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  await assert.rejects(
    collect(ipfs.cat(missing, { timeout: 600_000 })),
    /block was not found locally \(offline\): ipld: could not find/,
  )
  const refs = await collect(ipfs.refs(missing, { timeout: 600_000 }))
  assert.deepEqual(
    refs.map(({ ref, err }) => [ref, /could not find/.test(err?.toString() ?? '')]),
    [['', true]],
  )
})

test('the queries of clients about the node itself are answered', async () => {
  assert.equal(await ipfs.isOnline(), true)
  const id = await ipfs.id()
  assert.match(String(id.addresses[0]), /^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/http\/p2p\/12D3KooW/)
  assert.deepEqual(await ipfs.swarm.peers(), [])
  const [known] = await ipfs.swarm.addrs()
  assert.equal(known?.id.toString(), id.id.toString())
  assert.deepEqual(await collect(ipfs.stats.bw()), [
    { totalIn: 0n, totalOut: 0n, rateIn: 0, rateOut: 0 },
  ])
  const { cid } = await ipfs.add(demo)
  assert.equal(await ipfs.resolve(`/ipfs/${cid.toString()}`), `/ipfs/${cid.toString()}`)
  assert.equal(String(await ipfs.repo.version()), '18')
  assert.ok((await ipfs.repo.stat()).numObjects > 0n)
  assert.ok((await ipfs.stats.repo()).numObjects > 0n)
  const refs = await collect(ipfs.refs.local())
  const raw = cid.toV1().toString().replace('bafybei', 'bafkrei')
  assert.ok(refs.some(({ ref, err }) => ref === raw && !err))
  const config = (await ipfs.config.getAll()) as { Identity?: { PeerID?: string } }
  assert.equal(config.Identity?.PeerID, id.id.toString())
  const tree = (await ipfs.commands()) as unknown as { Name: string; Subcommands: unknown[] }
  assert.equal(tree.Name, 'ipfs')
  assert.ok(tree.Subcommands.length > 10)
})

test('a wrong secret is refused with the reason', async () => {
  const authorization = `Basic ${btoa(`${cairn.apiKey}:wrong`)}`
  const wrong = create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  await assert.rejects(wrong.add(demo), /invalid project id or project secret/)
})

test('a file tree is written, listed, moved and removed', async () => {
  await ipfs.files.mkdir('/docs/old', { parents: true })
  await ipfs.files.write('/docs/old/a.txt', Buffer.from('hello world'), { create: true })
  await ipfs.files.write('/docs/old/a.txt', Buffer.from('W'), { offset: 6 })
  const { cid } = await ipfs.add(demo, { pin: false })
  await ipfs.files.cp(`/ipfs/${cid.toString()}`, '/docs/demo.txt')
  await ipfs.files.mv('/docs/old/a.txt', '/docs/b.txt')
  const names = (await collect(ipfs.files.ls('/docs'))).map(({ name }) => name)
  assert.deepEqual(names, ['b.txt', 'demo.txt', 'old'])
  const read = Buffer.concat(await collect(ipfs.files.read('/docs/b.txt'))).toString()
  assert.equal(read, 'hello World')
  const { type, size } = await ipfs.files.stat('/docs/demo.txt')
  assert.deepEqual([type, size], ['file', demo.length])
  const whole = await ipfs.files.flush('/')
  assert.equal((await ipfs.files.stat('/')).cid.toString(), whole.toString())
  await assert.rejects(ipfs.files.rm('/docs'), /use -r to remove directories/)
  await ipfs.files.rm('/docs', { recursive: true })
  assert.deepEqual(await collect(ipfs.files.ls('/')), [])
})
