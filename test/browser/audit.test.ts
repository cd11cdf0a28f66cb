// The audit log in a browser: changes in words with names in place of IDs, filters, export.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'a changed key is named with its new values, found by a filter, and exported',
  { skip: noBrowser, timeout: 120_000 },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    await open('/keys')
    await page.getByRole('link', { name: 'first', exact: true }).click()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByLabel('Units per day').fill('15000000')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await open('/audit')
    const change = page.getByRole('listitem').filter({ hasText: 'First changed key first' })
    await change.getByText('15,000,000 units').waitFor()
    await checkAxe(page, 'audit log')
    await picture('audit')
    await page.getByRole('searchbox').fill('nothing of this kind')
    await page.getByText('No changes match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('searchbox').fill('daily limit')
    await change.waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    assert.equal(saved.suggestedFilename(), 'audit.csv')
    const csv = await readFile(await saved.path(), 'utf8')
    assert.match(csv, /"First","changed key","first","Daily limit: 15,000,000 units"/)
    await page.getByRole('button', { name: 'Whole server' }).click()
    await change.waitFor()
    await change.getByRole('link', { name: 'first' }).click()
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
  },
)
