// Audit log through the admin API: old and new values of each change, names, filters, pages, exports, and no secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminCall } from '../../src/admin/admin-operation.ts'
import { auditedActions } from '../../src/admin/index.ts'
import { addMember } from '../../src/admin/resources/members/add-member.ts'
import { changeAccount } from '../../src/admin/resources/accounts/change-account.ts'
import { changeAlerts } from '../../src/admin/resources/alerts/change-alerts.ts'
import { changeKey } from '../../src/admin/resources/keys/change-key.ts'
import { changeMember } from '../../src/admin/resources/members/change-member.ts'
import { changePerson } from '../../src/admin/resources/people/change-person.ts'
import { createAccount } from '../../src/admin/resources/accounts/create-account.ts'
import { createKey } from '../../src/admin/resources/keys/create-key.ts'
import { exportAllAudit } from '../../src/admin/resources/audit/export-all-audit.ts'
import { inviteAnyone } from '../../src/admin/resources/invitations/invite-anyone.ts'
import { listAllAudit } from '../../src/admin/resources/audit/list-all-audit.ts'
import { listAudit } from '../../src/admin/resources/audit/list-audit.ts'
import { markCard } from '../../src/admin/resources/cards/mark-card.ts'
import { removeMember } from '../../src/admin/resources/members/remove-member.ts'
import { revokeKey } from '../../src/admin/resources/keys/revoke-key.ts'
import { rotateKey } from '../../src/admin/resources/keys/rotate-key.ts'
import { setProvide } from '../../src/admin/resources/accounts/set-provide.ts'
import { signUpByInvitation } from '../../src/admin/resources/invitations/sign-up-by-invitation.ts'
import type { AlertSettings } from '../../src/access/alerts/alert-targets.ts'
import type { AlertsView } from '../../src/admin/resources/alerts/alerts-view.ts'
import { openDesk, person } from '../fakes/people/admin-desk.ts'
import { goodPassword as password } from '../fakes/people/identity.ts'

async function openLog(more: Parameters<typeof openDesk>[0] = {}) {
  const desk = openDesk(more)
  const { run, identity } = desk
  const { account } = await run(createAccount, { name: 'team' })
  const newest = async () => {
    const [record] = await identity.audit.list({ limit: 1 })
    assert.ok(record !== undefined)
    const { action, target, targetName, previous, changes } = record
    return { action, target, targetName, previous, changes }
  }
  /** Signs up a person by invitation. */
  const join = async (email: string) => {
    const { link } = await run(inviteAnyone, { role: 'member', accountId: account.id })
    const signed = { link, email, name: email.split('@')[0] ?? '', password }
    return (await run(signUpByInvitation, signed, null)).person.id
  }
  return { ...desk, account: account.id, newest, join }
}

test('a changed key has the old and the new value of each setting that differs, and its name', async () => {
  const { run, account, newest } = await openLog()
  const { key } = await run(createKey, { account, name: 'indexer' })
  const settings = { unitsPerDay: 5, allowMethods: ['eth_chainId'], devMethods: false }
  await run(changeKey, { account, key: key.id, name: 'indexer-2', settings })
  assert.deepEqual(await newest(), {
    action: 'changeKey',
    target: key.id,
    targetName: 'indexer-2',
    previous: { name: 'indexer', unitsPerDay: null, allowMethods: [] },
    changes: { name: 'indexer-2', unitsPerDay: 5, allowMethods: ['eth_chainId'] },
  })
  await run(changeKey, { account, key: key.id, settings })
  const unchanged = await newest()
  assert.deepEqual([unchanged.previous, unchanged.changes], [{}, {}])
  await run(rotateKey, { account, key: key.id, overlapMs: 1_000 })
  assert.deepEqual(
    [(await newest()).targetName, (await newest()).changes['overlapMs']],
    ['indexer-2', 1_000],
  )
  await run(revokeKey, { account, key: key.id })
  const revoked = await newest()
  assert.deepEqual(revoked.previous?.['revoked'], null)
  assert.equal(typeof revoked.changes['revoked'], 'number')
})

test('limits, readers and card of an account have their values before and after', async () => {
  const desk = await openLog()
  const { run, account, newest } = desk
  await run(changeAccount, { account, name: 'crew', settings: { filesStoredBytes: 1_000 } })
  assert.deepEqual(await newest(), {
    action: 'changeAccount',
    target: account,
    targetName: 'crew',
    previous: { name: 'team', filesStoredBytes: null },
    changes: { name: 'crew', filesStoredBytes: 1_000 },
  })
  await run(setProvide, { account, provide: 'roots' })
  assert.deepEqual(
    [(await newest()).previous, (await newest()).changes],
    [{ provide: 'none' }, { provide: 'roots' }],
  )
  const { hasCard } = await desk.accounts.getAccountById(account)
  await run(markCard, { account, hasCard: !hasCard })
  assert.deepEqual(
    [(await newest()).previous, (await newest()).changes],
    [{ hasCard }, { hasCard: !hasCard }],
  )
})

