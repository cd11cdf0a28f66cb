// Every recorded CID and every CID vector, over HTTP against a started server: CID and size equal Kubo's. Vectors with server
// settings get a server with these settings. The largest are in heavy-vectors.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  bytesOfVector,
  heavyBytesMin,
  readCidVectors,
  serverEnv,
} from '../fakes/files/cid-vectors.ts'
import { addVector } from '../fakes/files/vector-upload.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

const vectors = readCidVectors()

test('the vectors exist', () => {
  assert.ok(vectors.length > 50)
})

const here = vectors.filter((vector) => bytesOfVector(vector) <= heavyBytesMin)

for (const vector of here) {
  test(`${vector.id} has Kubo's CID and size`, async (t) => {
    let server = cairn
    if (vector.server !== undefined) {
      server = await startCairn({ env: serverEnv(vector.server) })
      t.after(() => server.stop())
    }
    assert.deepEqual(await addVector(server, vector), [vector.cid, vector.rpcSize])
  })
}

test('the import profile of a key sets the defaults of its requests', async (t) => {
  const profile = 'unixfs-v1-2025'
  const ids = [
    'profile-2025-file',
    'profile-2025-names',
    'v1-2025-over-chunk',
    'hamt-v1-2025-over-threshold',
  ]
  const one = await cairn.cli('keys', 'create', '--import-profile', profile)
  const server = await startCairn({ env: { CAIRN_FILES_IMPORT_PROFILE: profile } })
  t.after(() => server.stop())
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
