// The documentation of a started server in a real browser: search, copy buttons, menu, theme, accessibility.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'

const options = { skip: noBrowser, timeout: 300_000 }

test('the search finds a setting by its name and leads to its row', options, async (t) => {
  const { cairn, page, picture } = await openPage(t)
  await page.goto(`${cairn.url}/docs/`)
  await page.keyboard.press('/')
  await page.keyboard.type('rpc.batchItemsMax')
  const first = page.locator('.results a').first()
  await first.waitFor()
  assert.match(await first.innerText(), /^rpc\.batchItemsMax/)
  await picture('docs-search-1280-light')
  await checkAxe(page, '/docs/ with results')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/reference/settings#rpc.batchItemsMax')
  await page.locator('tr:target').waitFor()
  assert.match(await page.locator('tr:target').innerText(), /CAIRN_RPC_BATCH_ITEMS_MAX/)
})

test('results are reached by the arrow keys, and Escape closes them', options, async (t) => {
  const { cairn, page } = await openPage(t)
  await page.goto(`${cairn.url}/docs/guides/own-nodes`)
  await page.getByLabel('Search the documentation').fill('quarantine upstream')
  await page.locator('.results a').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const focused = await page.evaluate("document.activeElement.getAttribute('href')")
  assert.equal(focused, await page.locator('.results a').nth(1).getAttribute('href'))
  await page.keyboard.press('Escape')
  await page.locator('.results').waitFor({ state: 'hidden' })
  await page.getByLabel('Search the documentation').fill('zzzzqqqq')
  await page.getByText('No result for “zzzzqqqq”').waitFor()
})

test('a code block has a copy button, and a phone a menu', options, async (t) => {
  const { cairn, page, picture } = await openPage(t, { width: 360 })
  await page.goto(`${cairn.url}/docs/get-started`)
  const block = page.locator('.code').first()
  await block.hover()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    await block.locator('code').textContent(),
  )
  const link = page.getByRole('link', { name: 'Architecture', exact: true })
  await link.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Menu' }).click()
  await picture('docs-menu-360-light')
  await link.click()
  await page.waitForURL('**/docs/explanation/architecture')
})

test(
  'the theme is that of the dashboard and is applied before the page is shown',
  options,
  async (t) => {
    const { cairn, page, expect } = await openPage(t)
    // The dashboard requests data without a session.
    expect(/status of 401/)
    await page.goto(`${cairn.url}/docs/`)
    await page.getByRole('button', { name: 'Dark' }).click()
    await page.goto(`${cairn.url}/docs/reference/errors`)
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    await page.goto(`${cairn.url}/dashboard/`)
    await page.locator('main h1').first().waitFor()
    assert.equal(await page.evaluate("localStorage.getItem('cairn-theme')"), 'dark')
  },
)

test(
  'pages pass the accessibility check and are at most as wide as the screen',
  options,
  async (t) => {
    const { cairn, page, picture, expect } = await openPage(t)
    // The last page does not exist.
    expect(/status of 404/)
    const paths = [
      '/docs/',
      '/docs/get-started',
      '/docs/guides/own-nodes',
      '/docs/guides/move-from-infura',
      '/docs/reference/settings',
      '/docs/reference/methods',
      '/docs/reference/differences',
      '/docs/explanation/request-lifecycle',
      '/docs/explanation/decisions',
      '/docs/none',
    ]
    for (const path of paths) {
      await page.goto(cairn.url + path)
      const name = path.slice(1).replaceAll(/\W+/g, '-')
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 860 })
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(wider) <= 0, `${path} is ${String(wider)} px wider than ${width}`)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await checkAxe(page, `${path} at ${width} in ${colorScheme}`)
          if ((width === 360) === (colorScheme === 'dark'))
            await picture(`${name}-${width}-${colorScheme}`)
        }
      }
    }
  },
)
