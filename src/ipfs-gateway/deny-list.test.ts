import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { parseYaml } from '../config/parse-yaml.ts'
import { denyLinesMax, parseDenyList } from './deny-list.ts'

const one = CID.parse('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
const other = CID.parse('bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy')

async function read(text: string) {
  const list = await parseDenyList(text, parseYaml)
  return {
    ...list,
    statusOf: (cid: CID, ...segments: string[]) => list.find(cid, segments)?.status ?? null,
  }
}

test('an entry denies a block by every spelling of its CID, with all below it', async () => {
  for (const line of [
    `${one.toString()}`,
    `/ipfs/${one.toString()}`,
    `/ipfs/${one.toV1().toString()}/*`,
    `  ${one.toString()} # why`,
  ]) {
    const { statusOf } = await read(line)
    assert.equal(statusOf(one), 410, line)
    assert.equal(statusOf(one.toV1(), 'a'), 410, line)
    assert.equal(statusOf(other), null, line)
  }
})

test('a hash of a CID also denies what is below it', async () => {
  const hex = hash('sha256', `${one.toV1().toString()}/`)
  const bare = base58btc.baseEncode(other.multihash.bytes)
  const modern = base58btc.baseEncode(multihashOf('sha2-256', Buffer.from(bare)))
  const { statusOf } = await read(`//${hex}\n//${modern}`)
  for (const cid of [one, other]) {
    assert.equal(statusOf(cid), 410)
    assert.equal(statusOf(cid, 'a', 'b'), 410)
  }
})

test('paths are compared as the gateway cleans them, and a/* is about what is below a', async () => {
  const base = `/ipfs/${one.toString()}`
  const { statusOf, entries, unread } = await read(`${base}/./a//b\n${base}/z/*\n${base}/../c`)
  assert.equal(statusOf(one, 'a', 'b'), 410)
  assert.equal(statusOf(one, 'z'), 410)
  assert.equal(statusOf(one, 'z', 'x'), 410)
  assert.equal(statusOf(one, 'zebra'), null)
  assert.deepEqual([entries, unread], [2, [3]])
})

test('rules above a line of dashes are no head', async () => {
  const { statusOf } = await read(`/ipfs/${one.toString()}\n---\n`)
  assert.equal(statusOf(one), 410)
})

test('an entry with a path denies that path, with a star all that begins so', async () => {
  const { statusOf } = await read(
    `/ipfs/${one.toString()}/a/b/\n/ipfs/${other.toString()}/x%20y*\n/ipfs/${other.toString()}/z/*`,
  )
  assert.equal(statusOf(one), null)
  assert.equal(statusOf(one, 'a', 'b'), 410)
  assert.equal(statusOf(one, 'a', 'b', 'c'), null)
  assert.equal(statusOf(other, 'x yz', 'a'), 410)
  assert.equal(statusOf(other, 'y'), null)
  assert.equal(statusOf(other, 'z'), 410)
  assert.equal(statusOf(other, 'z', 'a'), 410)
})

test('the last rule that matches decides, so that a later line allows or denies again', async () => {
  const cid = one.toString()
  const { statusOf, find } = await read(
    [
      `/ipfs/${cid}/blocked*`,
      `!/ipfs/${cid}/blockednot`,
      `!/ipfs/${cid}/blocked/exceptions*`,
      `!/ipfs/${other.toString()}`,
      `/ipfs/${other.toString()}`,
    ].join('\n'),
  )
  assert.equal(statusOf(one, 'blocked'), 410)
  assert.equal(statusOf(one, 'blockednot'), null)
  assert.equal(statusOf(one, 'blocked', 'exceptions1'), null)
  assert.equal(statusOf(one, 'blocked', 'other'), 410)
  assert.equal(statusOf(other), 410)
  assert.deepEqual(find(one, ['blockednot']), { status: null, line: 2 })
  assert.equal(find(one, ['x']), null)
})

test('a hashed entry denies content that the list does not name in clear', async () => {
  const lines = [`${one.toV1().toString()}/`, `${other.toString()}/a/b`].map(
    (name) => `//${hash('sha256', name, 'hex')}`,
  )
  const { entries, statusOf } = await read(lines.join('\n'))
  assert.equal(entries, 2)
  assert.equal(statusOf(one), 410)
  assert.equal(statusOf(other), null)
  assert.equal(statusOf(other, 'a', 'b'), 410)
})

test('a hashed entry as a multihash denies every codec, by any hash function that Cairn has', async () => {
  for (const name of ['sha2-256', 'sha2-512', 'blake3']) {
    const bare = base58btc.baseEncode(other.multihash.bytes)
    const hashed = (text: string) => base58btc.baseEncode(multihashOf(name, Buffer.from(text)))
    const { unread, statusOf } = await read(`//${hashed(bare)}\n!//${hashed(`${bare}/fine`)}\n`)
    assert.deepEqual(unread, [], name)
    assert.equal(statusOf(other), 410)
    assert.equal(statusOf(CID.createV1(0x70, other.multihash)), 410)
    assert.equal(statusOf(other, 'fine'), null)
    assert.equal(statusOf(one), null)
  }
})

test('the published examples of a double hash match the content they are of', async () => {
  const { statusOf } = await read('//QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM')
  assert.equal(statusOf(CID.parse('QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR')), 410)
  assert.equal(
    statusOf(CID.parse('bafybeidjwik6im54nrpfg7osdvmx7zojl5oaxqel5cmsz46iuelwf5acja')),
    410,
  )
  const legacy = await read('//d9d295bde21f422d471a90f2a37ec53049fdf3e5fa3ee2e8f20e10003da429e7')
  assert.equal(
    legacy.statusOf(CID.parse('bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e')),
    410,
  )
})

test('a hint names the status, of one rule or of the list', async () => {
  const { statusOf } = await read(
    `hints:\n  status: 451\n  other: x\n---\n${one.toString()}\n${other.toString()} a:b status:410\n`,
  )
  assert.equal(statusOf(one), 451)
  assert.equal(statusOf(other), 410)
  assert.equal((await read(`${one.toString()} status:451`)).statusOf(one), 451)
  assert.equal((await read(`${one.toString()} status:200`)).statusOf(one), 410)
})

test('an IPNS name is denied in every spelling, and a later line allows it again', async () => {
  const key = 'k51qzi5uqu5dgklc20hksmmzhoy5lfrn5xcnryq6xp4r50b5yc0vnivpywfu9p'
  const list = await read(
    `/ipns/${key} status:451\n/ipns/Site.example/*\n/ipns/a.example\n!/ipns/a.example\n/ipns/b.example/path\n`,
  )
  assert.equal(list.findName(key)?.status, 451)
  assert.deepEqual(list.findName('site.example'), { status: 410, line: 2 })
  assert.deepEqual(list.findName('a.example'), { status: null, line: 4 })
  assert.equal(list.findName('b.example'), null)
  assert.deepEqual(list.unread, [])
})

test('a head, comments and empty lines are ignored, and errors name their line', async () => {
  const list = await read(
    `version: 1\nname: x\n---\n\n# note\r\n${one.toString()}\r\n/ipns/x\n+${one.toString()}\n//zz\n`,
  )
  assert.equal(list.entries, 1)
  assert.deepEqual(list.unread, [8, 9])
})

test('a list without end, of another version or with a malformed head is refused', async () => {
  await assert.rejects(read('\n'.repeat(denyLinesMax)), RangeError)
  await assert.rejects(read(`version: 2\n---\n${one.toString()}`), /has version 2, expected 1/)
  await assert.rejects(
    read(`a: [\n---\n${one.toString()}`),
    /the header of the deny list is not valid YAML/,
  )
  await assert.rejects(read('x'.repeat(2 * 1024 * 1024 + 1)), /line 1 has more than/)
})

test('a list has up to a million lines, and errors name its first 20 lines that are no rule', async () => {
  const most = await read(`${one.toString()}${'\n'.repeat(denyLinesMax - 1)}`)
  assert.equal(most.statusOf(one), 410)
  const wrong = await read('+\n'.repeat(25))
  assert.deepEqual(
    wrong.unread,
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
})

test('a line of dashes after more than 1 MiB ends no head', async () => {
  const note = `#${'x'.repeat(1023)}\n`
  const text = (notes: number) => `version: 2\n${note.repeat(notes)}---\n${one.toString()}\n`
  await assert.rejects(read(text(1000)), /has version 2/)
  const list = await read(text(1024))
  assert.equal(list.statusOf(one), 410)
  assert.deepEqual(list.unread, [1, 1026])
})
