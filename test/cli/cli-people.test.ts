// `cairn people`, `cairn audit` and `cairn init --link`, on a data folder and on a server with a token.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import type { Prompts } from '../../src/cli/prompts.ts'
import { firstPerson, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { startCairn } from '../started-server.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-people-'))
after(() => rmSync(root, { recursive: true }))
let folders = 0

type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** Runs a command line on a new data folder. Later command lines use the same folder. */
function openFolder(env: Record<string, string> = {}) {
  const dataDir = join(root, String((folders += 1)))
  async function run(
    line: string,
    { input = '', openQuestions }: { input?: string; openQuestions?: () => Prompts } = {},
  ): Promise<Ran> {
    let out = ''
    let err = ''
    const args = [...line.split(' '), '--data-dir', dataDir]
    const code = await runProgram(args, {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => input,
      env,
      ...(openQuestions === undefined ? {} : { openQuestions }),
    })
    return { code, out, err }
  }
  async function json(line: string): Promise<Record<string, unknown>> {
    const { code, out, err } = await run(`${line} --json`)
    assert.equal(code, 0, err)
    return JSON.parse(out) as Record<string, unknown>
  }
  return { dataDir, run, json }
}

test('the link for the first operator can be printed again, and each new link invalidates the previous one', async () => {
  const { dataDir, run, json } = openFolder()
  const { link: first } = await json('init --link')
  const { out } = await run('init --link')
  assert.match(
    out,
    /^One-time link for the first operator, valid until 20.*Z:\n {2}http:\/\/127\.0\.0\.1:8545\/dashboard\/welcome#cairnt_live_/,
  )
  const cairn = await startCairn({ dataDir })
  try {
    const params = { link: new URL(String(first)).hash.slice(1) }
    const { code } = await openAdminClient(cairn.url).ask('POST', '/welcome/look', params)
    assert.equal(code, 'link_over')
    // Created by another process while the server runs.
    const { link } = await json('init --link')
    await takeFirstRun({ url: cairn.url, firstRunLink: String(link) })
    const refused = await run('init --link')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /an operator already exists: cairn people invite --operator/)
  } finally {
    await cairn.stop()
  }
})

test('people are invited and reset at the command line, and every step is in the audit log', async () => {
  const { dataDir, run, json } = openFolder()
  await json('accounts create team')
  assert.match((await run('people list')).out, /^No people\. "cairn init --link"/)
  const { link } = await json('people invite --operator --email Ada@example.org')
  const cairn = await startCairn({ dataDir })
  try {
    const page = await takeFirstRun({ url: cairn.url, firstRunLink: String(link) })
    await json('people join team ada@example.org --role owner')
    const members = (await json('people members team'))['members'] as { role: string }[]
    assert.equal(members[0]?.role, 'owner')
    const alone = await run('people leave team ada@example.org')
    assert.match(alone.err, /last owner/)
    await json('people leave team ada@example.org --ownerless')
    const last = await run('people disable ada@example.org')
    assert.match(last.err, /last operator who can sign in/)

    const set = await run('people password ada@example.org', { input: 'another stone there\n' })
    assert.equal(set.code, 0, set.err)
    assert.equal((await page.ask('GET', '/me')).code, 'signed_out')
    const again = { email: firstPerson.email, password: 'another stone there' }
    assert.equal((await page.ask('POST', '/session', again)).status, 200)
    await json('people sign-out ada@example.org')
    assert.equal((await page.ask('GET', '/me')).code, 'signed_out')
    await json('people reset-totp ada@example.org')

    const { records } = (await json('audit')) as {
      records: { action: string; actorName: string }[]
    }
    assert.deepEqual(
      records.map(({ action, actorName }) => `${action} ${actorName}`),
      [
        'resetTotp local',
        'endSessionsOf local',
        'signIn ada@example.org',
        'setPassword local',
        'removeMember local',
        'changeMember local',
        'addMember local',
        'signUpByInvitation ada@example.org',
        'inviteAnyone local',
        'createAccount local',
      ],
    )
    const listed = async (filter: string) =>
      ((await json(`audit ${filter}`))['records'] as { action: string }[]).map(
        ({ action }) => action,
      )
    assert.deepEqual(await listed('--account team --limit 2'), ['removeMember', 'changeMember'])
    const own = ['signIn', 'signUpByInvitation']
    assert.deepEqual(await listed('--who Ada@example.org'), own)
    assert.deepEqual(await listed('--who Ada@example.org --what signIn,addMember'), ['signIn'])
    assert.deepEqual(await listed('--text TOTP'), ['resetTotp'])
    assert.deepEqual(await listed('--account team --who local --text owner'), [
      'removeMember',
      'addMember',
    ])
    assert.deepEqual(await listed('--until 2020-01-31'), [])
    assert.equal((await listed('--since 2020-01-31T15:00Z')).length, 10)
    const left = await run('audit --account team --who ada@example.org')
    assert.match(left.err, /the account has no member "ada@example\.org"/)
  } finally {
    await cairn.stop()
  }
})

