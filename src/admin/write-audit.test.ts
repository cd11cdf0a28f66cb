import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk, person } from '../../test/fakes/people/admin-desk.ts'
import { changeKey } from './resources/keys/change-key.ts'
import { createAccount } from './resources/accounts/create-account.ts'
import { createKey } from './resources/keys/create-key.ts'
import { listAccounts } from './resources/accounts/list-accounts.ts'
import { signIn } from './resources/session/sign-in.ts'

const { run, identity, accounts, refusal } = openDesk()
const newest = async () => (await identity.audit.list({ limit: 1 }))[0]

test('a change is recorded with its author, address, target and new state', async () => {
  const { id: account } = await accounts.createAccount('audited')
  const owner = person({ [account]: 'owner' })
  const { key, apiKey, apiKeySecret } = await run(createKey, { account, name: 'web' }, owner)
  const created = await newest()
  assert.deepEqual(
    [created?.actor, created?.actorName, created?.accountId, created?.action, created?.target],
    ['p', 'someone@example.com', account, 'createKey', key.id],
  )
  assert.equal(created?.changes['name'], 'web')
  const settings = { secretRequired: true, unitsPerDay: 5, allowMethods: ['eth_chainId'] }
  await run(changeKey, { account, key: key.id, settings })
  assert.deepEqual([(await newest())?.actor, (await newest())?.target], ['local', key.id])
  assert.deepEqual((await newest())?.changes, settings)
  const text = JSON.stringify(await identity.audit.list({ limit: 100 }))
  assert.ok(!text.includes(apiKey) && !text.includes(apiKeySecret))
})

test('an imported key and its secret are not written down', async () => {
  const { id: account } = await accounts.createAccount('importing')
  const imported = {
    apiKey: '9aa3d95b3bc440fa88ea12eaa4456161',
    apiKeySecret: 'secret-of-others',
  }
  await run(createKey, { account, name: 'old', imported })
  const text = JSON.stringify(await newest())
  assert.ok(text.includes('"old"') && !text.includes('9aa3d95b') && !text.includes('of-others'))
})

test('what made an account is found by the account', async () => {
  const { account } = await run(createAccount, { name: 'fresh' })
  assert.equal((await newest())?.accountId, account.id)
})

test('reads and refused operations leave no row', async () => {
  const before = (await newest())?.id
  await run(listAccounts, {})
  await refusal(createAccount, { name: 'no spaces' })
  await refusal(signIn, { email: 'unknown@example.org', password: 'planted-password' }, null)
  assert.equal((await newest())?.id, before)
})
