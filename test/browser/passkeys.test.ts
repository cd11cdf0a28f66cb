// Passkeys with the browser's virtual authenticator: added, used, removed. Pages on which passkeys are unavailable link to a URL
// where they are available.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, type OpenPageOptions, operator, signOut } from './open-page.ts'

/** A page with a virtual authenticator that verifies its user, until `setUserVerified(false)`. */
async function openWithAuthenticator(t: TestContext, options: OpenPageOptions = {}) {
  const opened = await openPage(t, { ...options, byName: true })
  const session = await opened.page.context().newCDPSession(opened.page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    ...opened,
    credentials: async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    setUserVerified: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.locator('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password').fill(operator.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}

test(
  'a passkey is added, signs in without a password, and no longer signs in after its removal',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, expect, picture, credentials } = await openWithAuthenticator(t)
    await enter()
    await open('/profile')
    await page.getByText('No passkeys yet').waitFor()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await picture('passkey-add')
    await checkAxe(page, 'adding a passkey')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await addPasskey(page, 'Laptop')
    await page.getByRole('rowheader', { name: 'Laptop' }).waitFor()
    await picture('passkeys')
    await checkAxe(page, 'passkeys')
    const [stored] = await credentials()
    assert.deepEqual([stored?.rpId, stored?.isResidentCredential], ['localhost', true])

    await addPasskey(page, 'Laptop again')
    await page.getByText('already has a passkey for your profile').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()

    await signOut(page)
    await picture('sign-in-passkey')
    await checkAxe(page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.getByText('just now').first().waitFor()

    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await checkAxe(page, 'removing a passkey')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Laptop' }).click()
    expect(/status of 40[13]/)
    const confirming = page.getByRole('dialog', { name: "Confirm it's you" })
    await confirming.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkeys yet').waitFor()
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('does not let you in here: use your password').waitFor()
  },
)

test(
  'a passkey confirms actions in place of the password',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, expect } = await openWithAuthenticator(t)
    await enter()
    expect(/status of 403/)
    await open('/profile')
    await addPasskey(page, 'Laptop')
    await page.getByRole('rowheader', { name: 'Laptop' }).waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.locator('dialog').getByLabel('Name').fill('ci')
    await page.locator('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('rowheader', { name: 'ci' }).waitFor()
  },
)

test(
  'sign-in fails without user verification by the authenticator and succeeds with it',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, setUserVerified } = await openWithAuthenticator(t)
    await enter()
    await open('/profile')
    await addPasskey(page, 'Laptop')
    await page.getByRole('rowheader', { name: 'Laptop' }).waitFor()
    await signOut(page)
    await setUserVerified(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was chosen, or the request timed out').waitFor()
    await setUserVerified(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  },
)

test(
  'a page opened by IP address links to its host name for passkeys',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter, open } = await openPage(t)
    await enter()
    await open('/profile')
    await page.getByText('127.0.0.1 is an address').waitFor()
    const link = page.getByRole('link', { name: 'http://localhost' })
    const there = cairn.url.replace('127.0.0.1', 'localhost')
    assert.equal(await link.getAttribute('href'), `${there}/dashboard/profile`)
    assert.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0)
    await signOut(page)
    await page.getByRole('link', { name: 'http://localhost' }).waitFor()
    await checkAxe(page, 'sign-in by address')
  },
)
