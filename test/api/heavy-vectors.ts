// The CID vectors of more than 300 MiB, run separately: `node --test test/api/heavy-vectors.ts`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOfVector, heavyBytesMin, readCidVectors } from '../fakes/files/cid-vectors.ts'
import { addVector } from '../fakes/files/vector-upload.ts'
import { startCairn } from '../started-server.ts'

const heavy = readCidVectors().filter((vector) => bytesOfVector(vector) > heavyBytesMin)

test('a heavy vector exists', () => {
  assert.ok(heavy.length > 0)
})

for (const vector of heavy) {
  test(`${vector.id} has Kubo's CID and size`, { timeout: 300_000 }, async (t) => {
    const cairn = await startCairn()
    t.after(() => cairn.stop())
    assert.deepEqual(await addVector(cairn, vector), [vector.cid, vector.rpcSize])
  })
}
