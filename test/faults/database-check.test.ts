// A started server on a database with flipped bits: the check finds them, indexes are rebuilt, and an invalid key
// affects no other key.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../../src/db/sqlite.ts'
import { startCairn, temporaryFolder, type Started } from '../started-server.ts'

async function makeFolder(t: TestContext): Promise<string> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function command(
  { url }: Started,
  path: string,
  { apiKey, apiKeySecret }: Started,
  body?: FormData,
) {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')}`
  const answer = await fetch(`${url}/api/v0/${path}`, {
    method: 'POST',
    headers: { authorization },
    ...(body === undefined ? {} : { body }),
  })
  assert.equal(answer.status, 200)
  return await answer.text()
}

/** Repeats the request until the reply satisfies the condition, for at most one minute. */
async function until<T>(query: () => Promise<T>, satisfies: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const answer = await query()
    if (satisfies(answer)) return answer
    assert.ok(tries < 300, 'it never did')
    await setTimeout(200)
  }
}

test('one flipped bit that hides pins is found after the start, and the pins are restored', async (t) => {
  const dataDir = await makeFolder(t)
  const first = await startCairn({ dataDir })
  for (let index = 0; index < 24; index += 1) {
    const body = new FormData()
    body.append('file', new Blob([`file ${index}`]))
    await command(first, 'add', first, body)
  }
  const right = await command(first, 'pin/ls', first)
  assert.equal(Object.keys((JSON.parse(right) as { Keys: object }).Keys).length, 24)
  await first.stop()
  hidePins(join(dataDir, 'cairn.db'))

  const second = await startCairn({ dataDir, env: { CAIRN_METRICS_LOCAL: 'true' } })
  try {
    const metrics = async () => await (await fetch(`${second.url}/metrics`)).text()
    await until(metrics, (text) => /^cairn_database_repairs_total 1$/m.test(text))
    assert.match(await metrics(), /^cairn_database_sound 1$/m)
    assert.equal(await command(second, 'pin/ls', first), right)
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200)
  } finally {
    await second.stop()
  }
})

const listSql = `SELECT cid FROM pin WHERE account_id = ? AND cid > x'00' ORDER BY cid`

/** Flips a bit in the key of a pin in the middle of a table page, so that searches fail. */
function hidePins(path: string): void {
  const db = openDatabase(path)
  const page = db.getValue<number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'pin'`) ?? 0
  const id = db.getValue<string>('SELECT account_id FROM pin') ?? ''
  const before = db.all(listSql, [id]).length
  db.close()
  const good = readFileSync(path)
  for (let at = (page - 1) * 4096; (at = good.indexOf(id, at + 1)) !== -1 && at < page * 4096;) {
    const bytes = Buffer.from(good)
    bytes[at] = (bytes[at] ?? 0) ^ 0x40
    writeFileSync(path, bytes)
    const damaged = openDatabase(path, { readOnly: true })
    const found = damaged.all(listSql, [id]).length
    damaged.close()
    if (found < before - 1) return
  }
  assert.fail('no flipped bit hides several pins')
}

test('damage outside the indexes makes the server not ready, and a metric reports it', async (t) => {
  const dataDir = await makeFolder(t)
  const first = await startCairn({ dataDir })
  await first.stop()
  const path = join(dataDir, 'cairn.db')
  const db = openDatabase(path)
  // The start does not read this page.
  const pageSql = `SELECT rootpage FROM sqlite_schema WHERE name = 'passkey'`
  const page = db.getValue<number>(pageSql) ?? 0
  db.close()
  const bytes = readFileSync(path)
  // The kind of a page.
  assert.equal(bytes[(page - 1) * 4096], 10)
  bytes[(page - 1) * 4096] = 0
  writeFileSync(path, bytes)
  const second = await startCairn({ dataDir, env: { CAIRN_METRICS_LOCAL: 'true' } })
  try {
    const ready = async () => (await fetch(`${second.url}/readyz`)).status
    await until(ready, (status) => status === 503)
    const metrics = await (await fetch(`${second.url}/metrics`)).text()
    assert.match(metrics, /^cairn_database_sound 0$/m)
    assert.match(metrics, /^cairn_database_repairs_total 0$/m)
  } finally {
    await second.stop()
  }
})

test('a key with damaged settings is refused with the reason, and everything else works', async (t) => {
  const dataDir = await makeFolder(t)
  const first = await startCairn({ dataDir })
  const { apiKey } = (await first.cli('keys', 'create')) as { apiKey: string }
  const secondKey = apiKey
  await first.stop()
  const db = openDatabase(join(dataDir, 'cairn.db'))
  const hash = createHash('sha256').update(secondKey).digest()
  const sql = `UPDATE api_key SET settings = replace(settings, '{', '[') WHERE key_hash = ?`
  assert.equal(db.run(sql, [hash]), 1)
  db.close()
  const second = await startCairn({ dataDir })
  try {
    const ask = async (key: string) => {
      const answer = await fetch(`${second.url}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      })
      return JSON.stringify(await answer.json())
    }
    assert.match(await ask(first.apiKey), /"result":"0x539"/)
    assert.match(await ask(secondKey), /settings of this API key are damaged/)
    const { keys } = (await second.cli('keys', 'list')) as { keys: { settingsDamaged?: true }[] }
    assert.equal(keys.filter(({ settingsDamaged }) => settingsDamaged === true).length, 1)
    assert.equal(keys.length, 2)
  } finally {
    await second.stop()
  }
})