test('a password at the terminal is entered twice and never shown', async () => {
  const { dataDir, run, json } = openFolder()
  const { link } = await json('people invite --operator')
  const cairn = await startCairn({ dataDir })
  await takeFirstRun({ url: cairn.url, firstRunLink: String(link) })
  await cairn.stop()
  const person = (answers: string[]) => () => ({
    ask: async () => assert.fail('a password is not shown'),
    askHidden: async () => answers.shift() ?? '',
    close: () => {},
  })
  const line = 'people password ada@example.org'
  const differ = await run(line, { openQuestions: person(['another stone there', 'other']) })
  assert.equal(differ.code, 2)
  assert.match(differ.err, /do not match: nothing was changed/)
  const weak = await run(line, { openQuestions: person(['short', 'short']) })
  assert.match(weak.err, /10 to 256 characters/)
  const twice = ['another stone there', 'another stone there']
  assert.equal((await run(line, { openQuestions: person(twice) })).code, 0)
})

test('the same commands administer a remote server with a token', async () => {
  const cairn = await startCairn()
  try {
    const page = await takeFirstRun(cairn)
    const order = { name: 'cli', role: 'operator', expires: null }
    const { body } = await page.ask('POST', '/me/tokens', order)
    const { run, json } = openFolder({ CAIRN_TOKEN: String(body['text']) })
    const at = `--url ${cairn.url}`
    const { people } = (await json(`people list ${at}`)) as { people: { email: string }[] }
    assert.deepEqual(
      people.map(({ email }) => email),
      [firstPerson.email],
    )
    const { link } = await json(`people invite --new-account acme ${at}`)
    assert.equal(new URL(String(link)).origin, cairn.url)
    const { invitations } = (await json(`people invitations ${at}`)) as {
      invitations: { id: string }[]
    }
    await json(`people withdraw ${invitations[0]?.id} ${at}`)
    const refused = await run(`people password ada@example.org ${at}`, {
      input: 'another stone there\n',
    })
    assert.match(
      refused.err,
      /a password is set by its person, or at the command line of the server/,
    )
    const wrong = openFolder({ CAIRN_TOKEN: `${String(body['text']).slice(0, -1)}!` })
    assert.match((await wrong.run(`people list ${at}`)).err, /sign-in required/)
  } finally {
    await cairn.stop()
  }
})

test('contradictory options are refused as wrong usage', async () => {
  const { run } = openFolder()
  for (const [line, says] of [
    ['people invite', /no account: add/],
    ['people invite --account a --new-account b', /use either/],
    ['people invite --operator --role owner', /use either/],
    ['people invite --new-account b --role king', /owner or member/],
    ['audit --limit 0', /1 to 500/],
    ['audit --since yesterday', /--since is "yesterday", expected a UTC date/],
  ] as const) {
    const { code, err } = await run(line)
    assert.equal(code, 2, line)
    assert.match(err, says)
  }
  await run('people invite --operator')
  assert.match((await run('people show unknown@example.org')).err, /unknown person/)
  const misspelt = await run('audit --what createKey,changeKye')
  assert.match(misspelt.err, /"changeKye" is no operation.*did you mean "changeKey"\?/)
})
