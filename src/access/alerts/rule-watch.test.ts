import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRig } from '../../../test/fakes/people/usage-rig.ts'
import { type AlertRule, createAlertTargetRows } from './alert-targets.ts'
import { createRuleWatch, type RuleAlert } from './rule-watch.ts'

const errors: AlertRule = { measure: 'errors', above: 10, minutes: 5, key: null }
const minuteMs = 60_000

async function rig(rules: readonly AlertRule[]) {
  const made = createUsageRig()
  const targets = createAlertTargetRows(made)
  const keys = [{ id: 'k1', name: 'web' }]
  const set = (some: readonly AlertRule[], emails = ['ops@example.com']) =>
    targets.set('a', { emails, webhooks: [], rules: some })
  await set(rules)
  const sent: RuleAlert[] = []
  const start = () =>
    createRuleWatch({
      ...made,
      findAccount: async () => ({ name: 'acme', keys }),
      send: (alert) => void sent.push(alert),
      log: (_level, event) => assert.fail(event),
    })
  const watch = start()
  const checkRules = async (which = watch) => {
    await made.usage.flush()
    await which.check()
    return sent.splice(0)
  }
  const calls = (count: number, call: Parameters<typeof made.count>[0] = {}) => {
    for (let at = 0; at < count; at++) made.count(call)
  }
  const pass = (minutes: number) => made.clock.advance(minutes * minuteMs)
  return { ...made, watch, start, checkRules, calls, pass, set, keys }
}

test('an incident is one alert when it begins and one when it ends, at four fifths of the limit', async () => {
  const { checkRules, calls, pass, clock } = await rig([errors])
  calls(90)
  calls(10, { outcome: 'over_rate', status: 429 })
  assert.deepEqual(await checkRules(), [], 'exactly the limit breaks no rule')
  const since = clock.now()
  calls(1, { outcome: 'reverted' })
  const [opened, ...more] = await checkRules()
  assert.deepEqual(more, [])
  assert.partialDeepStrictEqual(opened, {
    accountId: 'a',
    accountName: 'acme',
    key: null,
    rule: errors,
    state: 'open',
    calls: 101,
    since,
  })
  assert.equal(opened?.value?.toFixed(2), '10.89')
  calls(10)
  assert.deepEqual(await checkRules(), [], 'below the limit, but not far enough')
  calls(5, { outcome: 'internal', status: 500 })
  assert.deepEqual(await checkRules(), [], 'above again: the same incident')
  calls(100)
  const [resolved] = await checkRules()
  assert.partialDeepStrictEqual(resolved, { state: 'resolved', since })
  pass(7)
  calls(20, { outcome: 'no_upstream', status: 503 })
  assert.deepEqual(
    (await checkRules()).map(({ state }) => state),
    ['open'],
  )
  pass(7)
  assert.partialDeepStrictEqual(await checkRules(), [{ state: 'resolved', value: null, calls: 0 }])
})

test('few calls break no rule, and calls before the window do not count', async () => {
  const { checkRules, calls, pass } = await rig([errors])
  calls(19, { outcome: 'internal', status: 500 })
  assert.deepEqual(await checkRules(), [])
  pass(7)
  calls(19, { outcome: 'internal', status: 500 })
  assert.deepEqual(await checkRules(), [])
})

test('failures on our side, the latency of one key, and all errors are rules of their own', async () => {
  const { checkRules, calls } = await rig([
    { measure: 'failed', above: 10, minutes: 5, key: null },
    { measure: 'p95', above: 100, minutes: 5, key: 'k1' },
    { measure: 'p99', above: 1000, minutes: 5, key: null },
    { measure: 'errors', above: 90, minutes: 5, key: 'gone' },
  ])
  calls(50, { outcome: 'bad_params', ms: 200 })
  calls(50, { keyId: 'k2', ms: 1 })
  const found = await checkRules()
  assert.deepEqual(
    found.map(({ rule, key, calls: counted }) => [rule.measure, key?.name, counted]),
    [['p95', 'web', 50]],
  )
  calls(20, { outcome: 'no_upstream', status: 503, ms: 2000 })
  assert.deepEqual(
    (await checkRules()).map(({ rule }) => rule.measure),
    ['failed', 'p99'],
  )
})

test('an incident is sent once by several processes, and after a restart', async () => {
  const { checkRules, calls, start } = await rig([errors])
  const other = start()
  calls(30, { outcome: 'internal', status: 500 })
  assert.equal((await checkRules()).length, 1)
  assert.deepEqual(await checkRules(other), [])
  assert.deepEqual(await checkRules(start()), [])
})

test('a rule that was removed or changed leaves no incident, and without recipients nothing is checked', async () => {
  const { checkRules, calls, set, db } = await rig([errors])
  const incidents = () => db.all('SELECT what FROM alert_incident') as unknown[]
  calls(30, { outcome: 'internal', status: 500 })
  await set([errors], [])
  assert.deepEqual(await checkRules(), [])
  await set([errors])
  assert.equal((await checkRules()).length, 1)
  assert.deepEqual(incidents(), [{ what: 'errors > 10 in 5 min' }])
  await set([{ ...errors, above: 50 }])
  assert.deepEqual(
    (await checkRules()).map(({ state, rule }) => [state, rule.above]),
    [['open', 50]],
  )
  assert.deepEqual(incidents(), [{ what: 'errors > 50 in 5 min' }])
})

test('an incident ends when its key is revoked, and when no recipient is left', async () => {
  const ofKey = { ...errors, key: 'k1' }
  const { checkRules, calls, set, keys, db } = await rig([errors, ofKey])
  const incidents = () => db.all('SELECT what FROM alert_incident ORDER BY what') as unknown[]
  calls(30, { keyId: 'k1', outcome: 'internal', status: 500 })
  assert.equal((await checkRules()).length, 2)
  keys.pop()
  await checkRules()
  assert.deepEqual(incidents(), [{ what: 'errors > 10 in 5 min' }])
  await set([errors, ofKey], [])
  await checkRules()
  assert.deepEqual(incidents(), [])
})

test('rules of many accounts are checked in one round', async () => {
  const { checkRules, calls, db, usage } = await rig([errors])
  for (let at = 0; at < 450; at++) {
    const id = `b${String(at).padStart(3, '0')}`
    db.run('INSERT INTO account (id, name, created) VALUES (?1, ?1, 0)', [id])
    db.run(`INSERT INTO alert_targets VALUES (?, '["ops@example.com"]', '[]', ?)`, [
      id,
      JSON.stringify([errors]),
    ])
  }
  calls(30, { outcome: 'internal', status: 500 })
  calls(30, { accountId: 'b449', keyId: 'k9', outcome: 'internal', status: 500 })
  await usage.flush()
  assert.deepEqual(
    (await checkRules()).map(({ accountId }) => accountId),
    ['a', 'b449'],
  )
})
