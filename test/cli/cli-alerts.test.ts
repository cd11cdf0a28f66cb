// `cairn alerts` on a data folder, whose running server applies the rules, and through the API with a token.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { startCairn } from '../started-server.ts'

test('rules and recipients are listed, added and removed, and the running server has them', async (t) => {
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const run = async (line: string, env: Record<string, string> = {}) => {
    let out = ''
    let err = ''
    const at = env['CAIRN_TOKEN'] === undefined ? ['--data-dir', cairn.dataDir] : []
    const code = await runProgram(['alerts', ...line.split(' '), ...at], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => '',
      env,
    })
    return { code, out, err }
  }
  const none = await run('list default')
  assert.equal(none.code, 0, none.err)
  assert.match(none.out, /^No rules: "cairn alerts add" adds one\.\nNo recipients: /)
  await run('add default --measure errors --above 5')
  const { out } = await run('add default --measure p95 --above 500 --minutes 15')
  assert.match(out, /^1 +errors > 5 in 5 min +ok\n2 +p95 > 500 in 15 min +ok$/m)
  await run('send-to default --email ops@example.org --email dev@example.org')
  assert.match(
    (await run('remove default 1')).out,
    /^1 +p95 .*\nSent to ops@example\.org, dev@example\.org\nNo mail is sent: set a mail server in mail\.url\.$/m,
  )

  const page = await takeFirstRun(cairn)
  const order = { name: 'cli', role: 'operator', expires: null }
  const { body } = await page.ask('POST', '/me/tokens', order)
  const remote = { CAIRN_TOKEN: String(body['text']) }
  const shown = await run(`list default --json --url ${cairn.url}`, remote)
  const alerts = JSON.parse(shown.out) as { emails: string[]; rules: object[]; secret: string }
  assert.deepEqual(
    [alerts.emails, alerts.rules],
    [
      ['ops@example.org', 'dev@example.org'],
      [{ measure: 'p95', above: 500, minutes: 15, key: null, since: null }],
    ],
  )
  const local = JSON.parse((await run('list default --json')).out) as { secret: string }
  assert.equal(local.secret, alerts.secret)

  for (const [line, code, says] of [
    ['add default --measure p50 --above 5', 2, /errors, failed, p95, p99/],
    ['add default --measure errors --above many', 2, /--above is "many", expected a number/],
    ['add default --measure errors --above 100', 1, /a share of 100 % is never exceeded/],
    ['add default --measure errors --above 5 --key none', 1, /the account has no key with this id/],
    ['remove default 2', 2, /the number of the rule is "2", expected 1 to 1/],
    ['list unknown', 1, /unknown account "unknown"/],
  ] as const) {
    const refused = await run(line)
    assert.equal(refused.code, code, `${line}: ${refused.err}`)
    assert.match(refused.err, says, line)
  }
})
