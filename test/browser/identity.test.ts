// Sign-up with the first-run link or an invitation, sign-in, sign-out, second factor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, openPageOf, operator, signOut } from './open-page.ts'

test(
  'the first-run link creates the first operator once and disappears from the address bar',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter, expect, picture } = await openPage(t)
    await page.goto(cairn.firstRunLink ?? '')
    await page.getByRole('heading', { name: 'Welcome to Cairn' }).waitFor()
    await checkAxe(page, 'welcome')
    await picture('welcome')
    await enter()
    assert.equal(page.url(), `${cairn.url}/dashboard/`)
    expect(/status of 4\d\d/)
    await signOut(page)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(cairn.firstRunLink ?? '')
    await page.reload()
    await page.getByRole('alert').getByText('This link has already been used').waitFor()
    await page.getByRole('alert').getByText('cairn init --link').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  },
)

test(
  'a wrong password is refused with a message, the right one leads to the requested page',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, expect } = await openPage(t)
    await enter()
    expect(/status of 401/)
    await signOut(page)
    await open('/keys')
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('wrong email or password').waitFor()
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  },
)

test(
  'an authenticator is enrolled with its code and required at the next sign-in',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 401/)
    await open('/profile')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.locator('dialog').getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = await page.locator('dialog .value .mono').innerText()
    await picture('authenticator')
    await checkAxe(page, 'authenticator')
    const totp = new TOTP({ secret })
    await page.getByLabel('Code from the app').fill(totp.generate())
    await page.locator('dialog').getByRole('button', { name: 'Turn on' }).click()
    const codes = await page.locator('dialog pre').innerText()
    assert.equal(codes.split('\n').length, 10)
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes are left').waitFor()

    await signOut(page)
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill(codes.split('\n')[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('9 recovery codes are left').waitFor()
  },
)

test(
  'an invited member can view the account and change nothing',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter, open } = await openPage(t)
    await enter()
    await open('/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.locator('dialog .value .mono').innerText()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor()

    const guest = await openPageOf(t, cairn)
    guest.expect(/status of 401/)
    await guest.page.goto(link)
    await guest.page.getByLabel('Email').fill('guest@example.com')
    await guest.page.getByLabel('Name').fill('Gerd Guest')
    await guest.page.getByLabel('Password').fill('another pile of stones')
    await guest.page.getByRole('button', { name: 'Sign up' }).click()
    await guest.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    assert.equal(await guest.page.getByRole('link', { name: 'People' }).count(), 0)
    await guest.open('/keys')
    await guest.page.getByRole('link', { name: 'first' }).waitFor()
    assert.equal(await guest.page.getByRole('button', { name: 'Create key' }).count(), 0)
    await guest.open('/people')
    await guest.page.getByText('Only operators can see this').waitFor()
    // The server stops before the guest's browser closes.
    await guest.page.close()
  },
)
