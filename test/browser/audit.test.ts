// The audit log in a browser: changes in words with old and new values and names instead of IDs, filters, pages, export.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'a changed key is named with its old and new values, found by filters, and exported',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture, account } = await openSignedIn(t)
    await open('/keys')
    await page.getByRole('link', { name: 'first', exact: true }).click()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByLabel('Units per day').fill('15000000')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await open('/audit')
    const change = page
      .getByRole('listitem')
      .filter({ hasText: 'First changed the limits of key first' })
    await change.locator('del', { hasText: 'no limit' }).waitFor()
    await change.locator('ins', { hasText: '15,000,000 units' }).waitFor()
    await checkAxe(page, 'audit log')
    await picture('audit')

    await page.getByRole('searchbox').fill('nothing of this kind')
    await page.getByText('No changes match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('searchbox').fill('daily limit')
    await change.waitFor()
    await page.getByRole('searchbox').fill('')

    await page.getByLabel('What').selectOption({ label: 'networks' })
    await page.getByText('No changes match').waitFor()
    await page.getByLabel('What').selectOption({ label: 'API keys' })
    await change.waitFor()
    await page.getByLabel('Who').selectOption({ label: 'Command line' })
    await page.getByText('No changes match').waitFor()
    await page.getByLabel('Who').selectOption({ label: 'First' })
    await page.getByLabel('When').selectOption({ label: 'last 24 hours' })
    await change.waitFor()
    assert.match(page.url(), /what=keys/)
    await page.reload()
    await change.waitFor()

    const exported = async (form: 'CSV' | 'JSON'): Promise<string> => {
      await page.getByRole('button', { name: 'Export' }).press('Enter')
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: form }).press('Enter'),
      ])
      assert.equal(saved.suggestedFilename(), `audit.${form.toLowerCase()}`)
      return await readFile(await saved.path(), 'utf8')
    }
    const csv = await exported('CSV')
    assert.match(
      csv,
      /,changeKey,[^,]+,first,"{""unitsPerDay"":null}","{""unitsPerDay"":15000000}"/,
    )
    const { records } = JSON.parse(await exported('JSON')) as { records: { action: string }[] }
    assert.deepEqual(
      records.map(({ action }) => action),
      ['changeKey'],
    )

    await page.getByRole('button', { name: 'Whole server' }).click()
    await change.waitFor()
    await page.getByLabel('Account', { exact: true }).selectOption(account)
    await change.getByRole('link', { name: 'first' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await checkAxe(page, 'audit log on a phone, dark')
    const scrolls = 'document.documentElement.scrollWidth > innerWidth'
    assert.equal(await page.evaluate(scrolls), false)
    await picture('audit-390-dark')
    await change.getByRole('link', { name: 'first' }).click()
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
  },
)

test(
  'older changes are loaded page by page, with the filter',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, account } = await openSignedIn(t)
    const headers = { origin: cairn.url, 'x-cairn-admin': '1' }
    for (let at = 0; at < 55; at += 1) {
      const url = `${cairn.url}/api/v1/accounts/${account}/provide`
      const provide = at % 2 === 0 ? 'roots' : 'none'
      const { status } = await fetchAs(url, { provide })
      assert.equal(status, 200)
    }
    await open('/audit?what=files')
    const changes = page.getByRole('listitem').filter({ hasText: 'changed who can read the pins' })
    await changes.nth(24).waitFor()
    await page.getByRole('button', { name: 'Load older' }).click()
    await changes.nth(49).waitFor()
    await page.getByRole('button', { name: 'Load older' }).click()
    await changes.nth(54).waitFor()
    await page.getByRole('button', { name: 'Load older' }).waitFor({ state: 'detached' })
    await page.getByText('55 changes').waitFor()
    // The server searches: the record is older than the first page.
    await open('/audit?scope=server')
    await page.getByRole('searchbox').fill('signed up')
    await page.getByRole('listitem').filter({ hasText: 'First signed up' }).waitFor()
    await page.getByText('1 change', { exact: false }).waitFor()

    async function fetchAs(url: string, data: object): Promise<{ readonly status: number }> {
      return { status: (await page.request.put(url, { headers, data })).status() }
    }
  },
)
