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
  // As its users reach a hosted service: host, port, protocol, one header.
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

// The library's own types are lost under Node's module resolution.
async function collect<T>(items: AsyncIterable<unknown>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item as T)
  return all
}

test('what is added is read in part, pinned, listed and unpinned', async () => {
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

test('a folder is added, and its progress is told', async () => {
  const told: [number, string | undefined][] = []
  const files = [
    { path: 'a/1.txt', content: 'one\n' },
    { path: 'a/2.txt', content: 'two\n' },
  ]
  const progress = (bytes: number, path?: string) => void told.push([bytes, path])
  const added = await collect<{ cid: { toString(): string } }>(ipfs.addAll(files, { progress }))
  assert.equal(added.at(-1)?.cid.toString(), 'QmeJM3V6rsnEPSjpnVugpGmmWBaq1Cvrk8KusguBTRDNzy')
  assert.deepEqual(told, [
    [4, 'a/1.txt'],
    [4, 'a/2.txt'],
  ])
})

test('what the server does not offer, and whom it does not know, is told in its words', async () => {
  await assert.rejects(ipfs.swarm.peers(), /ipfs method not supported/)
  const authorization = `Basic ${btoa(`${cairn.apiKey}:wrong`)}`
  const wrong = create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  await assert.rejects(wrong.add(demo), /invalid project id or project secret/)
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
