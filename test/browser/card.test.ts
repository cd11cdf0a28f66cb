// The billing page in a browser: an account without a card, and the card form with a replacement of Stripe's script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFakeStripe } from '../fakes/people/fake-stripe.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'the billing page shows how to add a missing card, and the IPFS API returns 402 until then',
  {
    skip: noBrowser,
  },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t, { width: 360, scheme: 'dark' })
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    const version = async (): Promise<number> => {
      const headers = { authorization }
      return (await fetch(`${cairn.url}/api/v0/version`, { method: 'POST', headers })).status
    }
    await open('/card')
    await page.getByText('Approved by an operator').waitFor()
    assert.equal(await version(), 200)
    await page.getByRole('button', { name: 'Withdraw approval…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw approval' }).click()
    await page.getByText(/cairn card set default/).waitFor()
    // Disabling takes effect within a second, enabling immediately.
    while ((await version()) !== 402);
    await checkAxe(page, 'card, dark, 360')
    await picture('card-missing')
    await page.getByRole('button', { name: 'Approve without a card' }).click()
    await page.getByText('Approved by an operator').waitFor()
    assert.equal(await version(), 200)
  },
)

/** Replacement of Stripe.js: one field; it notifies the test on submit. */
const stripeScript = `window.Stripe = (key) => ({
  elements: ({ clientSecret }) => ({
    clientSecret,
    create: () => ({
      mount(place) {
        const label = document.createElement('label')
        label.textContent = 'Card number '
        const input = document.createElement('input')
        label.append(input)
        place.append(label)
      },
    }),
  }),
  async confirmSetup({ elements }) {
    const number = document.querySelector('input').value
    if (number === '4000') return { error: { message: 'Your card was declined.' } }
    await window.fillIn(key, elements.clientSecret)
    return {}
  },
})`

test(
  'a card is added with the form of Stripe in a separate document, shown by its last four digits, and removed',
  {
    skip: noBrowser,
  },
  async (t) => {
    const stripe = await startFakeStripe(t, Date.now)
    const env = {
      CAIRN_CARD_ADAPTER: 'stripe',
      CAIRN_CARD_STRIPE_SECRET_KEY: stripe.secretKey,
      CAIRN_CARD_STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      CAIRN_CARD_STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      CAIRN_CARD_STRIPE_API_URL: stripe.url,
    }
    const { page, open, picture, expect } = await openSignedIn(t, { env })
    expect(/^asked https:\/\/js\.stripe\.com\//)
    await page.route('https://js.stripe.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: stripeScript }),
    )
    await page.exposeFunction('fillIn', (key: string, clientSecret: string) => {
      assert.equal(key, stripe.publishableKey)
      stripe.fillIn(clientSecret.split('_secret_')[0] ?? '', { last4: '4444' })
    })
    await open('/card')
    await page.getByRole('link', { name: 'Add card' }).click()
    await page.waitForURL(/\/dashboard\/card\/new\?/)
    const field = page.getByLabel('Card number')
    await field.fill('4000')
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.getByText('Your card was declined.').waitFor()
    await checkAxe(page, 'card form')
    await picture('card-form')
    await field.fill('4444')
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.waitForURL(/\/dashboard\/card\?/)
    await page.getByText('Visa ending in 4444').waitFor()
    await page.getByText('2030-12').waitFor()
    await checkAxe(page, 'card')
    await picture('card-on-file')
    await page.getByRole('button', { name: 'Remove card' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click()
    await page.getByText('Approved by an operator').waitFor()
    const [customer = ''] = stripe.customers.keys()
    assert.deepEqual(stripe.cardsOf(customer), [])
  },
)

test('other pages of the dashboard refuse the script of Stripe', { skip: noBrowser }, async (t) => {
  const { page, open, expect } = await openSignedIn(t)
  expect(/Content Security Policy/)
  expect(/^asked https:\/\/js\.stripe\.com\//)
  await open('/card')
  const outcome = await page.evaluate(`new Promise((resolve) => {
    const script = document.createElement('script')
    script.src = 'https://js.stripe.com/clover/stripe.js'
    script.onload = () => resolve('ran')
    script.onerror = () => resolve('refused')
    document.head.append(script)
  })`)
  assert.equal(outcome, 'refused')
})
