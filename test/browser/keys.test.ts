// The life cycle of an API key in the dashboard: created, used with both APIs, limited, rotated, revoked.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { filesClient } from '../fakes/files/files-client.ts'
import { rpc } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'
import { openSignedIn } from './signed-in.ts'

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
  await page.locator('dialog').getByLabel('Name').fill(name)
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
  { skip: noBrowser, timeout: 300_000 },
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

    const files = filesClient({ ...cairn, apiKey: created.key, apiKeySecret: created.secret })
    await files.add(Buffer.from('a file'))
    await page.reload()
    await page.getByRole('button', { name: 'Revoke shop…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^It answered \d calls in the last 24 hours/).waitFor()
    await dialog.getByText('The file it pinned stays.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Keep key')
    await checkAxe(page, 'revoke')
    await picture('key-revoke')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Revoke shop…' }).click()
    await page.getByRole('button', { name: 'Revoke shop', exact: true }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    await page.getByText('shop is revoked').waitFor()
    assert.equal(await codeOf(cairn.url, created.key), -32600)
    assert.equal(await codeOf(cairn.url, next.key), null)
  },
)

test(
  'an allowlist that is saved in the dashboard immediately refuses methods outside it',
  { skip: noBrowser, timeout: 300_000 },
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
  { skip: noBrowser, timeout: 300_000 },
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
    await page.getByRole('tab', { name: 'Access' }).click()
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

test(
  'ten thousand keys are pages of a list that is searched, filtered and sorted, at most three screens long',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, open, cairn } = await openSignedIn(t)
    await cairn.rpc('eth_chainId')
    await page.route(/\/accounts\/[^/]+\/keys$/, async (route) => {
      const response = await route.fetch()
      const { keys } = (await response.json()) as { keys: readonly { readonly name: string }[] }
      const more = Array.from({ length: 10_000 }, (_, at) => ({
        ...keys[0],
        id: `key-${at}`,
        name: `key ${at}`,
        prefix: `p${at}`,
        revoked: at % 2 === 0 ? 1 : null,
      }))
      await route.fulfill({ response, json: { keys: [...more, ...keys] } })
    })
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/keys')
    await page.getByText('1–50 of 5,001').waitFor()
    assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) <= 2_700)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51–100 of 5,001').waitFor()
    await page.getByRole('button', { name: 'Calls, 24 h' }).click()
    const rows = page.locator('tbody tr')
    await page.getByRole('searchbox').fill('P77')
    await rows.filter({ hasText: 'key 77' }).first().waitFor()
    await page.getByRole('searchbox').fill('nothing like this')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('1–50 of 10,001').waitFor()
    await page.getByLabel('State').selectOption('over')
    await page.getByText('1–50 of 5,000').waitFor()
    await checkAxe(page, 'many keys')
  },
)

test(
  'the menu of a key opens its pages, and is operated with the keyboard',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, open, cairn, picture } = await openSignedIn(t)
    await cairn.rpc('eth_chainId')
    await open('/keys')
    const button = page.getByRole('button', { name: 'Actions for first' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Open' }).waitFor()
    await checkAxe(page, 'the menu of a key')
    await picture('keys-menu')
    await page.keyboard.press('Escape')
    assert.equal(await page.evaluate('document.activeElement.title'), 'Actions for first')
    await page.keyboard.press('Enter')
    await page.locator('[role=menuitem]:focus', { hasText: 'Open' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.locator('[role=menuitem]:focus', { hasText: 'Usage' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await open('/keys')
    await page.getByRole('link', { name: 'first', exact: true }).click()
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.reload()
    await page.getByRole('tab', { name: 'Limits', selected: true }).waitFor()
  },
)

test(
  'the limits of a key show what is used of them, what a rate is worth, and what is not saved',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, open, cairn, picture } = await openSignedIn(t)
    await page.setViewportSize({ width: 1440, height: 900 })
    await cairn.rpc('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
    await open('/keys')
    await page.getByRole('link', { name: 'first', exact: true }).click()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByText('Most reads cost 80 units.').waitFor()
    await page.getByText(/^80 used today\. In the last 30 days, the most was 80, on /).waitFor()
    await page.getByText('0 B used now.').waitFor()
    await page.getByLabel('Units per second').fill('800')
    await page.getByText('About 10 typical calls a second; most reads cost 80 units.').waitFor()
    await page.getByLabel('Units per day').fill('100')
    await page
      .getByText('Unsaved: Units per second: no limit → 800; Units per day: no limit → 100')
      .waitFor()
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await checkAxe(page, `limits ${scheme}`)
    }
    await picture('key-limits')
    await page.setViewportSize({ width: 390, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await checkAxe(page, 'limits on a phone')
    await picture('key-limits-phone')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByText(/^Unsaved:/).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Change alerts' }).click()
    await page.getByRole('tab', { name: 'Alerts', selected: true }).waitFor()
  },
)
