// Inviting operators and creating tokens requires a confirmation with password or passkey, then continues.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, operator } from './open-page.ts'

test(
  'an operator invitation requires the password, then continues; a token within five minutes requires none',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 40[03]/)
    await open('/people')
    await page.getByRole('button', { name: 'Invite' }).click()
    const invite = page.getByRole('dialog', { name: 'Invite a person' })
    await invite.getByLabel('Role').selectOption('operator')
    await invite.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog', { name: "Confirm it's you" })
    await dialog.waitFor()
    await picture('confirming')
    await checkAxe(page, 'confirming')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await invite.getByText('confirmation with password, passkey or OpenID required').waitFor()

    await invite.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByLabel('Password').fill('not the right one')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('This is not your password').waitFor()
    await dialog.getByLabel('Password').fill(operator.password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    assert.match(await page.locator('dialog .value .mono').innerText(), /welcome#/)
    await page.getByRole('button', { name: 'I have copied it' }).click()

    await open('/profile')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name').last().fill('ci')
    await page.locator('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).click()
  },
)
