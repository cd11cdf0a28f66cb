// The files page in a browser: upload, list, open, pin by CID, unpin.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { requestContent } from '../fakes/files/content-request.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { until } from '../fakes/until.ts'
import { openSignedIn } from './signed-in.ts'

/** As a browser: through the redirect to the origin of the root. */
async function openLink(url: string): Promise<string> {
  const { headers } = await requestContent(url)
  return (await requestContent(headers['location'] ?? '')).text
}

test(
  'a file and a folder are uploaded, listed with their sizes, opened through the gateway and unpinned',
  { skip: noBrowser },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    await open('/files')
    await page.getByText('No files yet').waitFor()
    const [files, folder] = [
      page.locator('input[type=file][multiple]'),
      page.locator('input[webkitdirectory]'),
    ]
    const content = Buffer.from('a stone on a stone\n')
    await files.setInputFiles({ name: 'stone.txt', mimeType: 'text/plain', buffer: content })
    await page.getByText('stone.txt is uploaded and pinned').waitFor()
    const source = join(await temporaryFolder(), 'cairn')
    await mkdir(join(source, 'deep'), { recursive: true })
    await writeFile(join(source, 'a.txt'), 'a\n')
    await writeFile(join(source, 'deep/b.txt'), 'b\n')
    await folder.setInputFiles(source)
    await page.getByText('cairn is uploaded and pinned').waitFor()
    await checkAxe(page, 'files')
    await picture('files')

    const row = page.getByRole('row').filter({ hasText: 'stone.txt' })
    const link = await row.getByRole('link', { name: 'Open' }).getAttribute('href')
    assert.match(link ?? '', /^http:\/\/content\.localhost:\d+\/ipfs\//)
    const opened = await openLink(link ?? '')
    assert.equal(opened, content.toString())
    const folderRow = page.getByRole('row').filter({ hasText: /^cairn/ })
    const folderLink = await folderRow.getByRole('link', { name: 'Open' }).getAttribute('href')
    assert.equal(await openLink(`${folderLink}/deep/b.txt`), 'b\n')

    await page.getByLabel('Who can read pins').selectOption('roots')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await row.getByRole('button', { name: 'Private', exact: true }).click()
    await row.getByText('private', { exact: true }).waitFor()
    await page.reload()
    await row.getByRole('button', { name: 'Not private' }).click()
    await row.getByRole('button', { name: 'Private', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Who can read pins').inputValue(), 'roots')

    await row.getByRole('button', { name: 'Unpin' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Unpin \S/ })
      .click()
    await row.waitFor({ state: 'detached' })
    await folderRow.waitFor()
  },
)

test(
  'an invalid CID is refused with the message of the IPFS API',
  { skip: noBrowser },
  async (t) => {
    const { page, open, expect } = await openSignedIn(t)
    expect(/status of (400|500)/)
    await open('/files')
    await page.getByLabel('CID', { exact: true }).fill('nothing')
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'nothing' }).waitFor()
  },
)

test(
  'without a billing card the page links to billing and offers no upload',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, account, open, picture } = await openSignedIn(t)
    const answer = await page.request.put(`${cairn.url}/api/v1/accounts/${account}/card/mark`, {
      headers: { origin: cairn.url, 'x-cairn-admin': '1' },
      data: { hasCard: false },
    })
    assert.equal(answer.status(), 200, await answer.text())
    await open('/files')
    await page.getByText('The IPFS API requires a billing card').waitFor()
    assert.equal(await page.locator('input[type=file]').count(), 0)
    await checkAxe(page, 'files without a card')
    await picture('files-no-card')
    await page.locator('main').getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 2 }).waitFor()
  },
)

test(
  'a request to pin that failed so far is shown with its error, and removed',
  { skip: noBrowser },
  async (t) => {
    const { page, open, cairn } = await openSignedIn(t)
    const missing = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    const psa = psaClient(cairn)
    const { requestid } = await psa.add({ cid: missing, name: 'wanted' })
    await until(async () => {
      assert.notEqual((await psa.find(requestid)).info['status_details'], undefined)
    }, 30_000)
    await open('/files')
    const row = page.getByRole('row').filter({ hasText: 'wanted' })
    await row.getByText('Queued').waitFor()
    await row.getByText('pin: ').waitFor()
    await checkAxe(page, 'pin requests')
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove request' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await psa.call('GET', `/${requestid}`)).status, 404)
  },
)
