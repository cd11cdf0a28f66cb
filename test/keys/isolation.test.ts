// `files.isolation: own`: a key reads the content of its account, and learns nothing about the content of other accounts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { filesClient } from '../fakes/files/files-client.ts'
import { type Started, startCairn } from '../started-server.ts'

type Client = ReturnType<typeof filesClient>

let cairn: Started
let ada: Client
let eve: Client

before(async () => {
  cairn = await startCairn({ env: { CAIRN_FILES_ISOLATION: 'own' } })
  ada = filesClient(cairn)
  await cairn.cli('accounts', 'create', 'eve')
  await cairn.cli('card', 'set', 'eve')
  const made = await cairn.cli('keys', 'create', '--account', 'eve')
  const { apiKey, apiKeySecret } = made as Record<string, string>
  eve = filesClient({ url: cairn.url, apiKey: apiKey ?? '', apiKeySecret: apiKeySecret ?? '' })
})
after(() => cairn.stop())

const secret = Buffer.alloc(600_000, 'a secret of one account ')

const commandsOn = (cid: string): readonly string[] => [
  `cat?arg=${cid}`,
  `get?arg=${cid}`,
  `ls?arg=${cid}`,
  `block/get?arg=${cid}`,
  `block/stat?arg=${cid}`,
  `dag/get?arg=${cid}`,
  `dag/stat?arg=${cid}&progress=false`,
  `dag/export?arg=${cid}`,
  `dag/resolve?arg=${cid}/Links`,
  `files/stat?arg=/ipfs/${cid}`,
  `object/stat?arg=${cid}`,
  `pin/add?arg=${cid}`,
]

/** A reply as the client sees it, with the CID removed. */
async function seen({ post }: Client, command: string, cid: string) {
  const reply = await post(command)
  return [reply.status, (await reply.text()).replaceAll(cid, '<cid>')] as const
}

test('every command treats content of another account as content that does not exist', async () => {
  const cid = await ada.add(secret)
  const digest = Digest.create(0x12, createHash('sha256').update('nowhere').digest())
  const nowhere = CID.createV0(digest).toString()
  const [there, absent] = [commandsOn(cid), commandsOn(nowhere)]
  for (const [at, command] of there.entries()) {
    const other = await seen(eve, command, cid)
    assert.notEqual(other[0], 200, command)
    assert.deepEqual(other, await seen(eve, absent[at] ?? '', nowhere), command)
  }
  const gateway = await fetch(`${cairn.url}/ipfs/${cid}?format=raw`, { headers: eve.headers })
  assert.equal(gateway.status, 404)
  // The owning account reads it with all its keys.
  assert.equal((await ada.post(`cat?arg=${cid}`)).status, 200)
  const own = await fetch(`${cairn.url}/ipfs/${cid}?format=car`, { headers: ada.headers })
  assert.equal(own.status, 200)
  await own.arrayBuffer()
})

test('a directory of the own account gives no access to blocks of another account', async () => {
  const leaf = await ada.add(
    Buffer.alloc(1000, 'a leaf of one account '),
    'cid-version=1&raw-leaves=true',
  )
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify({ stolen: { '/': leaf } })]))
  const put = await eve.post('dag/put?store-codec=dag-cbor&input-codec=dag-json', form)
  assert.equal(put.status, 200, await put.clone().text())
  const { Cid } = (await put.json()) as { Cid: { '/': string } }
  assert.equal((await eve.post(`dag/get?arg=${Cid['/']}`)).status, 200)
  assert.notEqual((await eve.post(`cat?arg=${Cid['/']}/stolen`)).status, 200)
  assert.notEqual((await eve.post(`pin/add?arg=${Cid['/']}`)).status, 200)
})

test('the same bytes from two accounts belong to both until each removes them', async () => {
  const bytes = Buffer.alloc(300_000, 'of both ')
  const cid = await ada.add(bytes)
  assert.equal((await eve.post(`block/stat?arg=${cid}`)).status, 500)
  assert.equal(await eve.add(bytes), cid)
  const read = await eve.post(`cat?arg=${cid}`)
  assert.deepEqual(Buffer.from(await read.arrayBuffer()), bytes)
  assert.equal((await ada.post(`pin/rm?arg=${cid}`)).status, 200)
  assert.notEqual((await ada.post(`cat?arg=${cid}`)).status, 200)
  assert.equal((await eve.post(`cat?arg=${cid}`)).status, 200)
})
