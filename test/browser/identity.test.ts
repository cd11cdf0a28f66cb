// Coming in: the first-run link, signing out and in, a second factor, somebody who is invited.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, openPageOf, operator } from './open-page.ts'

test(
  'the first-run link makes the first operator, once, and leaves no trace of itself in the address',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const { cairn, page, enter, expect, picture } = await openPage(t)
    await page.goto(cairn.firstRunLink ?? '')
    await page.getByRole('heading', { name: 'Welcome to Cairn' }).waitFor()
    await checkAxe(page, 'welcome')
    await picture('welcome')
    await enter()
    assert.equal(page.url(), `${cairn.url}/dashboard/`)
    expect(/status of 4\d\d/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(cairn.firstRunLink ?? '')
    await page.reload()
    await page.getByRole('alert').getByText('this link was used').waitFor()
    await page.getByRole('alert').getByText('cairn init --link').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  },
)

test(
  'a wrong password is refused in words, the right one leads to the page that was asked for',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const { page, enter, open, expect } = await openPage(t)
    await enter()
    expect(/status of 401/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await open('/keys')
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('wrong email or password').waitFor()
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  },
)

test(
  'an authenticator is enrolled with its code and asked for at the next sign-in',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const { page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 401/)
    await open('/profile')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.locator('dialog').getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Go on' }).click()
    const secret = await page.locator('dialog .value .mono').innerText()
    await picture('authenticator')
    await checkAxe(page, 'authenticator')
    const totp = new TOTP({ secret })
    await page.getByLabel('Code that the app shows').fill(totp.generate())
    await page.locator('dialog').getByRole('button', { name: 'Turn on' }).click()
    const codes = await page.locator('dialog pre').innerText()
    assert.equal(codes.split('\n').length, 10)
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('10 recovery codes are left').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill(codes.split('\n')[0] ?? '')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('9 recovery codes are left').waitFor()
  },
)

test(
  'somebody who is invited as a member sees the account and may change nothing',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const { cairn, page, enter, open } = await openPage(t)
    await enter()
    await open('/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('dialog .value .mono').innerText()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor()

    const guest = await openPageOf(t, cairn)
    guest.expect(/status of 401/)
    await guest.page.goto(link)
    await guest.page.getByLabel('Email').fill('guest@example.com')
    await guest.page.getByLabel('Name').fill('Gerd Guest')
    await guest.page.getByLabel('Password').fill('another pile of stones')
    await guest.page.getByRole('button', { name: 'Come in' }).click()
    await guest.page.getByRole('heading', { name: 'Start', level: 1 }).waitFor()
    assert.equal(await guest.page.getByRole('link', { name: 'People' }).count(), 0)
    await guest.open('/keys')
    await guest.page.getByRole('link', { name: 'first' }).waitFor()
    assert.equal(await guest.page.getByRole('button', { name: 'New key' }).count(), 0)
    await guest.open('/people')
    await guest.page.getByText('This page is for operators').waitFor()
    // Its server ends first.
    await guest.page.close()
  },
)
