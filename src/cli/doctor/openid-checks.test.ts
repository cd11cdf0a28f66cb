// Problems that doctor reports about sign-in with OpenID, with a real provider.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  providerSettings,
  startOpenIdProvider,
} from '../../../test/fakes/people/openid-provider.ts'
import { openData } from '../open-data.ts'
import { runProgram } from '../program.ts'

type Facts = {
  readonly problems: readonly {
    readonly code: string
    readonly text: string
    readonly fix: string
  }[]
  readonly openId: { readonly redirectUri: string; readonly failure: string | null } | null
}

async function start(t: TestContext) {
  const provider = await startOpenIdProvider(t)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-openid-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const dataDir = join(folder, 'data')
  const env = providerSettings(provider, { CAIRN_ADMIN_HOSTS: 'cairn.example.org' })
  const doctor = async (...more: string[]): Promise<string> => {
    let out = ''
    await runProgram(['doctor', '--data-dir', dataDir, ...more], {
      out: (text) => (out += text),
      err: () => {},
      readInput: async () => '',
      env,
    })
    return out
  }
  const facts = async (): Promise<Facts> => JSON.parse(await doctor('--json')) as Facts
  return { provider, dataDir, env, doctor, facts }
}

test('doctor prints the redirect URI, and reports a provider that does not answer', async (t) => {
  const { provider, doctor, facts } = await start(t)
  provider.serve('https://cairn.example.org')
  const uri = 'https://cairn.example.org/dashboard/openid'
  assert.match(
    await doctor(),
    new RegExp(`openid Example ID: discovery succeeds; redirect URI ${uri}`),
  )
  const sound = await facts()
  assert.partialDeepStrictEqual(sound.openId, { redirectUri: uri, failure: null })
  assert.ok(sound.problems.every(({ code }) => code !== 'openid_unreachable'))
  provider.stop()
  const down = (await facts()).problems.find(({ code }) => code === 'openid_unreachable')
  assert.match(down?.text ?? '', /^people cannot sign in with Example ID \(http:\S+\): \S/)
  assert.match(down?.fix ?? '', /signIn\.oidc\.issuer/)
})

test('doctor reports operators that closed passwords lock out', async (t) => {
  const { provider, dataDir, env, facts } = await start(t)
  provider.serve('https://cairn.example.org')
  {
    const context = { out: () => {}, err: () => {}, readInput: async () => '', env: {} }
    await using data = await openData(context, { dataDir }, { make: true })
    data.db.run(
      `INSERT INTO person (id, email, name, password, operator, created)
        VALUES ('p', 'ada@example.org', 'Ada', 'x', 1, 0)`,
    )
  }
  const lockedOut = async () =>
    (await facts()).problems.find(({ code }) => code === 'operators_locked_out')
  assert.equal(await lockedOut(), undefined)
  env['CAIRN_SIGN_IN_PASSWORD'] = 'false'
  assert.match(
    (await lockedOut())?.fix ?? '',
    /cairn people invite --operator --email ada@example\.org/,
  )
  {
    const context = { out: () => {}, err: () => {}, readInput: async () => '', env: {} }
    await using data = await openData(context, { dataDir }, { make: true })
    data.db.run('INSERT INTO identity (issuer, subject, person_id, created) VALUES (?, ?, ?, 0)', [
      provider.issuer,
      'a-1',
      'p',
    ])
  }
  assert.equal(await lockedOut(), undefined)
})
