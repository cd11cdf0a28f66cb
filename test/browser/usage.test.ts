// The usage page in a browser: live calls, and the same figures as the command line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'calls show up live, in the window, by method and by reason, with the figures of the command line',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t)
    await open('/usage')
    await page.getByText('No calls in this period').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    for (let index = 0; index < 20; index++) await cairn.rpc('eth_chainId')
    await cairn.rpc('eth_getBalance', ['nothing'])
    await page.locator('[data-live]', { hasText: '21' }).waitFor()
    await page.getByRole('tab', { name: '15 min' }).click()
    const row = page.getByRole('row').filter({ hasText: 'eth_chainId' }).first()
    await row.waitFor()
    const cells = await row.getByRole('cell').allInnerTexts()
    assert.equal(cells[0]?.replace(/\D/g, ''), '20')
    await page.getByRole('row').filter({ hasText: 'bad_params' }).first().waitFor()
    await page.getByLabel('Split').selectOption('method')
    await page.locator('.u-legend').getByText('eth_chainId').waitFor()
    await checkAxe(page, 'usage')
    await picture('usage')

    const { usage } = (await cairn.cli('usage')) as unknown as {
      usage: readonly { method: string; requests: number }[]
    }
    const counted = usage.filter(({ method }) => method === 'eth_chainId')
    assert.equal(
      counted.reduce((sum, { requests }) => sum + requests, 0),
      20,
    )

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ])
    assert.equal(csv.suggestedFilename(), 'usage.csv')
  },
)

test(
  'an owner sets the recipients of alerts, and a webhook to a private address is refused',
  { skip: noBrowser },
  async (t) => {
    const { page, open, expect } = await openSignedIn(t)
    expect(/status of 400/)
    await open('/usage')
    await page.getByLabel('Email addresses').fill('owner@example.com')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByText('Alerts saved').waitFor()
    await page.getByLabel('Webhooks').fill('https://127.0.0.1/hook')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByRole('alert').filter({ hasText: 'not on the public internet' }).waitFor()
    await page.reload()
    await page.getByLabel('Email addresses').waitFor()
    assert.equal(await page.getByLabel('Email addresses').inputValue(), 'owner@example.com')
    assert.equal(await page.getByLabel('Webhooks').inputValue(), '')
  },
)
