// Every CID vector over HTTP against a started server: Kubo's CID and size, or, where an option is not built yet,
// a refusal that names it. In doubt no CID rather than a wrong CID.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/ipfs/entry.ts'
import {
  type CidVector,
  missingCidVectors,
  pendingVectors,
  readCidVectors,
  vectorEntries,
} from '../fakes/cid-vectors.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

const vectors = readCidVectors()

test(
  'the vectors are there, and each pending one is among them',
  { skip: missingCidVectors },
  () => {
    assert.ok(vectors.length > 50)
    const ids = new Set(vectors.map(({ id }) => id))
    assert.deepEqual(
      [...pendingVectors.keys()].filter((id) => !ids.has(id)),
      [],
    )
  },
)

for (const vector of vectors) {
  const pending = pendingVectors.get(vector.id)
  if (pending === undefined) {
    test(`${vector.id} has Kubo's CID and size`, async () => {
      const response = await add(vector)
      const text = await response.text()
      assert.equal(response.status, 200, text)
      const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as {
        Hash?: string
        Key?: string
        Size: string | number
      }
      assert.deepEqual([last.Key ?? last.Hash, `${last.Size}`], [vector.cid, vector.rpcSize])
    })
  } else if (vector.server === undefined) {
    test(`${vector.id} is refused (pending: ${pending})`, async () => {
      // Options are judged before the body is read, so none is needed.
      const query = new URLSearchParams(vector.params)
      const response = await command(`add?${query.toString()}`, null)
      assert.ok([400, 403].includes(response.status), `status ${response.status}`)
      assert.match(await response.text(), /not supported/)
    })
  } else {
    test(`${vector.id} needs a server setting that is refused (pending: ${pending})`, async () => {
      const settings = Object.keys(vector.server ?? {})
      const printed = (await cairn.cli('config', 'print')) as { settings: { path: string }[] }
      assert.ok(printed.settings.length > 0)
      for (const { path } of printed.settings)
        assert.ok(!settings.some((name) => name.includes(path)))
    })
  }
}

/** Heavy ones keep nothing: the CID must be that of a real add all the same. */
function add(vector: CidVector): Promise<Response> {
  const query = new URLSearchParams(vector.params)
  if (vector.heavy === true) query.set('only-hash', 'true')
  const name = vector.type === 'block' ? 'block/put' : 'add'
  return command(`${name}?${query.toString()}`, multipart(vector))
}

function command(path: string, body: AsyncIterable<Uint8Array> | null): Promise<Response> {
  return fetch(`${cairn.url}/api/v0/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: ReadableStream.from(body ?? empty()),
    duplex: 'half',
  })
}

const boundary = '----------------------------vector'

async function* empty(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

async function* multipart(vector: CidVector): AsyncGenerator<Uint8Array> {
  const suffix = new URLSearchParams({
    ...(vector.partMode === undefined ? {} : { mode: vector.partMode }),
    ...(vector.partMtime === undefined ? {} : { mtime: vector.partMtime }),
  }).toString()
  const name = suffix === '' ? 'file' : `file?${suffix}`
  for (const entry of vectorEntries(vector)) {
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"; filename="${encodeURIComponent(entry.path)}"`,
      `Content-Type: ${mediaTypes[entry.kind]}`,
    ]
    yield Buffer.from(`${head.join('\r\n')}\r\n\r\n`)
    if (entry.kind === 'file') yield* entry.content
    if (entry.kind === 'symlink') yield Buffer.from(entry.target)
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

const mediaTypes: Record<Entry['kind'], string> = {
  file: 'application/octet-stream',
  directory: 'application/x-directory',
  symlink: 'application/symlink',
}
