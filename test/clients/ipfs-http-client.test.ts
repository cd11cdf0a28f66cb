// ipfs-http-client, the library that kubo-rpc-client replaced, against a started server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create, type IPFSHTTPClient } from 'ipfs-http-client'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
let ipfs: IPFSHTTPClient

before(async () => {
  cairn = await startCairn()
  const { hostname, port } = new URL(cairn.url)
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  // As users connect to a hosted service: host, port, protocol, one header.
  ipfs = create({
    host: hostname,
    port: Number(port),
    protocol: 'http',
    headers: { authorization },
  })
})
after(() => cairn.stop())

const demo = 'Infura IPFS - Getting started demo.\n'
const demoCid = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'

// Node's module resolution loses the library's own types.
async function collect<T>(items: AsyncIterable<unknown>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item as T)
  return all
}

test('an added file is read in part, pinned, listed and unpinned', async () => {
  const added = await ipfs.add(demo)
  assert.equal(added.cid.toString(), demoCid)
  assert.deepEqual([added.path, added.size], [demoCid, 44])
  const part = await collect<Uint8Array>(ipfs.cat(added.cid, { offset: 1, length: 5 }))
  assert.equal(Buffer.concat(part).toString(), 'nfura')
  assert.equal((await ipfs.pin.add(added.cid)).toString(), demoCid)
  const pins = await collect<{ cid: { toString(): string }; type: string }>(
    ipfs.pin.ls({ paths: added.cid }),
  )
  assert.deepEqual(
    pins.map((pin) => [pin.cid.toString(), pin.type]),
    [[demoCid, 'recursive']],
  )
  assert.equal((await ipfs.pin.rm(added.cid)).toString(), demoCid)
  assert.match((await ipfs.version()).version, /^\d+\.\d+\.\d+$/)
})

test('a folder is added, and its progress is reported', async () => {
  const reported: [number, string | undefined][] = []
  const files = [
    { path: 'a/1.txt', content: 'one\n' },
    { path: 'a/2.txt', content: 'two\n' },
  ]
  const progress = (bytes: number, path?: string) => void reported.push([bytes, path])
  const added = await collect<{ cid: { toString(): string } }>(ipfs.addAll(files, { progress }))
  assert.equal(added.at(-1)?.cid.toString(), 'QmeJM3V6rsnEPSjpnVugpGmmWBaq1Cvrk8KusguBTRDNzy')
  assert.deepEqual(reported, [
    [4, 'a/1.txt'],
    [4, 'a/2.txt'],
  ])
})

test('an unsupported command and an unknown key get the error text of the server', async () => {
  await assert.rejects(ipfs.pubsub.ls(), /ipfs method not supported/)
  const authorization = `Basic ${btoa(`${cairn.apiKey}:wrong`)}`
  const wrong = create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  await assert.rejects(wrong.add(demo), /invalid project id or project secret/)
})

test('the queries of clients about the node itself are answered', async () => {
  assert.equal(await ipfs.isOnline(), true)
  const id = await ipfs.id()
  assert.match(String(id.addresses[0]), /^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/http\/p2p\/12D3KooW/)
  assert.deepEqual(await ipfs.swarm.peers(), [])
  const [known] = await ipfs.swarm.addrs()
  assert.equal(known?.id.toString(), id.id.toString())
  const [bandwidth] = await collect<{ totalIn: bigint }>(ipfs.stats.bw())
  assert.equal(bandwidth?.totalIn, 0n)
  const { cid } = await ipfs.add(demo)
  assert.equal(await ipfs.resolve(`/ipfs/${cid.toString()}`), `/ipfs/${cid.toString()}`)
  assert.equal(String(await ipfs.repo.version()), '18')
  assert.ok((await ipfs.repo.stat()).numObjects > 0n)
  assert.ok((await ipfs.stats.repo()).numObjects > 0n)
  const refs = await collect<{ ref: string; err: string }>(ipfs.refs.local())
  const raw = cid.toV1().toString().replace('bafybei', 'bafkrei')
  assert.ok(refs.some(({ ref, err }) => ref === raw && err === ''))
  const config = (await ipfs.config.getAll()) as { Identity?: { PeerID?: string } }
  assert.equal(config.Identity?.PeerID, id.id.toString())
  const tree = (await ipfs.commands()) as unknown as { Name: string; Subcommands: unknown[] }
  assert.equal(tree.Name, 'ipfs')
  assert.ok(tree.Subcommands.length > 10)
})

test('an upload that fails half way leaves nothing behind', async () => {
  async function* failing() {
    yield Buffer.from('the first half')
    await Promise.resolve()
    throw new Error('the disk of the sender is gone')
  }
  await assert.rejects(ipfs.add(failing()), /the disk of the sender is gone|aborted/)
  const { cid } = await ipfs.add('the first half', { onlyHash: true })
  await assert.rejects(collect(ipfs.cat(cid, { timeout: 100 })))
})
