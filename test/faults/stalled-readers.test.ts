// Clients that request large files and stop reading, against a running server: memory use, and complete delivery to
// them and to other clients.
import assert from 'node:assert/strict'
import { createHash, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { platform } from 'node:process'
import { test } from 'node:test'
import { startCairn } from '../started-server.ts'

const mib = 1024 * 1024
const readers = 16
/** Memory of one stream: two groups, read-ahead, and copies in progress in the thread pool. */
const streamMiB = 5

test(
  'sixteen stalled readers use little memory, delay no other client, and receive the rest when they continue',
  { skip: platform !== 'linux' && 'reads /proc' },
  async () => {
    const cairn = await startCairn()
    try {
      const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
      const content = randomFillSync(Buffer.allocUnsafeSlow(48 * mib))
      const form = new FormData()
      form.set('file', new Blob([content]))
      const added = await fetch(`${cairn.url}/api/v0/add`, {
        method: 'POST',
        headers: { authorization },
        body: form,
      })
      const { Hash: cid } = (await added.json()) as { Hash: string }
      const open = async (): Promise<IncomingMessage> => {
        const asked = request(`${cairn.url}/api/v0/cat?arg=${cid}`, {
          method: 'POST',
          headers: { authorization },
          agent: false,
        })
        asked.end()
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        return response
      }
      const wanted = createHash('sha256').update(content).digest('hex')
      assert.equal(await hashOf(await open()), wanted)

      const before = await residentMiB(cairn.child.pid)
      const stalled = await Promise.all(Array.from({ length: readers }, open))
      // While they are stalled, two more clients read everything.
      for (const _ of [1, 2]) assert.equal(await hashOf(await open()), wanted)
      const grown = (await residentMiB(cairn.child.pid)) - before
      assert.ok(grown < readers * streamMiB + 32, `grew by ${grown} MiB`)
      for (const response of stalled.slice(0, 3)) assert.equal(await hashOf(response), wanted)
      for (const response of stalled) response.destroy()
    } finally {
      await cairn.stop()
    }
  },
)

async function hashOf(response: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of response) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function residentMiB(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
