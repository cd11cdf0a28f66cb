// `cairn gc` with and without a running server.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { startCairn, runCli, type Started, temporaryFolder } from '../started-server.ts'

async function call({ url, apiKey, apiKeySecret }: Started, command: string, body?: FormData) {
  const basic = Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')
  const response = await fetch(`${url}/api/v0/${command}`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

async function add(server: Started, text: string, query = ''): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'f')
  const { text: line } = await call(server, `add?${query}`, body)
  return (JSON.parse(line) as { Hash: string }).Hash
}

const isHere = async (server: Started, cid: string): Promise<boolean> =>
  (await call(server, `block/stat?arg=${cid}&offline=true`)).status === 200

async function start(t: TestContext, dataDir: string): Promise<Started> {
  const server = await startCairn({ dataDir })
  t.after(() => server.child.kill('SIGKILL'))
  return server
}

test('unreferenced content is deleted and pinned content stays, with and without a running server', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const first = await start(t, dataDir)
  const pinned = await add(first, 'pinned')
  const gone = await add(first, 'gone')
  const later = await add(first, 'later')
  const loose = await add(first, 'loose', 'pin=false')
  await call(first, `pin/rm?arg=${gone}`)
  assert.deepEqual(await first.cli('gc'), { blocks: 1, bytes: 12 })
  assert.equal(await isHere(first, gone), false)
  for (const cid of [pinned, later, loose]) assert.ok(await isHere(first, cid))

  assert.equal(
    (await call(first, `block/rm?arg=${pinned}`)).text,
    `{"Hash":"${pinned}","Error":"pinned: recursive"}\n`,
  )
  assert.match((await call(first, 'repo/gc')).text, /^\{"Key":\{"\/":"bafkrei[a-z2-7]+"\}\}\n$/)
  assert.equal(await isHere(first, loose), false)
  assert.deepEqual((await first.cli('usage'))['storage'], {
    accounts: [{ account: 'default', pins: 2, blocks: 2, bytes: 27, logicalBytes: 27 }],
    stored: { blocks: 2, bytes: 27 },
  })
  await call(first, `pin/rm?arg=${later}`)
  const { apiKey, apiKeySecret } = first
  await first.stop()

  assert.deepEqual(await runCli(['gc', '--data-dir', dataDir, '--json']), { blocks: 1, bytes: 13 })
  const second = { ...(await start(t, dataDir)), apiKey, apiKeySecret }
  assert.equal(await isHere(second, later), false)
  assert.equal((await call(second, `cat?arg=${pinned}`)).text, 'pinned')
  await second.stop()
})
