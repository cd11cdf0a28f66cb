// Saved networks in the database: encrypted, at most one default, no lost change, and a bad row does not hide the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { createSqliteRows } from '../db/sqlite-rows.ts'
import { openDatabase } from '../db/sqlite.ts'
import { createSavedNetworks, readable, type SavedNetwork } from './saved-networks.ts'

const secretUrl = 'https://node.example/v3/0123456789abcdef'
const raw = (name: string) => ({
  name,
  chainId: 5,
  upstreams: [{ url: secretUrl, headers: { authorization: 'Bearer hidden' } }],
})

function open() {
  const db = openDatabase(':memory:')
  migrate(db)
  const rows = createSqliteRows(db, createInlineWriter(db))
  const at = (byte: number) =>
    createSavedNetworks({
      rows,
      clock: createManualClock(),
      sealSecret: () => new Uint8Array(32).fill(byte),
    })
  return { db, saved: at(1), elsewhere: at(2) }
}

test('a saved network is read as it was written, and the database holds no part of its URL', async () => {
  const { db, saved } = open()
  await saved.add(raw('rollup'), false)
  const [found] = await saved.list()
  assert.deepEqual(found?.found, { ...found?.found, raw: raw('rollup') })
  assert.equal(readable(await saved.list())[0]?.network.upstreams[0]?.url, secretUrl)
  const [row] = db.all<{ sealed: Uint8Array }>('SELECT * FROM saved_network', [])
  const bytes = Buffer.from(row?.sealed ?? []).toString('latin1')
  assert.doesNotMatch(bytes, /node\.example|0123456789abcdef|hidden/)
})

test('a folder with another key file lists the network with the reason, and reads the others', async () => {
  const { saved, elsewhere } = open()
  await elsewhere.add(raw('one'), false)
  await saved.add(raw('other'), false)
  const all = await saved.list()
  assert.match(
    all.map(({ found }) => ('problem' in found ? found.problem : '')).join(),
    /identity\.pem of another folder/,
  )
  assert.deepEqual(
    readable(all).map(({ network }) => network.name),
    ['other'],
  )
})

test('a row moved to another name cannot be read', async () => {
  const { db, saved } = open()
  await saved.add(raw('one'), false)
  db.exec(`UPDATE saved_network SET name = 'mainnet'`)
  const [moved] = await saved.list()
  assert.ok(moved !== undefined && 'problem' in moved.found)
})

test('the newest default network is the only one', async () => {
  const { saved } = open()
  await saved.add(raw('one'), true)
  await saved.add(raw('two'), true)
  const defaults = (await saved.list()).filter(({ isDefault }) => isDefault)
  assert.deepEqual(
    defaults.map(({ name }) => name),
    ['two'],
  )
})

test('a name is saved once, and a change of an outdated network is refused', async () => {
  const { saved } = open()
  await saved.add(raw('one'), false)
  await assert.rejects(saved.add(raw('one'), true), { code: 'conflict' })
  const [before] = (await saved.list()) as [SavedNetwork]
  await saved.change(before, { ...raw('one'), chainId: 6 }, false)
  await assert.rejects(saved.change(before, raw('one'), false), { code: 'conflict' })
  const [after] = readable(await saved.list())
  assert.equal(after?.network.chainId, 6n)
  await saved.remove('one')
  await assert.rejects(saved.remove('one'), { code: 'absent' })
})
