// Adds a CID vector to a running server, as a client does: its recipe as a stream of parts.
import assert from 'node:assert/strict'
import type { UploadEntry } from '../../../src/ipfs/import/upload-entry.ts'
import { type CidRecipe, vectorEntries } from './cid-vectors.ts'

/** Without a key: a server that requires none, such as Kubo. */
type Server = { readonly url: string; readonly apiKey?: string; readonly apiKeySecret?: string }

/** Adds a vector over HTTP. Returns CID and size from the last event. */
export async function addVector(
  server: Server,
  vector: CidRecipe,
): Promise<[string | undefined, string]> {
  const response = await add(server, vector)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as {
    Hash?: string
    Key?: string
    Size: string | number
  }
  return [last.Key ?? last.Hash, `${last.Size}`]
}

function add(server: Server, vector: CidRecipe): Promise<Response> {
  const query = new URLSearchParams(vector.params)
  const name = vector.type === 'block' ? 'block/put' : 'add'
  return command(server, `${name}?${query.toString()}`, multipart(vector))
}

function command(server: Server, path: string, body: AsyncIterable<Uint8Array>): Promise<Response> {
  return fetch(`${server.url}/api/v0/${path}`, {
    method: 'POST',
    headers: {
      ...(server.apiKey === undefined
        ? {}
        : { authorization: `Basic ${btoa(`${server.apiKey}:${server.apiKeySecret ?? ''}`)}` }),
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: ReadableStream.from(body),
    duplex: 'half',
  })
}

const boundary = '----------------------------vector'

async function* multipart(vector: CidRecipe): AsyncGenerator<Uint8Array> {
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

const mediaTypes: Record<UploadEntry['kind'], string> = {
  file: 'application/octet-stream',
  directory: 'application/x-directory',
  symlink: 'application/symlink',
}
