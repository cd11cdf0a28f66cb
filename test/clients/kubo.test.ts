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

test('what is added has the CID that Kubo gives, and comes back whole and in part', async () => {
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

test('content that is not here times out in the words clients know', async () => {
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  await assert.rejects(
    collect(ipfs.cat(missing, { timeout: 300 })),
    (error: Error) => error.name === 'TimeoutError',
  )
})

test('a wrong secret is refused with the reason', async () => {
  const authorization = `Basic ${btoa(`${cairn.apiKey}:wrong`)}`
  const wrong = create({ url: `${cairn.url}/api/v0`, headers: { authorization } })
  await assert.rejects(wrong.add(demo), /invalid project id or project secret/)
})