test('roles of members and rights of people have their values before and after, with the name', async () => {
  const { run, account, newest, join } = await openLog()
  const ada = await join('ada@example.org')
  const { account: other } = await run(createAccount, { name: 'other' })
  await run(addMember, { account: other.id, email: 'ada@example.org', role: 'member' })
  const named = { target: ada, targetName: 'ada' }
  assert.deepEqual(await newest(), {
    ...named,
    action: 'addMember',
    previous: {},
    changes: { role: 'member' },
  })
  await run(changeMember, { account, person: ada, role: 'owner' })
  assert.deepEqual(await newest(), {
    ...named,
    action: 'changeMember',
    previous: { role: 'member' },
    changes: { role: 'owner' },
  })
  await run(removeMember, { account: other.id, person: ada })
  assert.deepEqual(await newest(), {
    ...named,
    action: 'removeMember',
    previous: { role: 'member' },
    changes: {},
  })
  await run(changePerson, { person: ada, isOperator: true })
  assert.deepEqual(
    [(await newest()).previous, (await newest()).changes],
    [{ isOperator: false }, { isOperator: true }],
  )
})

test('a webhook is recorded by its origin: its path and its credentials are secrets', async () => {
  let targets: AlertSettings = {
    emails: [],
    webhooks: ['https://old.example.org/planted-1?key=planted-2'],
    rules: [],
  }
  const alerts: AlertsView = {
    get: async () => targets,
    set: async (_account, next) => {
      targets = next
    },
    incidents: async () => [],
    secretOf: () => 'planted-3',
    sendsMail: () => false,
    validate: () => {},
    test: null,
  }
  const { run, account, newest, identity } = await openLog({ alerts })
  const webhooks = ['https://planted-4:planted-5@new.example.org/planted-6']
  const rules = [{ measure: 'errors', above: 5, minutes: 15, key: null }] as const
  await run(changeAlerts, { account, emails: ['ops@example.org'], webhooks, rules })
  const { previous, changes } = await newest()
  assert.deepEqual(previous, { emails: [], webhooks: ['https://old.example.org'], rules: [] })
  assert.deepEqual(changes, {
    emails: ['ops@example.org'],
    webhooks: ['https://new.example.org'],
    rules: ['errors > 5 in 15 min'],
  })
  assert.doesNotMatch(JSON.stringify(await identity.audit.list({ limit: 100 })), /planted/)
})

test('the log is filtered by person, operation, account and time, page by page', async () => {
  const { run, account, clock, refusal } = await openLog()
  const owner = person({ [account]: 'owner' })
  for (const name of ['one', 'two', 'three']) {
    clock.advance(1_000)
    await run(createKey, { account, name }, owner)
  }
  clock.advance(1_000)
  const { account: other } = await run(createAccount, { name: 'other' })
  const list = async (sent: Readonly<Record<string, unknown>>) =>
    (await run(listAllAudit, sent)).records.map(({ targetName }) => targetName)
  assert.deepEqual(await list({}), ['other', 'three', 'two', 'one', 'team'])
  assert.deepEqual(await list({ actor: 'p' }), ['three', 'two', 'one'])
  assert.deepEqual(await list({ actor: 'local', actions: 'createAccount,createKey' }), [
    'other',
    'team',
  ])
  assert.deepEqual(await list({ account: other.id }), ['other'])
  const { records } = await run(listAllAudit, { actor: 'p', limit: '2' })
  const next = { actor: 'p', before: String(records.at(-1)?.id), limit: '2' }
  assert.deepEqual(await list(next), ['one'])
  const from = records.at(-1)?.time
  assert.deepEqual(await list({ from, until: Number(from) + 1_000 }), ['two'])
  const own = await run(listAudit, { account, actions: 'createKey' }, owner)
  assert.equal(own.records.length, 3)
  assert.match(await refusal(listAllAudit, { actions: 'a b' }), /^bad_input: actions: expected IDs/)
  for (const operation of [listAllAudit, exportAllAudit]) {
    assert.match(
      await refusal(operation as typeof listAllAudit, { actions: 'createKey,changeKye' }),
      /^bad_input: actions: "changeKye" is no operation that changes anything: did you mean "changeKey"\?$/,
    )
  }
  // Reads are not recorded. Records of earlier versions keep the earlier name of an operation.
  assert.match(await refusal(listAllAudit, { actions: 'listKeys' }), /"listKeys" is no operation/)
  assert.deepEqual(await list({ actions: 'takeInvitationAsNew,applySignInRule' }), [])
  // PostgreSQL refuses a text with NUL.
  assert.match(await refusal(listAllAudit, { actor: 'p\0' }), /^bad_input: actor: contains a NUL/)
  assert.match(await refusal(listAudit, { account: other.id }, owner), /^(absent|not_allowed)/)
})

