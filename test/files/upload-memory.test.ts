// Memory of the server during a large upload and its download.
// Tests guarantee 6 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { createCipheriv, createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { platform } from 'node:process'
import { test } from 'node:test'
import { startCairn } from '../started-server.ts'

const mib = 1024 * 1024
const sliceBytes = 64 * 1024

test(
  'an upload and download of 300 MiB needs less than 128 MiB of additional memory',
  { skip: platform !== 'linux' && 'reads /proc' },
  async () => {
    const cairn = await startCairn()
    try {
      const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
      const idle = await residentMiB(cairn.child.pid, 'VmRSS')
      const sent = createHash('sha256')
      const added = await fetch(`${cairn.url}/api/v0/add`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'multipart/form-data; boundary=edge' },
        body: ReadableStream.from(multipart(300 * mib, sent)),
        duplex: 'half',
      } as RequestInit)
      const { Hash: cid } = (await added.json()) as { Hash: string }
      const got = createHash('sha256')
      const answer = await fetch(`${cairn.url}/api/v0/cat?arg=${cid}`, {
        method: 'POST',
        headers: { authorization },
      })
      for await (const chunk of answer.body ?? []) got.update(chunk)
      assert.equal(got.digest('hex'), sent.digest('hex'))
      const grown = (await residentMiB(cairn.child.pid, 'VmHWM')) - idle
      assert.ok(grown < 128, `grew by ${grown} MiB`)
    } finally {
      await cairn.stop()
    }
  },
)

/** One part of this many pseudo-random bytes; updates `hash` with the content. */
function* multipart(bytes: number, hash: ReturnType<typeof createHash>): Generator<Uint8Array> {
  yield Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n')
  const cipher = createCipheriv('chacha20', Buffer.alloc(32, 7), Buffer.alloc(16))
  for (let at = 0; at < bytes; at += sliceBytes) {
    const slice = cipher.update(Buffer.alloc(sliceBytes))
    hash.update(slice)
    yield slice
  }
  yield Buffer.from('\r\n--edge--\r\n')
}

async function residentMiB(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
}
