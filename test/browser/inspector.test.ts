// The requests page in a browser: recording, live calls, details, code, replay.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import type { OpenPageOptions } from './open-page.ts'
import { openSignedIn } from './signed-in.ts'

const address = '0x8bebc8ba651aee624937e7d897853ac30c95a067'

async function openInspector(t: TestContext, options: OpenPageOptions = {}) {
  const opened = await openSignedIn(t, options)
  const { cairn, page, open } = opened
  await open('/requests')
  await page.getByRole('button', { name: 'Turn on recording' }).click()
  await page.getByText('No requests yet').waitFor()
  await page.getByLabel('Record params and results').check()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('input[type=checkbox]:disabled').first().waitFor({ state: 'detached' })
  await cairn.rpc('eth_getBalance', [address, 'latest'])
  await cairn.rpc('eth_getBalance')
  await cairn.rpc('eth_getBlockByNumber', ['latest', false])
  await page.getByRole('button', { name: 'eth_getBlockByNumber' }).waitFor()
  return opened
}

test(
  'an owner turns on recording, sees calls live, opens one and runs it again',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, picture } = await openInspector(t)
    const rows = page.locator('tbody tr')
    assert.equal(await rows.count(), 3)
    assert.match(await rows.nth(0).innerText(), /Proved/)
    assert.match(await rows.nth(1).innerText(), /Invalid params/)
    await picture('inspector')

    await page.getByLabel('Outcome').selectOption('caller')
    await rows.nth(1).waitFor({ state: 'detached' })
    await page.getByLabel('Outcome').selectOption('')
    await rows.nth(2).waitFor()
    await page.getByRole('searchbox').fill('GETBLOCK')
    await rows.nth(1).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('nothing of this kind')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(2).waitFor()

    await rows.nth(1).getByRole('button').click()
    const detail = page.getByRole('region', { name: 'Request' })
    await detail.getByText('-32602').waitFor()
    await detail.getByText('missing value for required argument').first().waitFor()
    await detail.getByRole('link', { name: 'first' }).waitFor()
    await picture('inspector-failed')
    await detail.getByRole('button', { name: 'Older request' }).click()
    await page.getByRole('heading', { name: 'eth_getBalance' }).waitFor()
    await detail.getByRole('region', { name: 'Request' }).getByText(address).waitFor()
    await detail.getByRole('button', { name: 'Newer request' }).press('Enter')
    await detail.getByText('-32602').waitFor()
    assert.match(page.url(), /\/requests\/[^/]+\/\d+$/)
    await rows.nth(1).getByRole('button').press('ArrowUp')
    await page.getByRole('heading', { name: 'eth_getBlockByNumber' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'eth_getBlockByNumber' }).waitFor()
    const line = page.getByRole('list', { name: 'Timeline' })
    await line.waitFor()
    assert.match(await line.innerText(), /Check key[^]*Parse[^]*Admit[^]*Run[^]*Reply/)
    await picture('inspector-request')

    await page.getByRole('tab', { name: 'Copy as code' }).click()
    await page.getByRole('tab', { name: 'viem' }).click()
    const code = await page.getByRole('region', { name: 'viem code' }).innerText()
    assert.match(code, /client\.request\(\{[^]*"eth_getBlockByNumber"/)
    assert.ok(!code.includes(cairn.apiKey))
    await page.getByRole('tab', { name: 'curl' }).click()
    await page.getByRole('button', { name: 'Copy curl code' }).click()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.ok(copied.includes('"method":"eth_getBlockByNumber"'), copied)

    await page.getByRole('tab', { name: 'Run again' }).click()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('The answer is the same.').waitFor()
    await cairn.rpc('evm_mine')
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('values differ').waitFor()
    await picture('inspector-replay')
    await checkAxe(page, 'inspector, run again')
    await page.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Clear requests…' }).click()
    await page.getByRole('button', { name: 'Clear requests', exact: true }).click()
    await page.getByText('No requests yet').waitFor()
    await page.getByLabel('Record the last 200 requests').uncheck()
    await page.getByText('Recording is off for this key').waitFor()
  },
)

test(
  'a switch keeps its new state while the list reloads and the server has not saved it yet',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/requests')
    await page.getByRole('button', { name: 'Turn on recording' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('input[type=checkbox]:disabled').first().waitFor({ state: 'detached' })
    const writing = Promise.withResolvers<void>()
    await page.route('**/api/v1/**', async (route) => {
      if (route.request().method() === 'PATCH') await writing.promise
      await route.continue()
    })
    const bodies = page.getByLabel('Record params and results')
    await bodies.check()
    const listed = page.waitForResponse((response) =>
      /requests\?.*class=failed/.test(response.url()),
    )
    await page.getByLabel('Outcome').selectOption('failed')
    await (await listed).finished()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
    assert.equal(await bodies.isChecked(), true)
    writing.resolve()
    await page.locator('input[type=checkbox]:disabled').first().waitFor({ state: 'detached' })
    assert.equal(await bodies.isChecked(), true)
  },
)

test(
  'the search finds a request by the request ID of its reply',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open } = await openInspector(t)
    const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }),
    })
    const requestId = response.headers.get('x-request-id') ?? ''
    await page.getByRole('searchbox').fill(requestId)
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'eth_gasPrice' }).waitFor()

    await open('/keys')
    await page.locator('body').press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill(requestId)
    await page.getByRole('option', { name: 'eth_gasPrice' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'eth_gasPrice' }).waitFor()
    await page.getByRole('region', { name: 'Request' }).getByText(requestId).waitFor()
  },
)

test(
  'a call between the first list and the live connection is shown',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open } = await openSignedIn(t)
    await open('/requests')
    await page.getByRole('button', { name: 'Turn on recording' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    // The page connects to the live view after it has loaded the list.
    await page.route('**/requests/live*', async (route) => {
      await cairn.rpc('eth_gasPrice')
      await route.continue()
    })
    await page.reload()
    await page.getByRole('button', { name: 'eth_gasPrice' }).waitFor()
  },
)

for (const [width, scheme] of [
  [360, 'dark'],
  [768, 'light'],
  [1280, 'dark'],
] as const) {
  test(
    `the requests page is accessible at ${width} pixels, ${scheme}`,
    { skip: noBrowser, timeout: 300_000 },
    async (t) => {
      const { page, picture } = await openInspector(t, { width, scheme })
      await checkAxe(page, 'inspector')
      await picture(`inspector-${width}`)
      // The row has one line, or two on a phone.
      const height = (await page.locator('tbody tr').first().boundingBox())?.height ?? 0
      assert.ok(height <= (width < 900 ? 64 : 36), `a row is ${height} pixels high`)
      await page.getByRole('button', { name: 'eth_getBalance' }).last().click()
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
      await checkAxe(page, 'inspector, a request')
      const scrolls = 'document.documentElement.scrollWidth > innerWidth'
      assert.equal(await page.evaluate(scrolls), false)
      await picture(`inspector-request-${width}`)
      // Otherwise the console reports the live connection that ends with the server.
      await page.goto('about:blank')
    },
  )
}
