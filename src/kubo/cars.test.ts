// CAR files and nodes over a real socket: every byte of the replies, and what a client sees of a file that ends early.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamOf } from '../../test/fakes/files/files-fixture.ts'
import { type FilesServer, startFilesServer } from '../../test/fakes/files/files-server.ts'
import { type CarBlock, writeCar } from '../codec/ipld/car-writer.ts'
import { cidOf, dagCborCodec, rawCodec } from '../codec/ipld/cid.ts'
import { encodeDagCbor } from '../codec/ipld/dag-cbor-writer.ts'
import type { IpldNode } from '../codec/ipld/ipld-node.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'

type Account = { readonly key: string; readonly secret: string }

function post(server: FilesServer, account: Account, path: string, body?: FormData) {
  const authorization = `Basic ${btoa(`${account.key}:${account.secret}`)}`
  const init = body === undefined ? {} : { body }
  return fetch(`${server.url}/api/v0/${path}`, {
    method: 'POST',
    headers: { authorization },
    ...init,
  })
}
function form(...files: readonly (string | Uint8Array)[]): FormData {
  const data = new FormData()
  for (const file of files) data.append('file', new Blob([new Uint8Array(Buffer.from(file))]))
  return data
}
function blockOf(codec: number, block: Uint8Array): CarBlock {
  return { cid: cidOf(1, codec, multihashOf('sha2-256', block)), block }
}
const raw = (bytes: string | Buffer) => blockOf(rawCodec, Buffer.from(bytes))
const cbor = (node: IpldNode) => blockOf(dagCborCodec, encodeDagCbor(node))
const carOf = async (root: CarBlock, ...blocks: readonly CarBlock[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(writeCar([root.cid], streamOf([root, ...blocks]))))

test('dag/import and dag/put answer lines, one event each, and nothing before the body was read', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const leaf = raw('leaf')
  const top = cbor([leaf.cid])
  const car = await carOf(top, leaf)
  const imported = await post(server, account, 'dag/import?stats=true&silent=true', form(car))
  assert.equal(imported.headers.get('content-type'), 'application/json')
  assert.equal(imported.headers.get('x-chunked-output'), '1')
  assert.equal(
    await imported.text(),
    `{"Root":{"Cid":{"/":"${top.cid.toString()}"},"PinErrorMsg":""}}\n` +
      `{"Stats":{"BlockCount":2,"BlockBytesCount":${top.block.length + 4}}}\n`,
  )
  const put = await post(server, account, 'dag/put?cid-base=base58btc', form('{"a":1}', '"x"'))
  assert.equal(put.headers.get('x-chunked-output'), '1')
  assert.equal(
    await put.text(),
    '{"Cid":{"/":"bafyreihltcnuuyqp2jm24aqydpnlj7b6w3ogwrplomrjtg5rifv44mmjey"}}\n' +
      `{"Cid":{"/":"${cbor('x').cid.toString()}"}}\n`,
  )
})

test('what an import refuses is a status, not a line: the answer waits for the whole body', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const leaf = raw('leaf')
  const car = await carOf(leaf)
  const torn = await post(server, account, 'dag/import', form(car, car.subarray(0, -1)))
  assert.equal(torn.status, 500)
  assert.equal(
    await torn.text(),
    '{"Message":"import failed: unexpected EOF","Code":0,"Type":"error"}\n',
  )
  assert.equal(
    (await post(server, account, `block/get?arg=${leaf.cid.toString()}&offline=true`)).status,
    500,
  )
  for (const [command, name] of [
    ['dag/import', 'path'],
    ['dag/put', 'object data'],
    ['routing/put?arg=/ipns/k51', 'value-file'],
  ]) {
    const none = await post(server, account, command ?? '')
    assert.equal(none.status, 400)
    assert.equal(await none.text(), `file argument '${name}' is required\n`)
  }
})

test('dag/export is a byte stream of its own type; arguments may come as lines of the body', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const top = cbor(['node'])
  const car = await carOf(top)
  await (await post(server, account, 'dag/import', form(car))).text()
  const response = await post(server, account, 'dag/export', form(`${top.cid.toString()}\n`))
  for (const answer of [
    response,
    await post(server, account, `dag/export/${top.cid.toString()}`),
  ]) {
    assert.equal(answer.headers.get('content-type'), 'application/vnd.ipld.car')
    assert.equal(answer.headers.get('x-stream-output'), '1')
    assert.equal(answer.headers.get('x-content-length'), null)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), car)
  }
  const none = await post(server, account, 'dag/export')
  assert.equal(await none.text(), 'argument "root" is required\n')
})

test('an export that meets a lost block early is a real error, later it is a cut connection', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const [large, lost] = [raw(Buffer.alloc(300_000, 1)), raw('lost')]
  const [early, late] = [cbor([lost.cid, large.cid]), cbor([large.cid, lost.cid])]
  const car = await carOf(early, late, large)
  const imported = await post(server, account, 'dag/import', form(car))
  assert.match(await imported.text(), /"PinErrorMsg":"block was not found locally/)
  const refused = await post(server, account, `dag/export?arg=${early.cid.toString()}&offline=true`)
  assert.equal(refused.status, 500)
  assert.match(await refused.text(), /^\{"Message":"block was not found locally \(offline\)/)
  const cut = await post(server, account, `dag/export?arg=${late.cid.toString()}&offline=true`)
  assert.equal(cut.status, 200)
  await assert.rejects(cut.arrayBuffer())
  const partial = await post(
    server,
    account,
    `dag/export?arg=${late.cid.toString()}&local-only=true`,
  )
  assert.deepEqual(Buffer.from(await partial.arrayBuffer()), await carOf(late, large))
})
