import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { parseCid } from '../codec/ipld/cid.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { cidOf, dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import {
  canonicalName,
  findContentHost,
  labelOfName,
  labelOfRoot,
  nameOfLabel,
  pathOfUri,
  rootOfLabel,
} from './content-host.ts'

const v0 = 'QmS63Af67cKqtAnUwWuB98aNqHFc7YgjbKG7b3HRQPMzEK'
const v1 = CID.parse(v0).toV1().toString()

test('the content host and the names of CIDs below it are recognized, and no other host', () => {
  const found = (host: string) =>
    findContentHost('content.localhost', ['site.example', 'content.localhost'], host)
  assert.deepEqual(found('Content.localhost:8545'), {
    kind: 'paths',
    authority: 'content.localhost:8545',
  })
  assert.deepEqual(found(`${v1.toUpperCase()}.ipfs.content.localhost`), {
    kind: 'root',
    authority: 'content.localhost',
    label: v1,
  })
  assert.deepEqual(found('x.ipns.content.localhost:80'), {
    kind: 'ipns',
    authority: 'content.localhost:80',
    label: 'x',
  })
  assert.deepEqual(found('a.example.ipns.content.localhost'), {
    kind: 'ipns',
    authority: 'content.localhost',
    label: 'a.example',
  })
  assert.deepEqual(found('SITE.example:81'), {
    kind: 'site',
    authority: 'site.example:81',
    name: 'site.example',
  })
  for (const host of [
    'localhost',
    'xcontent.localhost',
    'content.localhost.',
    'content.localhost.example.org',
    'api.content.localhost',
    'ipfs.content.localhost',
    'x.site.example',
    `a.${v1}.ipfs.content.localhost`,
    '127.0.0.1:8545',
    '[::1]:8545',
  ]) {
    assert.equal(found(host), null, host)
  }
  assert.equal(findContentHost(null, [], 'content.localhost'), null)
  assert.equal(findContentHost('content.localhost', [], undefined), null)
})

test('each CID has one label, whatever its version and encoding', () => {
  const cid = CID.parse(v1)
  for (const text of [v0, v1, cid.toString(), 'f' + Buffer.from(cid.bytes).toString('hex')]) {
    const parsed = parseCid(text)
    assert.ok(parsed !== null)
    assert.equal(labelOfRoot(parsed), v1)
  }
  assert.equal(rootOfLabel(v1).toString(), v1)
})

test('a CID that fits in no DNS label is refused in both directions, and one that fits in base36 has that label', () => {
  const long = cidOf(1, rawCodec, multihashOf('sha2-512', Buffer.from('stone')))
  const refusal = /CID incompatible with DNS label length limit of 63: /
  assert.throws(() => labelOfRoot(long), refusal)
  assert.throws(() => rootOfLabel(long.toString()), refusal)
  const tight = cidOf(1, rawCodec, multihashOf('identity', Buffer.alloc(35, 7)))
  assert.equal(tight.toString().length, 64)
  const label = labelOfRoot(tight)
  assert.match(label, /^k/)
  assert.equal(rootOfLabel(label).toString(), tight.toString())
})

test('the key of a name is no root, and labels that are no CID are refused', () => {
  const key = cidOf(1, 0x72, multihashOf('sha2-256', Buffer.from('key')))
  assert.throws(() => labelOfRoot(key), /is an IPNS name: its content is below \/ipns\//)
  assert.throws(
    () => rootOfLabel('notacid'),
    /^Fault: invalid cid: "notacid"|invalid cid: "notacid"/,
  )
})

test('a key has the label k51…, whatever its spelling, and a DNS name has one without dots', () => {
  const key = cidOf(1, 0x72, multihashOf('sha2-256', Buffer.from('key')))
  const name = canonicalName(key.toString())
  assert.match(name, /^k2k4r8/)
  const other = cidOf(1, dagPbCodec, key.multihash.bytes).toString()
  for (const label of [name, key.toString(), other]) assert.equal(nameOfLabel(label), name, label)
  assert.equal(labelOfName(name), name)
  assert.equal(labelOfName('a-b.example.org'), 'a--b-example-org')
  assert.equal(nameOfLabel('a--b-example-org'), 'a-b.example.org')
  assert.equal(nameOfLabel('a-b.example.org'), 'a-b.example.org')
  for (const label of ['x', 'x-', '-', 'a..b']) {
    assert.throws(() => nameOfLabel(label), /is neither an IPNS name nor a DNS name/, label)
  }
  assert.throws(() => labelOfName(`${'a.'.repeat(32)}example`), /label length limit/)
})

test('an ipfs:// address becomes the path of its content', () => {
  assert.equal(
    pathOfUri(`ipfs://${v0}/wiki/A%20b.html?x=1#part`),
    `/ipfs/${v0}/wiki/A%20b.html?x=1`,
  )
  assert.equal(pathOfUri(`IPFS://${v1}`), `/ipfs/${v1}`)
  assert.equal(pathOfUri(`ipfs://${v1}/a\r\nb`), `/ipfs/${v1}/ab`)
  for (const uri of [
    '',
    'ipfs://',
    'ipfs://notacid',
    'http://example.org/',
    `ipfs:${v1}`,
    `ipfs://${v1}/../../v3/x`,
  ]) {
    assert.throws(() => pathOfUri(uri), /expected ipfs:\/\/<cid>/, uri)
  }
  assert.equal(pathOfUri('ipns://example.org/a'), '/ipns/example.org/a')
  assert.throws(() => pathOfUri('ipns://nothing'), /expected ipfs:\/\/<cid>/)
})
