// Pages that grow with the data, on a busy server: at most three screens long, and never wider than the screen. The other pages are
// in pages.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../fakes/until.ts'
import { noBrowser } from './browser.ts'
import { covered } from './covered.ts'
import { fillServer, fullData } from './full-data.ts'
import { openSignedIn } from './signed-in.ts'

const paths = [
  '/',
  '/keys',
  '/keys/:key',
  '/usage',
  '/files',
  '/files/:cid',
  '/requests',
  '/members',
  '/audit',
  '/audit?scope=server',
  '/accounts',
  '/people',
]
const screen = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

test(
  'with 10,000 keys, 100,000 files and a million requests no page is longer than three screens',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, account } = await openSignedIn(t)
    const form = new FormData()
    form.append('file', new Blob(['hello cairn\n']), 'hello.txt')
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    const added = await fetch(`${cairn.url}/api/v0/add?cid-version=1`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    const { Hash: cid } = (await added.json()) as { Hash: string }
    const { key } = fillServer(cairn.dataDir, account)
    for (const pattern of paths) {
      const path = pattern.replace(':key', key).replace(':cid', cid)
      await page.setViewportSize(screen)
      await open(path)
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      // No cell is truncated: a table is as wide as its card.
      const cut =
        '[...document.querySelectorAll(".table-wrap")].filter((one) => one.scrollWidth > one.clientWidth).length'
      assert.equal(await page.evaluate(cut), 0, `${path}: a table is wider than its card`)
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
      assert.ok(height <= 3 * screen.height, `${path} is ${height} px long`)
      await page.setViewportSize(phone)
      const wider = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      assert.ok(wider <= 0, `${path} is ${wider} px wider than a phone`)
      assert.deepEqual(await page.evaluate(covered), [], `${path}: covered by buttons on a phone`)
    }
    await page.setViewportSize(screen)
    await open('/proof')
    const asked = page.getByLabel('Ask as', { exact: true })
    await asked.fill('service 97')
    // A part of the keys is drawn, whatever their number.
    assert.equal(await page.locator('datalist option').count(), 50)
    await asked.fill('service 9700')
    await asked.blur()
    await until(
      async () => assert.equal(await asked.inputValue(), 'service 9700 (0025e4…)'),
      10_000,
    )
    // One of the oldest files and keys.
    await page.keyboard.press('Escape')
    await page.locator('body').press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('report 99999')
    await page.getByRole('option', { name: 'report 99999.pdf' }).waitFor()
    await page.keyboard.press('Escape')
    await open('/keys')
    const inUse = 1 + fullData.keys - Math.floor(fullData.keys / 9)
    await page.getByText(`1–50 of ${inUse.toLocaleString('en')}`).waitFor()
    await open('/files')
    await page.getByText('1–50 of 100,001').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51–100 of 100,001').waitFor()
  },
)
