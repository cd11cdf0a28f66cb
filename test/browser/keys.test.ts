// The life of an API key in the dashboard: created, used with both APIs, limited, rotated, revoked.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { rpc } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'

type Created = { readonly key: string; readonly secret: string }

async function codeOf(url: string, key: string): Promise<number | null> {
  const { error } = (await rpc(url, key, 'eth_blockNumber')) as { error?: { code: number } }
  return error?.code ?? null
}

async function version(url: string, { key, secret }: Created): Promise<number> {
  const headers = { authorization: `Basic ${btoa(`${key}:${secret}`)}` }
  return (await fetch(`${url}/api/v0/version`, { method: 'POST', headers })).status
}

async function createKey(page: Page, name: string): Promise<Created> {
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.locator('dialog').getByRole('button', { name: 'Create key' }).click()
  return await readSecrets(page)
}

async function readSecrets(page: Page): Promise<Created> {
  const values = page.locator('dialog .value .mono')
  await values.nth(1).waitFor()
  const [key = '', secret = ''] = await values.allInnerTexts()
  return { key, secret }
}

async function closeDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I have saved' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
}

test(
  'a key is created, shown once, used with both APIs, rotated with an overlap and revoked',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, picture } = await openPage(t)
    await enter()
    const created = await createKey(page, 'shop')
    await picture('key-created')
    assert.match(created.key, /^cairn_live_[0-9A-Za-z]{36}$/)
    assert.equal(await codeOf(cairn.url, created.key), null)
    assert.equal(await version(cairn.url, created), 200)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.equal(
      (await readSecrets(page)).key,
      created.key,
      'Escape does not close the dialog that shows the key once',
    )
    await closeDialog(page)
    assert.ok(!(await page.content()).includes(created.key), 'the key is not shown again')

    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Create new key' }).click()
    const next = await readSecrets(page)
    await closeDialog(page)
    assert.notEqual(next.key, created.key)
    assert.equal(await codeOf(cairn.url, next.key), null)
    assert.equal(await codeOf(cairn.url, created.key), null, 'the old key works for one more day')

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: /^Revoke \S/ }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    assert.equal(await codeOf(cairn.url, created.key), -32600)
    assert.equal(await codeOf(cairn.url, next.key), null)
  },
)

test(
  'an allowlist that is saved in the dashboard immediately refuses methods outside it',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, picture } = await openPage(t)
    await enter()
    const { key } = await createKey(page, 'listed')
    await closeDialog(page)
    await page.getByRole('link', { name: 'listed' }).click()
    await page.getByRole('tab', { name: 'Allowlists' }).click()
    await page.getByLabel('Methods and IPFS commands').fill('eth_chainId \n\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.equal(await codeOf(cairn.url, key), -32002)
    await page.getByRole('tab', { name: 'Test a request' }).click()
    await page.getByLabel('Method').fill('eth_getLogs')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('allowMethods, of this key').waitFor()
    await checkAxe(page, 'test a request')
    await picture('try-key')
    await page.getByLabel('Method').fill('eth_chainId')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Allowed.').waitFor()
    await page.getByRole('tab', { name: 'Allowlists' }).click()
    await page.getByLabel('Methods and IPFS commands').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).last().waitFor()
  },
)

test(
  'an existing key is imported unchanged, and its expiry is set later',
  { skip: noBrowser, timeout: 60_000 },
  async (t: TestContext) => {
    const { cairn, page, enter, expect, picture } = await openPage(t)
    await enter()
    expect(/status of 400/)
    const [key, secret] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByLabel('Import an existing key').check()
    const dialog = page.locator('dialog')
    await dialog.getByLabel('API key').fill('short')
    await dialog.getByLabel('Secret', { exact: true }).fill(secret)
    await page.locator('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.locator('.field-error').getByText('A key has 8 to 128 of the characters').waitFor()
    await checkAxe(page, 'importing a key')
    await picture('key-import')
    await dialog.getByLabel('API key').fill(key)
    await page.locator('dialog').getByRole('button', { name: 'Create key' }).click()
    assert.deepEqual(await readSecrets(page), { key, secret })
    await closeDialog(page)
    assert.equal(await codeOf(cairn.url, key), null)

    await page.getByRole('link', { name: '01234567…' }).click()
    await page.getByRole('heading', { name: 'Key 01234567…', level: 1 }).waitFor()
    await page.getByLabel('Expires').selectOption({ label: 'In 30 days' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByLabel('Expires').locator('option', { hasText: 'unchanged' }).waitFor({
      state: 'attached',
    })
    await picture('key-expiry')
    await page.getByLabel('Expires').selectOption({ label: 'Never' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Expires').locator('option', { hasText: 'unchanged' }).waitFor({
      state: 'detached',
    })
  },
)
