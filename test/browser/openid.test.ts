// Sign-in with OpenID in a real browser, with a real provider: link, sign in, confirm, refuse; and the page that requires a second
// factor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { providerSettings, startOpenIdProvider } from '../fakes/people/openid-provider.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, operator, signOut } from './open-page.ts'

test(
  'a person links their identity, signs in with it, and confirms with it',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const provider = await startOpenIdProvider(t)
    const { cairn, page, enter, open, expect, picture } = await openPage(t, {
      env: providerSettings(provider),
    })
    provider.serve(cairn.url)
    provider.people.set('a-1', { email: operator.email, email_verified: true })
    // Only navigations to the provider leave this origin.
    const left: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(provider.issuer)) return
      // The browser requests the icon of each origin that it opens.
      if (!request.isNavigationRequest() && !request.url().endsWith('/favicon.ico')) {
        left.push(request.url())
      }
    })
    expect(new RegExp(`^asked ${provider.issuer}/`))
    expect(/status of 40[0134]/)
    const signInAtProvider = async () => {
      await page.getByLabel('Login').fill('a-1')
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await enter()

    await open('/profile')
    await page.getByRole('button', { name: 'Link Example ID' }).click()
    const dialog = page.getByRole('dialog', { name: "Confirm it's you" })
    await dialog.getByLabel('Password').fill(operator.password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await signInAtProvider()
    await page.getByText(`Linked to ${provider.issuer}`).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/profile')
    await picture('openid-linked')
    await checkAxe(page, 'openid-linked')

    await signOut(page)
    await open('/keys')
    await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor()
    await picture('openid-sign-in')
    await checkAxe(page, 'openid-sign-in')
    // The provider has an open session and requests no credentials.
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    assert.equal(page.url(), `${cairn.url}/dashboard/keys`)

    // A confirmation requests the credentials again.
    await open('/profile')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name').last().fill('ci')
    await page.locator('dialog').getByRole('button', { name: 'Create token' }).click()
    await dialog.getByRole('button', { name: 'Use Example ID' }).click()
    await signInAtProvider()
    await page.getByText('Confirmed for 5 minutes').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name').last().fill('ci')
    await page.locator('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).click()

    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('button', { name: 'Unlink identity' }).click()
    await page.getByRole('button', { name: 'Link Example ID' }).waitFor()
    assert.deepEqual(left, [])
  },
)

test(
  'an answer that this browser did not ask for leads nowhere, whatever the address says',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const provider = await startOpenIdProvider(t)
    const { cairn, page, open, expect, picture } = await openPage(t, {
      env: providerSettings(provider, { CAIRN_SIGN_IN_PASSWORD: 'false' }),
    })
    expect(/status of (401|503)/)
    await open('/openid?code=x&state=y&return=https://evil.example/&back=//evil.example')
    await page.getByText('This browser has not begun a sign-in').waitFor()
    assert.equal(page.url(), `${cairn.url}/dashboard/openid`, 'the answer left the address bar')
    await checkAxe(page, 'openid-refused')
    await page.getByRole('link', { name: 'Back' }).click()
    // The provider does not respond: the page shows the error, and offers no password.
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByText('Example ID cannot be reached').waitFor()
    assert.equal(await page.getByLabel('Password').count(), 0)
    assert.ok(page.url().startsWith(`${cairn.url}/`))
    await picture('openid-down')
  },
)

test(
  'where a second factor is required, a new person sets one up, then sees the dashboard',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, expect, picture } = await openPage(t, {
      env: { CAIRN_SIGN_IN_SECOND_FACTOR: 'required' },
    })
    expect(/status of 40[13]/)
    await page.goto(cairn.firstRunLink ?? '')
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Name').fill(operator.name)
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Create operator' }).click()
    await page.getByRole('heading', { name: 'Second factor required', level: 1 }).waitFor()
    await picture('second-factor')
    await checkAxe(page, 'second-factor')
    await open('/keys')
    await page.getByRole('heading', { name: 'Second factor required', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.locator('dialog').getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = await page.locator('dialog .value .mono').innerText()
    await page.getByLabel('Code from the app').fill(new TOTP({ secret }).generate())
    await page.locator('dialog').getByRole('button', { name: 'Turn on' }).click()
    await page.locator('dialog pre').waitFor()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  },
)
