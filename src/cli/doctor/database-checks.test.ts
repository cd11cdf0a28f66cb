import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startPostgres } from '../../../test/engines/postgres.ts'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { createAccounts } from '../../access/accounts/accounts.ts'
import { systemClock } from '../../base/clock.ts'
import type { Problem } from '../../server/network-checks/problem.ts'
import { examine } from './diagnosis.ts'
import { thisMachine } from './machine.ts'

const postgres = usePostgres()
const { skip } = postgres

async function diagnose(t: TestContext, url: string): Promise<readonly Problem[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'cairn.yaml')
  const database = { url: '${env:DATABASE_URL}' }
  const objects = {
    url: 's3://bucket',
    endpoint: 'http://127.0.0.1:1',
    accessKeyId: 'id',
    secretAccessKey: 'word',
  }
  const networks = [{ name: 'far', chainId: 1, upstreams: [{ url: 'http://127.0.0.1:1' }] }]
  writeFileSync(config, JSON.stringify({ database, objects, networks, node: { only: true } }), {
    mode: 0o600,
  })
  const context = {
    out: () => {},
    err: () => {},
    readInput: async () => '',
    env: { DATABASE_URL: url },
  }
  const options = { config, dataDir: join(folder, 'data') }
  const { problems } = await examine(context, options, thisMachine())
  return problems
}

test(
  'a database that cannot be reached is a problem, without its password',
  { skip },
  async (t) => {
    const problems = await diagnose(t, 'postgresql://cairn:s3cret-word@127.0.0.1:1/cairn')
    const found = problems.find(({ code }) => code === 'database_away')
    assert.match(found?.text ?? '', /cannot be used: connect ECONNREFUSED/)
    assert.ok(!JSON.stringify(problems).includes('s3cret-word'))
  },
)

test('a standby is a problem', { skip }, async (t) => {
  const standby = await startPostgres([], { standby: true })
  t.after(() => standby.stop())
  const problems = await diagnose(t, standby.urlOf('postgres'))
  assert.ok(problems.some(({ code, level }) => code === 'database_standby' && level === 'problem'))
})

test('keys in the database are examined', { skip }, async (t) => {
  const database = await postgres.createDatabase()
  const { rows } = await postgres.openNode(t, database)
  const accounts = createAccounts({ rows, clock: systemClock })
  await accounts.createAccount('acme', { hasCard: true })
  await accounts.createKey('acme', { expires: systemClock.now() + 3_600_000 })
  const problems = await diagnose(t, postgres.server().urlOf(database))
  assert.ok(!problems.some(({ code }) => code.startsWith('database')))
  assert.ok(problems.some(({ code }) => code === 'key_ends_soon'))
})
