// The life of an API key in the dashboard: made, used on both faces, limited, rotated, revoked.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { rpc } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'

type Made = { readonly key: string; readonly secret: string }

async function codeOf(url: string, key: string): Promise<number | null> {
  const { error } = (await rpc(url, key, 'eth_blockNumber')) as { error?: { code: number } }
  return error?.code ?? null
}

async function version(url: string, { key, secret }: Made): Promise<number> {
  const headers = { authorization: `Basic ${btoa(`${key}:${secret}`)}` }
  return (await fetch(`${url}/api/v0/version`, { method: 'POST', headers })).status
}

async function makeKey(page: Page, name: string): Promise<Made> {
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Make the key' }).click()
  return await readSecrets(page)
}

async function readSecrets(page: Page): Promise<Made> {
  const values = page.locator('dialog .value .mono')
  await values.nth(1).waitFor()
  const [key = '', secret = ''] = await values.allInnerTexts()
  return { key, secret }
}

async function closeDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I have kept' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
}

test(
  'a key is made, shown once, used on both faces, rotated with an overlap and revoked',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, picture } = await openPage(t)
    await enter()
    const made = await makeKey(page, 'shop')
    await picture('key-made')
    assert.match(made.key, /^cairn_live_[0-9A-Za-z]{36}$/)
    assert.equal(await codeOf(cairn.url, made.key), null)
    assert.equal(await version(cairn.url, made), 200)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.equal((await readSecrets(page)).key, made.key, 'Escape does not lose what is shown once')
    await closeDialog(page)
    assert.ok(!(await page.content()).includes(made.key), 'the key is not shown again')

    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Make the new key' }).click()
    const next = await readSecrets(page)
    await closeDialog(page)
    assert.notEqual(next.key, made.key)
    assert.equal(await codeOf(cairn.url, next.key), null)
    assert.equal(await codeOf(cairn.url, made.key), null, 'the old one goes on for a day')

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: /^Revoke \S/ }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    assert.equal(await codeOf(cairn.url, made.key), -32600)
    assert.equal(await codeOf(cairn.url, next.key), null)
  },
)

test(
  'an allowlist that is set in the page refuses at once what it does not name',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, picture } = await openPage(t)
    await enter()
    const { key } = await makeKey(page, 'listed')
    await closeDialog(page)
    await page.getByRole('link', { name: 'listed' }).click()
    await page.getByRole('tab', { name: 'Allowlists' }).click()
    await page.getByLabel('Methods and file commands').fill('eth_chainId \n\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. The key follows at once.').waitFor()
    assert.equal(await codeOf(cairn.url, key), -32002)
    await page.getByRole('tab', { name: 'Try' }).click()
    await page.getByLabel('Method').fill('eth_getLogs')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('allowMethods, of this key').waitFor()
    await checkAxe(page, 'try')
    await picture('try-key')
    await page.getByLabel('Method').fill('eth_chainId')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('It passes.').waitFor()
    await page.getByRole('tab', { name: 'Allowlists' }).click()
    await page.getByLabel('Methods and file commands').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. The key follows at once.').last().waitFor()
  },
)

test(
  'a key of another service is taken over as it is, and its end is set afterwards',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 400/)
    const [key, secret] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Take over a key of another service').check()
    const dialog = page.locator('dialog')
    await dialog.getByLabel('API key').fill('short')
    await dialog.getByLabel('Secret', { exact: true }).fill(secret)
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.locator('.field-error').getByText('A key has 8 to 128 of the characters').waitFor()
    await checkAxe(page, 'taking a key over')
    await picture('key-import')
    await dialog.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Make the key' }).click()
    assert.deepEqual(await readSecrets(page), { key, secret })
    await closeDialog(page)
    assert.equal(await codeOf(cairn.url, key), null)

    await page.getByRole('link', { name: '01234567…' }).click()
    await page.getByRole('heading', { name: 'Key 01234567…', level: 1 }).waitFor()
    await page.getByLabel('Ends').selectOption({ label: 'In 30 days' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. The key follows at once.').waitFor()
    await page.getByLabel('Ends').locator('option', { hasText: 'as it is' }).waitFor({
      state: 'attached',
    })
    await picture('key-end')
    await page.getByLabel('Ends').selectOption({ label: 'Never' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Ends').locator('option', { hasText: 'as it is' }).waitFor({
      state: 'detached',
    })
  },
)