test('the log is searched for texts in names, operations, and old and new values', async () => {
  const { run, account, clock, refusal } = await openLog()
  const { key } = await run(createKey, { account, name: 'Crème_50%' })
  clock.advance(1_000)
  await run(changeKey, { account, key: key.id, name: 'web', settings: { unitsPerDay: 15_000 } })
  await run(setProvide, { account, provide: 'roots' }, person({ [account]: 'owner' }))
  const list = async (text: string, more: object = {}) =>
    (await run(listAllAudit, { text, ...more })).records.map(({ action }) => action)
  assert.deepEqual(await list('SETPROV'), ['setProvide'])
  assert.deepEqual(await list('15000'), ['changeKey'])
  assert.deepEqual(await list(key.id), ['changeKey', 'createKey'])
  assert.deepEqual(await list('Crème'), ['changeKey', 'createKey'])
  assert.deepEqual(await list('nothing\n roots \nunitsPerDay\n'), ['setProvide', 'changeKey'])
  assert.deepEqual(await list('local'), ['changeKey', 'createKey', 'createAccount'])
  assert.deepEqual(await list('local', { limit: 1 }), ['changeKey'])
  assert.deepEqual(await list('local', { actions: 'createKey' }), ['createKey'])
  // `%` is not a wildcard.
  assert.deepEqual(await list('%'), ['changeKey', 'createKey'])
  assert.deepEqual(await list('e_5'), ['changeKey', 'createKey'])
  assert.deepEqual(await list('C_è'), [])
  const own = await run(listAudit, { account, text: 'team' }, person({ [account]: 'owner' }))
  assert.deepEqual(
    own.records.map(({ action }) => action),
    ['setProvide', 'createAccount'],
  )
  assert.match(await refusal(listAllAudit, { text: ' \n ' }), /^bad_input: text: expected a text/)
  const many = Array.from({ length: 21 }, () => 'a').join('\n')
  assert.match(await refusal(listAllAudit, { text: many }), /^bad_input: text: at most 20 lines/)
})

test('an export contains the filtered records as CSV or JSON, and runs no formula in a spreadsheet', async () => {
  const { run, account, identity } = await openLog()
  const { key } = await run(createKey, { account, name: '=1+1' })
  await run(changeKey, { account, key: key.id, settings: { unitsPerDay: 5 } })
  const exported = async (sent: Readonly<Record<string, unknown>>) =>
    await exportAllAudit.run(exportAllAudit.input.parse(sent), {
      identity,
      auditedActions,
    } as AdminCall)
  const csv = await exported({ actions: 'changeKey,createKey' })
  assert.deepEqual([csv.type, csv.fileName], ['text/csv', 'audit.csv'])
  const lines = csv.text.split('\r\n')
  assert.equal(
    lines[0],
    'id,time,actor,actorName,accountId,action,target,targetName,previous,changes',
  )
  assert.equal(lines.length, 4)
  assert.match(
    lines[1] ?? '',
    /,changeKey,[^,]+,'=1\+1,"{""unitsPerDay"":null}","{""unitsPerDay"":5}"$/,
  )
  const json = await exported({ form: 'json', actions: 'changeKey' })
  const { records } = JSON.parse(json.text) as { records: Record<string, unknown>[] }
  assert.equal(records.length, 1)
  assert.match(String(records[0]?.['time']), /^\d{4}-\d\d-\d\dT/)
})

test('an export continues page after page up to its limit', async () => {
  const { identity } = await openLog()
  for (let at = 0; at < 2_100; at += 1) {
    const entry = { actor: 'local', accountId: null, target: `t${at}`, changes: {} } as const
    await identity.audit.record({ ...entry, action: 'createKey' })
  }
  const { text } = await exportAllAudit.run(
    exportAllAudit.input.parse({ form: 'json', actions: 'createKey' }),
    { identity, auditedActions } as AdminCall,
  )
  const { records } = JSON.parse(text) as { records: { target: string }[] }
  assert.deepEqual(
    [records.length, records[0]?.target, records.at(-1)?.target],
    [2_100, 't2099', 't0'],
  )
  // This many texts are searched in a part of the table at a time.
  const texts = ['t1777', 't3', ...Array.from({ length: 18 }, (_, at) => `none ${at}`)]
  const found = await identity.audit.list({ texts, limit: 113 })
  assert.deepEqual(
    [found.length, found[0]?.target, found[1]?.target, found.at(-1)?.target],
    [112, 't1777', 't399', 't3'],
  )
})
