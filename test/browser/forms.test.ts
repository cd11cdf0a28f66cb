// Forms show an error at its field, which gets the focus.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'

/** Asserts that the field is marked as invalid, described by an error like `words` and focused, without a general error. */
async function checkField(page: Page, label: string, words: RegExp): Promise<void> {
  const field = page.getByLabel(label)
  await page.locator('.field-error').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true', label)
  const described = (await field.getAttribute('aria-describedby')) ?? ''
  const error = page.locator(`[id="${described.split(' ').at(-1)}"]`)
  assert.match(await error.innerText(), words)
  await page.locator('[aria-invalid="true"]:focus').waitFor()
  const focused = await field.evaluate((input) => input === input.ownerDocument.activeElement)
  assert.equal(focused, true, `${label} has the focus`)
  assert.equal(await page.locator('.note.bad').count(), 0)
}

test(
  'an invalid limit or entry is reported at its field and not saved, and the typed text stays',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 400/)
    await open('/keys')
    await page.getByRole('link', { name: 'first' }).click()
    await page.getByRole('tab', { name: 'Limits' }).click()
    const save = page.getByRole('button', { name: 'Save' })
    const limit = /^Enter a whole number of at least 0, or leave the field empty for no limit\.$/
    for (const wrong of ['ten', '-5', '1.5', '1e3']) {
      await page.getByLabel('Units per day').fill(wrong)
      await save.click()
      await checkField(page, 'Units per day', limit)
      assert.equal(await page.getByLabel('Units per day').inputValue(), wrong)
    }
    await checkAxe(page, 'a wrong limit')
    await picture('wrong-limit')
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await page.getByLabel('Units per day').inputValue(), '')
    await page.getByLabel('Request body, MiB').fill('0.5')
    await save.click()
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Request body, MiB').inputValue(), '0.5')

    await page.getByRole('tab', { name: 'Allowlists' }).click()
    await page.getByLabel('IP addresses').fill('203.0.113.7\n10.0.0.0/99')
    await save.click()
    await checkField(page, 'IP addresses', /^Entry 2: "10\.0\.0\.0\/99" is not an IP address/)
    await picture('wrong-entry')

    await page.getByRole('tab', { name: 'Test a request' }).click()
    await page.getByLabel('Contract').fill('0x12')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await checkField(page, 'Contract', /^Expected 0x and 40 hex digits$/)
    await page.getByLabel('Contract').fill('')
    await page.getByLabel('IP address').fill('here')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await checkField(page, 'IP address', /^Expected an IP address$/)
  },
)

test(
  'a wrong password, email address or webhook is reported at its field',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, enter, open, expect } = await openPage(t)
    await enter()
    expect(/status of 400/)
    await open('/profile')
    await page.getByLabel('Current password').fill('not this')
    await page.getByLabel('New password').fill('another pile of stones')
    await page.getByRole('button', { name: 'Change password' }).click()
    await checkField(page, 'Current password', /^This is not your password$/)
    await open('/settings?tab=alerts')
    await page.getByLabel('Email addresses').fill('ops@example.com\nnot-an-address')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await checkField(page, 'Email addresses', /^Entry 2: Invalid email address$/)
    await page.getByLabel('Email addresses').fill('')
    await page.getByLabel('Webhooks').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await checkField(page, 'Webhooks', /^Entry 1: A webhook is a URL like https/)
  },
)
