// Every recorded CID and every CID vector, over HTTP against a started server: CID and size equal Kubo's. Vectors with server
// settings use a server with these settings. The largest are in heavy-vectors.ts.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  bytesOfVector,
  heavyBytesMin,
  readCidVectors,
  serverEnv,
} from '../fakes/files/cid-vectors.ts'
import { addVector } from '../fakes/files/vector-upload.ts'
import { type Started, startCairn } from '../started-server.ts'

/** Servers by their settings. */
const servers = new Map<string, Promise<Started>>()

function serverWith(settings: Readonly<Record<string, string>> = {}): Promise<Started> {
  const name = JSON.stringify(settings)
  const server = servers.get(name) ?? startCairn({ env: serverEnv(settings) })
  servers.set(name, server)
  return server
}

after(async () => {
  for (const server of servers.values()) await (await server).stop()
})

const vectors = readCidVectors()

test('the vectors exist', () => {
  assert.ok(vectors.length > 50)
})

const here = vectors.filter((vector) => bytesOfVector(vector) <= heavyBytesMin)

for (const vector of here) {
  test(`${vector.id} has Kubo's CID and size`, async () => {
    const server = await serverWith(vector.server)
    assert.deepEqual(await addVector(server, vector), [vector.cid, vector.rpcSize])
  })
}

test('the import profile of a key sets the defaults of its requests', async () => {
  const profile = 'unixfs-v1-2025'
  const ids = [
    'profile-2025-file',
    'profile-2025-names',
    'v1-2025-over-chunk',
    'hamt-v1-2025-over-threshold',
  ]
  const cairn = await serverWith()
  const one = await cairn.cli('keys', 'create', '--import-profile', profile)
  const server = await serverWith({ profile })
  const named = {
    url: cairn.url,
    apiKey: String(one['apiKey']),
    apiKeySecret: String(one['apiKeySecret']),
  }
  for (const vector of vectors.filter(({ id }) => ids.includes(id))) {
    const bare = { ...vector, params: {} }
    for (const asked of [named, server]) {
      assert.deepEqual(await addVector(asked, bare), [vector.cid, vector.rpcSize], vector.id)
    }
    assert.notEqual((await addVector(cairn, bare))[0], vector.cid)
  }
})
