// A copy or snapshot of a data folder runs as the same server elsewhere (docs/guides/run-as-a-service.md).
import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { startCairn, temporaryFolder, type Started } from '../started-server.ts'

test('a copy of the folder of a stopped or killed server has the same keys, files and chain', async (t) => {
  const [dataDir, stopped, died] = await Promise.all([
    temporaryFolder(),
    temporaryFolder(),
    temporaryFolder(),
  ])
  t.after(() =>
    Promise.all([dataDir, stopped, died].map((path) => rm(path, { recursive: true, force: true }))),
  )
  const one = await startCairn({ dataDir })
  const { apiKey, apiKeySecret } = one
  const headers = { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
  const first = await add(one, 'first\n')
  await one.stop()
  await cp(dataDir, stopped, { recursive: true })
  const again = await startCairn({ dataDir })
  const second = await add(again, 'second\n')
  await again.kill()
  await cp(dataDir, died, { recursive: true })
  for (const [copy, files] of [
    [stopped, [[first, 'first\n']]],
    [
      died,
      [
        [first, 'first\n'],
        [second, 'second\n'],
      ],
    ],
  ] as const) {
    const server = await startCairn({ dataDir: copy })
    try {
      assert.equal(server.apiKey, '')
      for (const [cid, text] of files) {
        const url = `${server.url}/api/v0/cat?arg=${cid}`
        assert.equal(await (await fetch(url, { method: 'POST', headers })).text(), text)
      }
    } finally {
      await server.stop()
    }
  }

  async function add({ url }: Started, text: string): Promise<string> {
    const body = new FormData()
    body.append('file', new Blob([text]))
    const reply = await fetch(`${url}/api/v0/add`, { method: 'POST', headers, body })
    return ((await reply.json()) as { readonly Hash: string }).Hash
  }
})
