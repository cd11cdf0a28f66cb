// `cairn deny` and its admin operations: the gateway of a running server refuses the content from the next request on, with the
// deciding rule and an audit entry.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

type Ended = { readonly code: number; readonly out: string; readonly err: string }

async function start(t: TestContext, env: Record<string, string> = {}) {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const cairn = await startCairn({
    dataDir,
    env: {
      CAIRN_GATEWAY_ABUSE_CONTACT: 'abuse@example.org',
      CAIRN_GATEWAY_DESERIALIZED: 'true',
      ...env,
    },
  })
  t.after(() => cairn.stop())
  const deny = (...args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [bin, 'deny', ...args, '--data-dir', dataDir],
        { env: { ...process.env, ...env } },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      )
    })
  return { cairn, deny, dataDir }
}

function authorization({ apiKey, apiKeySecret }: Started): Record<string, string> {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}

async function addSite(cairn: Started): Promise<{ root: string; page: string }> {
  const form = new FormData()
  for (const name of ['a.txt', 'b.txt']) {
    form.append('file', new Blob([`text of ${name}\n`]), `site%2F${name}`)
  }
  const reply = await fetch(`${cairn.url}/api/v0/add?cid-version=1`, {
    method: 'POST',
    headers: authorization(cairn),
    body: form,
  })
  const lines = (await reply.text()).trimEnd().split('\n')
  const [page, , root] = lines.map((line) => (JSON.parse(line) as { Hash: string }).Hash)
  return { root: root ?? '', page: page ?? '' }
}

async function read(cairn: Started, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${cairn.url}/ipfs/${path}`, {
    headers: { ...authorization(cairn), accept: 'application/vnd.ipld.raw' },
  })
  return { status: response.status, text: await response.text() }
}

test('denied content is refused from the next request on, and served again after the rule is removed', async (t) => {
  const { cairn, deny } = await start(t)
  const { root, page } = await addSite(cairn)
  assert.equal((await read(cairn, `${root}/a.txt`)).status, 200)

  const added = await deny('add', `https://${root}.ipfs.example.com/a.txt`, '--reason', 'phishing')
  assert.equal(added.code, 0, added.err)
  assert.match(added.out, new RegExp(`^/ipfs/${root}/a\\.txt is denied with status 410`))
  const refused = await read(cairn, `${root}/a.txt`)
  assert.equal(refused.status, 410)
  assert.equal((await read(cairn, `${root}/b.txt`)).status, 200)
  assert.equal((await read(cairn, page)).status, 200, 'the rule is about the path')

  await deny('add', page, '--legal')
  assert.equal((await read(cairn, page)).status, 451)
  const listed = await deny('list', '--json')
  const { denials } = JSON.parse(listed.out) as { denials: readonly Record<string, unknown>[] }
  assert.deepEqual(
    denials.map(({ rule, status, reason }) => [rule, status, reason]),
    [
      [`/ipfs/${root}/a.txt`, 410, 'phishing'],
      [`/ipfs/${page}`, 451, ''],
    ],
  )
  const html = await fetch(`${cairn.url}/ipfs/${page}`, {
    headers: { ...authorization(cairn), accept: 'text/html' },
  })
  assert.match(await html.text(), /abuse@example\.org/)

  const checked = await deny('check', `ipfs://${root}/a.txt`)
  assert.equal(checked.code, 1)
  assert.match(checked.out, /^denied with status 410 by the rule \/ipfs\//)
  assert.equal((await deny('remove', `/ipfs/${root}/a.txt`)).code, 0)
  await deny('remove', page)
  assert.equal((await read(cairn, `${root}/a.txt`)).status, 200)
  const again = await deny('remove', page)
  assert.equal(again.code, 1)
  assert.match(again.err, /no rule \/ipfs\/.*deny list shows all rules/)
})

test('a rule of an operator wins over a list, check names list and line, and changes are in the audit log', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'site.deny')
  await writeFile(file, 'version: 1\n---\n')
  const { cairn, deny } = await start(t, { CAIRN_GATEWAY_DENY_FILES: folder })
  const { page } = await addSite(cairn)
  await appendFile(file, `/ipfs/${page} status:451\n`)
  const listed = await deny('check', page)
  assert.match(listed.out, /^denied with status 451 by .*site\.deny, line 3/)

  const admin = await takeFirstRun(cairn)
  const added = await admin.ask('POST', '/denials', { content: page, status: 410, reason: 'own' })
  assert.equal(added.status, 200)
  const { body } = await admin.ask('GET', `/denials/check?content=${page}`)
  assert.deepEqual([body['denied'], body['status'], body['rule']], [true, 410, `/ipfs/${page}`])
  assert.equal((await read(cairn, page)).status, 410)
  const audit = await admin.ask('GET', '/audit')
  assert.match(JSON.stringify(audit.body), /"action":"addDenial"/)
})

test('rules are kept over a restart, and names of no content are refused with what was expected', async (t) => {
  const { cairn, deny, dataDir } = await start(t)
  const { page } = await addSite(cairn)
  await deny('add', page)
  for (const wrong of ['nothing', 'https://example.com/a', '/ipns/example.org', '/ipfs/']) {
    const { code, err } = await deny('add', wrong)
    assert.equal(code, 1)
    assert.match(
      err,
      /names no content: expected a CID, \/ipfs\/<cid>\/path or the URL of a gateway/,
    )
  }
  const stranger = await openAdminClient(cairn.url).ask('POST', '/denials', { content: page })
  assert.equal(stranger.status, 401)
  const { apiKey, apiKeySecret } = cairn
  await cairn.stop()
  const next = await startCairn({ dataDir })
  t.after(() => next.stop())
  assert.equal((await read({ ...next, apiKey, apiKeySecret }, page)).status, 410)
})
