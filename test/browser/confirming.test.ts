// Making operators and tokens asks for the password or a passkey again, and goes on where it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, operator } from './open-page.ts'

test(
  'an operator invitation asks for the password, then goes on; a token within five minutes asks no more',
  { skip: noBrowser, timeout: 120_000 },
  async (t) => {
    const { page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 40[03]/)
    await open('/people')
    await page.getByRole('button', { name: 'Invite' }).click()
    const invite = page.getByRole('dialog', { name: 'Invite somebody' })
    await invite.getByLabel('As').selectOption('operator')
    await invite.getByRole('button', { name: 'Make the link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.waitFor()
    await picture('confirming')
    await checkAxe(page, 'confirming')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await invite.getByText('confirmation with password or passkey required').waitFor()

    await invite.getByRole('button', { name: 'Make the link' }).click()
    await dialog.getByLabel('Password').fill('not the right one')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('This is not your password').waitFor()
    await dialog.getByLabel('Password').fill(operator.password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    assert.match(await page.locator('dialog .value .mono').innerText(), /welcome#/)
    await page.getByRole('button', { name: 'I have it' }).click()

    await open('/profile')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').last().fill('ci')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByRole('button', { name: 'I have kept it' }).click()
  },
)
