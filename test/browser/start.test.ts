// The overview page: copied snippets that run, first steps that are marked as done, and its size.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { noBrowser } from './browser.ts'
import { firstPageBytesMax, gzippedBytes } from './first-page.ts'
import { openPage } from './open-page.ts'

const noCurl = spawnSync('curl', ['--version']).error !== undefined && 'curl is not installed'

test(
  'the copied curl snippet runs, and its calls mark the first steps as done',
  { skip: noBrowser || noCurl, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter, picture } = await openPage(t)
    await enter()
    const step = (text: string) => page.locator('.step').filter({ hasText: text })
    await step('Send a JSON-RPC call').getByText('(not yet)').waitFor()
    assert.ok((await gzippedBytes(page)) <= firstPageBytesMax)

    await page.getByLabel('API key').fill(cairn.apiKey)
    await page.getByLabel('Secret').fill(cairn.apiKeySecret)
    const shown = await page.getByLabel('curl snippet', { exact: true }).innerText()
    assert.ok(!shown.includes(cairn.apiKey), 'only the start of the key is shown')
    await page.getByLabel('Copy curl snippet').click()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    const { stdout } = await promisify(execFile)('sh', ['-c', copied])
    assert.match(stdout, /"result":"0x0"[^]*"Hash":"Qm/)

    await step('Send a JSON-RPC call').getByText('(done)').waitFor()
    await step('Add a file').getByText('(done)').waitFor()
    await picture('overview-steps')
  },
)

test(
  'a pasted key stays in its tab: another tab of the browser does not have it',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter } = await openPage(t)
    await enter()
    await page.getByLabel('API key').fill(cairn.apiKey)
    await page.reload()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    assert.equal(await page.getByLabel('API key').inputValue(), cairn.apiKey)
    const other = await page.context().newPage()
    await other.goto(`${cairn.url}/dashboard/`)
    assert.equal(await other.getByLabel('API key').inputValue(), '')
  },
)

test(
  'the first operator starts in their own account, also if others exist',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, enter } = await openPage(t)
    await cairn.cli('accounts', 'create', 'acme')
    await enter()
    const account = page.getByRole('complementary').getByLabel('Account')
    assert.equal(await account.locator('option:checked').textContent(), 'default')
  },
)
