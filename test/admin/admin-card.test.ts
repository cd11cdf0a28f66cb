// Billing cards through the admin operations: the permissions of each role.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cards, CardStatus } from '../../src/access/cards/cards.ts'
import { beginCard } from '../../src/admin/resources/cards/begin-card.ts'
import { getCard } from '../../src/admin/resources/cards/get-card.ts'
import { markCard } from '../../src/admin/resources/cards/mark-card.ts'
import { refreshCard } from '../../src/admin/resources/cards/refresh-card.ts'
import { removeCard } from '../../src/admin/resources/cards/remove-card.ts'
import { openDesk, person } from '../fakes/people/admin-desk.ts'

const face = { brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2030 }
const onFile: CardStatus = {
  adapter: 'stripe',
  state: 'on-file',
  opensFiles: true,
  card: face,
  asOf: 1,
}
const cards = {
  adapter: 'stripe',
  status: () => onFile,
  refresh: async () => onFile,
  remove: async () => ({ ...onFile, state: 'missing', opensFiles: false, card: null }),
} as unknown as Cards

test('members see that a card exists; owners and operators see its details', async () => {
  const desk = openDesk({ cards })
  const { id: account } = await desk.accounts.createAccount('acme')
  const asMember = await desk.run(getCard, { account }, person({ [account]: 'member' }))
  assert.deepEqual([asMember.state, asMember.card], ['on-file', null])
  assert.deepEqual(
    (await desk.run(getCard, { account }, person({ [account]: 'owner' }))).card,
    face,
  )
  assert.deepEqual((await desk.run(getCard, { account }, person({}, true))).card, face)
})

test('only owners add and remove cards, only operators mark them, and other accounts are absent', async () => {
  const desk = openDesk({ cards })
  const { id: account } = await desk.accounts.createAccount('acme')
  const member = person({ [account]: 'member' })
  const owner = person({ [account]: 'owner' })
  const stranger = person({ other: 'owner' })
  const attempt = '6a7c1a3e-3d0f-4b8e-9d8b-0f5a1a2b3c4d'
  for (const [operation, sent] of [
    [beginCard, { account, attempt }],
    [refreshCard, { account }],
    [removeCard, { account }],
  ] as const) {
    const refusal = (actor: typeof owner) =>
      desk.refusal(operation as typeof removeCard, sent, actor)
    assert.match(await refusal(member), /^not_allowed/)
    assert.match(await refusal(stranger), /^absent/)
  }
  const marked = { account, hasCard: true }
  assert.match(await desk.refusal(markCard, marked, owner), /^not_allowed/)
  await desk.run(markCard, marked, person({}, true))
  assert.equal((await desk.accounts.getAccount('acme')).hasCard, true)
  assert.match((await desk.run(removeCard, { account }, owner)).next ?? '', /^Add a card/)
})

test('an attempt ID must be a UUID', async () => {
  const desk = openDesk({ cards })
  const { id: account } = await desk.accounts.createAccount('acme')
  assert.match(await desk.refusal(beginCard, { account, attempt: '1' }), /^bad_input: attempt/)
  const more = { account, attempt: '6a7c1a3e-3d0f-4b8e-9d8b-0f5a1a2b3c4d', number: '4242' }
  assert.match(await desk.refusal(beginCard, more), /^bad_input/)
})
