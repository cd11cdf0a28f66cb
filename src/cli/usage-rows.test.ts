import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openData } from './open-data.ts'
import { listUsage } from './usage-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-usage-'))
after(() => rmSync(folder, { recursive: true }))

const hourMs = 3_600_000
const silent = { out: () => {}, err: () => {}, readInput: async () => '', env: {} }

test('usage comes oldest first, from the given hour on, of one account or of all', async () => {
  await using data = await openData(silent, { dataDir: join(folder, 'data') })
  const { accounts, db } = data
  await accounts.createAccount('team')
  const { apiKey } = await accounts.createKey('team')
  const insert = `INSERT INTO usage VALUES (?2, 60, ?1, 'rpc', 'dev', ?3, 'ok', '', 200, 2, 160, 10, 20)`
  db.run(insert, [2 * hourMs, apiKey.id, 'eth_chainId'])
  db.run(insert, [hourMs, apiKey.id, 'eth_chainId'])
  db.run(insert, [hourMs, '*', 'eth_call'])
  const hours = listUsage(data, 0, 'team').map((row) => row.hour)
  assert.deepEqual(hours, ['1970-01-01T01:00:00.000Z', '1970-01-01T02:00:00.000Z'])
  assert.equal(listUsage(data, 0, null).length, 2)
  assert.deepEqual(listUsage(data, 2 * hourMs, null), [
    {
      hour: '1970-01-01T02:00:00.000Z',
      account: 'team',
      keyId: apiKey.id,
      face: 'rpc',
      network: 'dev',
      method: 'eth_chainId',
      outcome: 'ok',
      reason: '',
      status: 200,
      requests: 2,
      units: 160,
      bytesIn: 10,
      bytesOut: 20,
    },
  ])
})
