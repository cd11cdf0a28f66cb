import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { noise } from '../../../test/fakes/seeded.ts'
import { sha256Name } from '../../codec/ipld/multihash.ts'
import type { Rows } from '../../db/rows.ts'
import { createRecentPlaces } from '../segments/recent-places.ts'
import { createObjectReads } from './object-reads.ts'
import { chunkBytes, openRangeCache } from './range-cache.ts'

const never = new AbortController().signal
const leafBytes = 256 * 1024
/** Of each object. Leaves start behind a record head: most requests begin within a chunk. */
const leaves = 80
const headBytes = 100

/** All places are in memory, so that no row is read. Objects are computed from their number. */
async function open(t: TestContext) {
  const path = await mkdtemp(join(tmpdir(), 'cairn-reads-'))
  const body = noise('body', headBytes + leaves * leafBytes)
  const requests: number[] = []
  const objects = {
    async read(_name: string, at: number, _bytes: number, _signal: AbortSignal, most = 0) {
      const found = body.subarray(at, at + most)
      requests.push(found.length)
      return found
    },
  }
  const ranges = await openRangeCache({ objects, path, bytesMax: 2 ** 30, log: () => {} })
  t.after(async () => {
    await ranges.close()
    await rm(path, { recursive: true, force: true })
  })
  const places = createRecentPlaces(65_536)
  const reads = createObjectReads({ rows: null as unknown as Rows, ranges, places })
  const hashesOf = (file: number): readonly Uint8Array[] =>
    Array.from({ length: leaves }, (_, index) => {
      const hash = sha256Name(Buffer.from(`${file} ${index}`))
      const at = headBytes + index * leafBytes
      places.note(hash, { file, at, bytes: leafBytes, form: 0, size: leafBytes })
      return hash
    })
  return { reads, requests, hashesOf, body: body.subarray(headBytes) }
}

test('a sequential read fetches few large ranges, each byte once, the first range a small one', async (t) => {
  const { reads, requests, hashesOf, body } = await open(t)
  let at = 0
  for await (const group of reads.read(hashesOf(1), never)) {
    for (const piece of group) {
      assert.ok(piece !== null && body.subarray(at, at + leafBytes).equals(piece.data))
      at += leafBytes
    }
  }
  assert.equal(at, body.length)
  assert.ok((requests[0] ?? 0) <= 2 * chunkBytes)
  assert.ok(requests.length <= 7, requests.join(' '))
  const fetched = requests.reduce((sum, bytes) => sum + bytes, 0)
  assert.equal(fetched, headBytes + body.length)
})

test('further parallel reads use small ranges, so that their memory is bounded', async (t) => {
  const { reads, requests, hashesOf } = await open(t)
  const readers = [1, 2, 3, 4, 5].map((file) => reads.read(hashesOf(file), never))
  for (const reader of readers.slice(0, 4)) await reader.next()
  assert.equal(Math.max(...requests), 4 * chunkBytes)
  requests.length = 0
  const last = readers.at(-1)
  for (let group = 0; group < 10; group += 1) await last?.next()
  assert.ok(requests.length > 0 && Math.max(...requests) <= 2 * chunkBytes)
  for (const reader of readers) await reader.return(undefined)
})
