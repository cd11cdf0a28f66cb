// Verifies a whole store that contains corrupted copies.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Started, startCairn } from '../../../test/started-server.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { runProgram } from '../program.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-verify-'))
after(() => rmSync(root, { recursive: true }))

async function verify(dataDir: string, ...more: string[]) {
  return await store('verify', dataDir, ...more)
}

async function store(command: string, dataDir: string, ...more: string[]) {
  let out = ''
  let err = ''
  const code = await runProgram(['store', command, '--data-dir', dataDir, '--json', ...more], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => '',
    env: {},
  })
  // Progress lines appear only on a slow machine.
  assert.equal(err.replaceAll(/^(?:verified|read): .*\n/gm, ''), '')
  return { code, found: JSON.parse(out) as Record<string, unknown> }
}

function spoil(dataDir: string, sql: string): void {
  const db = openDatabase(join(dataDir, 'cairn.db'))
  db.exec(sql)
  db.close()
}

test('a store of both faces is all good; spoilt, torn and missing copies are found with their pins, and go to quarantine', async () => {
  const server = await startCairn()
  try {
    const { dataDir } = server
    const cid = await addFile(server, new Uint8Array(600_000).fill(7))
    const good = await verify(dataDir)
    assert.equal(good.code, 0)
    assert.equal(good.found['bad'], 0)
    const copies = Number(good.found['copies'])
    // More copies than one step of the walk takes.
    assert.ok(copies > 16, String(copies))

    spoil(
      dataDir,
      `UPDATE block SET at = at + 1 WHERE id = 2;
       DELETE FROM body WHERE id = (SELECT body FROM content WHERE kind = 'trie-node' LIMIT 1);
       UPDATE body SET bytes = substr(bytes, 1, 9) WHERE id = (SELECT body FROM content WHERE kind = 'code' LIMIT 1)`,
    )
    const bad = await verify(dataDir)
    assert.equal(bad.code, 1)
    assert.partialDeepStrictEqual(bad.found, { copies, bad: 3, quarantined: 0, unreadablePins: 1 })
    const kinds = (bad.found['named'] as { kind: string }[]).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['code', 'trie-node', 'dag-block'])
    assert.partialDeepStrictEqual(bad.found['pins'], [{ cid, reason: 'missing' }])

    const repaired = await verify(dataDir, '--repair')
    assert.equal(repaired.code, 1)
    assert.partialDeepStrictEqual(repaired.found, { copies, bad: 3, quarantined: 3 })
    spoil(dataDir, 'UPDATE block SET at = at - 1 WHERE id = 2')
    const released = await verify(dataDir, '--repair')
    assert.partialDeepStrictEqual(released.found, { copies, bad: 2, quarantined: 2, released: 1 })
    assert.deepEqual(released.found['pins'], [])
    spoil(dataDir, 'DELETE FROM closure WHERE block = 2')
    const torn = await verify(dataDir)
    assert.equal(torn.code, 1)
    assert.partialDeepStrictEqual(torn.found['pins'], [{ cid, reason: 'missing' }])
  } finally {
    await server.stop()
  }
})

test('a folder without its cairn.db is refused by name, and its files can be read again after a rebuild', async () => {
  const dataDir = join(root, 'lost')
  const server = await startCairn({ dataDir })
  const cid = await addFile(server, new Uint8Array(600_000).fill(8))
  await server.stop()
  for (const name of ['cairn.db', 'cairn.db-wal', 'cairn.db-shm']) {
    rmSync(join(dataDir, name), { force: true })
  }
  const lost = startCairn({ dataDir }).then((started) => started.kill())
  await assert.rejects(lost, /cairn (?:-- )?store rebuild --data-dir/)
  await assert.rejects(verify(dataDir), /cairn (?:-- )?store rebuild --data-dir/)
  const { code, found } = await store('rebuild', dataDir)
  assert.equal(code, 0)
  // Two equal chunks, a shorter one and their root; the equal chunks are one block.
  assert.partialDeepStrictEqual(found, { added: 3, bad: 0 })
  const again = await startCairn({ dataDir })
  try {
    const headers = { authorization: authorize(again) }
    const answer = await fetch(`${again.url}/api/v0/cat?arg=${cid}`, { method: 'POST', headers })
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), new Uint8Array(600_000).fill(8))
  } finally {
    await again.stop()
  }
})

function authorize({ apiKey, apiKeySecret }: { apiKey: string; apiKeySecret: string }): string {
  return `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')}`
}

async function addFile(server: Started, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([content]))
  const added = await fetch(`${server.url}/api/v0/add`, {
    method: 'POST',
    body,
    headers: { authorization: authorize(server) },
  })
  assert.equal(added.status, 200)
  return ((await added.json()) as { Hash: string }).Hash
}
