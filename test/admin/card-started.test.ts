// Cards on a started server, with a fake payment provider on loopback: forms, webhook events, the IPFS API, the command line.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openAdminAccess } from '../../src/cli/admin-access.ts'
import { type FakeStripe, type SignedNotice, startFakeStripe } from '../fakes/people/fake-stripe.ts'
import { type Started, startCairn } from '../started-server.ts'

const settingsOf = (stripe: FakeStripe): Record<string, string> => ({
  CAIRN_CARD_ADAPTER: 'stripe',
  CAIRN_CARD_STRIPE_SECRET_KEY: stripe.secretKey,
  CAIRN_CARD_STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
  CAIRN_CARD_STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
  CAIRN_CARD_STRIPE_API_URL: stripe.url,
})

function post(
  url: string,
  body: Uint8Array,
  signatures: readonly string[],
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    // Not a loopback name: the provider calls the webhook by the public name.
    const headers: Record<string, string | string[]> = { host: 'cairn.example.com' }
    if (signatures.length > 0) headers['stripe-signature'] = [...signatures]
    const sending = httpRequest(`${url}/hooks/stripe`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

async function team(cairn: Started): Promise<{ version: () => Promise<Response>; id: string }> {
  const { account } = (await cairn.cli('accounts', 'create', 'team', '--no-card')) as {
    account: { id: string }
  }
  const { apiKey, apiKeySecret } = await cairn.cli('keys', 'create', '--account', 'team')
  const authorization = `Basic ${btoa(`${String(apiKey)}:${String(apiKeySecret)}`)}`
  return {
    id: account.id,
    version: () =>
      fetch(`${cairn.url}/api/v0/version`, { method: 'POST', headers: { authorization } }),
  }
}

/** Admin operations on the folder of `cairn`, as its owner. */
async function openLocal(t: TestContext, cairn: Started, env: Record<string, string>) {
  const context = { out: () => {}, err: () => {}, readInput: async () => '', env }
  const admin = await openAdminAccess(context, { dataDir: cairn.dataDir })
  t.after(() => admin[Symbol.asyncDispose]())
  return admin
}

test('a card enables the IPFS API when its webhook event arrives, and its removal disables the API', async (t) => {
  const stripe = await startFakeStripe(t)
  const env = settingsOf(stripe)
  const cairn = await startCairn({ env })
  try {
    const { id, version } = await team(cairn)
    const refused = await version()
    assert.equal(refused.status, 402)
    assert.match(
      await refused.text(),
      /^\{"Message":"billing card required: add a card to the account to use the file network at http:\S+\/dashboard\/card","Code":0,"Type":"error"\}\n$/,
    )
    const admin = await openLocal(t, cairn, env)
    const form = await admin.call('POST /accounts/{account}/card/forms', {
      account: id,
      attempt: randomUUID(),
    })
    assert.deepEqual(Object.keys(form).toSorted(), ['clientSecret', 'publishableKey'])
    const [formId = ''] = stripe.forms.keys()
    stripe.fillIn(formId, { last4: '4444' })
    const notices = stripe.takeEvents().map((event) => stripe.sign(event, Date.now()))
    for (const { body, signature } of notices) {
      const { status, text } = await post(cairn.url, body, [signature])
      assert.deepEqual([status, text], [200, '{"received":true}'])
    }
    assert.equal((await version()).status, 200)

    const shown = await cairnCli(cairn, env, 'show')
    assert.partialDeepStrictEqual(shown, {
      account: 'team',
      hasCard: true,
      state: 'on-file',
      card: { brand: 'visa', last4: '4444', expiryMonth: 12, expiryYear: 2030 },
    })
    assert.equal(
      (await admin.call('DELETE /accounts/{account}/card', { account: id })).state,
      'missing',
    )
    while ((await version()).status !== 402);
    const { next } = await cairnCli(cairn, env, 'refresh')
    assert.match(String(next), /^Add a card/)
  } finally {
    await cairn.stop()
  }
})

async function cairnCli(cairn: Started, env: Record<string, string>, verb: 'show' | 'refresh') {
  // The command reads the same settings as the server.
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
  Object.assign(process.env, env)
  try {
    return await cairn.cli('card', verb, 'team')
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

test('the webhook refuses forged, stale and oversized events, duplicate headers, and methods other than POST', async (t) => {
  const stripe = await startFakeStripe(t)
  const cairn = await startCairn({ env: settingsOf(stripe) })
  try {
    const event = { id: 'evt_1', type: 'customer.updated', data: { object: {} } }
    const good = stripe.sign(event, Date.now())
    const statusOf = async ({ body, signature }: SignedNotice) =>
      (await post(cairn.url, body, [signature])).status
    assert.equal(await statusOf(good), 200)
    assert.equal(await statusOf(stripe.sign(event, Date.now(), 'whsec_of_another')), 400)
    assert.equal(await statusOf(stripe.sign(event, Date.now() - 3_600_000)), 400)
    assert.equal(
      await statusOf({ ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) }),
      400,
    )
    assert.equal(await statusOf(stripe.sign([1], Date.now())), 400)
    assert.equal((await post(cairn.url, good.body, [])).status, 400)
    assert.equal((await post(cairn.url, good.body, [good.signature, good.signature])).status, 400)
    const long = stripe.sign({ ...event, pad: 'x'.repeat(262_144) }, Date.now())
    assert.equal(await statusOf(long), 413)
    assert.equal((await post(cairn.url, Buffer.alloc(0), [], 'GET')).status, 405)
    assert.deepEqual(stripe.requests, [])
  } finally {
    await cairn.stop()
  }
})

test('without Stripe the webhook does not exist, and card show names the command that marks a card', async () => {
  const cairn = await startCairn()
  try {
    await team(cairn)
    assert.equal((await post(cairn.url, Buffer.from('{}'), ['t=1,v1=00'])).status, 404)
    const { state, next, adapter } = await cairn.cli('card', 'show', 'team')
    assert.deepEqual([state, adapter], ['missing', 'manual'])
    assert.match(String(next), /cairn card set team/)
  } finally {
    await cairn.stop()
  }
})

test('the server does not start with one of two Stripe keys, or with keys of different modes', async () => {
  const half = { CAIRN_CARD_ADAPTER: 'stripe', CAIRN_CARD_STRIPE_SECRET_KEY: 'sk_test_12345678' }
  await assert.rejects(startCairn({ env: half }), /card\.stripe\.publishableKey too/)
  const mixed = {
    ...half,
    CAIRN_CARD_STRIPE_PUBLISHABLE_KEY: 'pk_live_12345678',
    CAIRN_CARD_STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
  }
  await assert.rejects(startCairn({ env: mixed }), /test mode/)
})

test('an account without a card gets 402 with the remedy for its operator; a new account has a card', async () => {
  const cairn = await startCairn()
  try {
    const version = async (account: string, ...options: readonly string[]) => {
      await cairn.cli('accounts', 'create', account, ...options)
      const key = await cairn.cli('keys', 'create', '--account', account)
      const pair = btoa(`${String(key['apiKey'])}:${String(key['apiKeySecret'])}`)
      return await fetch(`${cairn.url}/api/v0/version`, {
        method: 'POST',
        headers: { authorization: `Basic ${pair}` },
      })
    }
    assert.equal((await version('open')).status, 200)
    const refused = await version('closed', '--no-card')
    assert.equal(refused.status, 402)
    const { Message } = (await refused.json()) as { Message: string }
    assert.match(Message, /^billing card required: .* operator .*"cairn card set <account>"/)
  } finally {
    await cairn.stop()
  }
})
