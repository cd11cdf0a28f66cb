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

/** Fetches as a browser does: with the redirect to the root's own origin. */
async function openLink(url: string): Promise<string> {
  const { headers } = await requestContent(url)
  return (await requestContent(headers['location'] ?? '')).text
}

test(
  'a file and a folder are uploaded, listed with their sizes, opened through the gateway and unpinned',
  { skip: noBrowser },
  async (t) => {
    const { cairn, account, page, open, picture } = await openSignedIn(t)
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
    const menuOf = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      return page.getByRole('menuitem', { name: item })
    }
    const openItem = await menuOf('stone.txt', 'Open in gateway')
    const link = await openItem.getAttribute('href')
    assert.match(link ?? '', /^http:\/\/content\.localhost:\d+\/ipfs\//)
    assert.equal(await openLink(link ?? ''), content.toString())
    await picture('files-menu')
    await page.keyboard.press('Escape')
    const folderRow = page.getByRole('row').filter({ hasText: /^cairn/ })
    const folderLink = await (await menuOf('cairn', 'Open in gateway')).getAttribute('href')
    assert.equal(await openLink(`${folderLink}/deep/b.txt`), 'b\n')
    await page.keyboard.press('Escape')

    await open('/settings')
    await page.getByLabel('Who can read pins').selectOption('roots')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await open('/files')
    await row.getByText('Anyone').waitFor()
    await (await menuOf('stone.txt', 'Make private')).click()
    await row.getByText('Private', { exact: true }).waitFor()
    await page.reload()
    await (await menuOf('stone.txt', 'Apply the setting of the account')).click()
    await row.getByText('Anyone').waitFor()

    await (await menuOf('stone.txt', 'Rename')).click()
    await page.getByRole('dialog').getByLabel('Name').fill('pebble.txt')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    const renamed = page.getByRole('row').filter({ hasText: 'pebble.txt' })
    await renamed.waitFor()
    const listed = async () => {
      const reply = await page.request.get(`${cairn.url}/api/v1/accounts/${account}/files`)
      return ((await reply.json()) as { pins: readonly object[] }).pins
    }
    await (await menuOf('pebble.txt', 'Make private')).click()
    await page.getByText('The pin is private').waitFor()
    const before = await listed()
    await (await menuOf('pebble.txt', 'Unpin')).click()
    await renamed.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await renamed.getByText('Private', { exact: true }).waitFor()
    assert.deepEqual(await listed(), before, 'with its date, its name and its readers')
    assert.deepEqual(before.length, 2)
    await page.getByRole('searchbox').fill('PEBB')
    await folderRow.waitFor({ state: 'detached' })
    await page.getByLabel('Select pebble.txt').check()
    await page.getByRole('region', { name: 'Selection' }).getByText('1 selected').waitFor()
    await checkAxe(page, 'a selected file')
    await page.getByRole('button', { name: 'Unpin 1 file…' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Unpin 1 file' })
    assert.ok(await confirm.isDisabled())
    await page.getByRole('dialog').getByLabel('Type 1 to confirm').fill('1')
    await confirm.click()
    await page.getByText('No files match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
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
    await page.getByRole('button', { name: 'Pin a CID' }).click()
    await page.getByRole('dialog').getByLabel('CID').fill('nothing')
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

test(
  'a folder opens, a text and an image in it are previewed, and a file is dropped anywhere on the page',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture, expect } = await openSignedIn(t)
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/files')
    await page.getByText('No files yet').waitFor()
    await picture('files-1440-light-empty')
    const source = join(await temporaryFolder(), 'site')
    await mkdir(join(source, 'deep'), { recursive: true })
    await writeFile(join(source, 'deep/b.json'), '{"stone": [1]}')
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await writeFile(join(source, 'dot.png'), Buffer.from(pixel, 'base64'))
    await page.locator('input[webkitdirectory]').setInputFiles(source)
    await page.getByText('site is uploaded and pinned').waitFor()
    await page.getByRole('link', { name: 'site', exact: true }).click()
    await page.getByRole('link', { name: 'dot.png' }).click()
    await page.getByAltText('The content of the file').waitFor()
    await page.getByText('PNG image').waitFor()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').waitFor()
    assert.match(
      String(await page.evaluate('navigator.clipboard.readText()')),
      /^http:\/\/content\.localhost:\d+\/ipfs\/[a-z0-9]+\/dot\.png$/,
    )
    await checkAxe(page, 'a file')
    await picture('file-1440-light')
    await page.getByRole('link', { name: 'site', exact: true }).click()
    await page.getByText('Reads need a key of this account.').waitFor()
    await page.locator('dd').getByRole('link', { name: 'first' }).waitFor()
    await page.locator('dd').getByText('nothing else').waitFor()
    // The archive comes from the content host.
    expect(/^asked http:\/\/[^/]*content\.localhost:\d+\/[^?]*\?format=car/)
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CAR' }).click(),
    ])
    assert.equal(archive.suggestedFilename(), 'site.car')
    await page.getByRole('link', { name: 'deep' }).click()
    await page.getByRole('link', { name: 'b.json' }).click()
    await page.getByText('"stone": [').waitFor()
    await open('/files')
    const drop = `(() => {
      const files = new DataTransfer()
      files.items.add(new File(['dropped'], 'dropped.txt'))
      const options = { dataTransfer: files, bubbles: true, cancelable: true }
      document.body.dispatchEvent(new DragEvent('dragover', options))
      document.body.dispatchEvent(new DragEvent('drop', options))
    })()`
    await page.evaluate(drop)
    await page.getByText('dropped.txt is uploaded and pinned').waitFor()
    await page.getByRole('row').filter({ hasText: 'dropped.txt' }).waitFor()
    await picture('files-1440-light-full')
  },
)

test(
  'files are ordered, filtered by type and found by the first characters of a CID, and the address keeps it',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    await open('/files')
    const input = page.locator('input[type=file][multiple]')
    for (const [name, bytes] of [
      ['b.png', 900],
      ['a.json', 30],
      ['c.mp4', 4_000],
    ] as const) {
      await input.setInputFiles({ name, mimeType: '', buffer: Buffer.alloc(bytes, name) })
      await page.getByText(`${name} is uploaded and pinned`).waitFor()
    }
    const shown = async (names: readonly string[]) => {
      await until(async () => {
        assert.deepEqual(await page.locator('tbody .name').allInnerTexts(), names)
      }, 30_000)
    }
    await shown(['c.mp4', 'a.json', 'b.png'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await shown(['a.json', 'b.png', 'c.mp4'])
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await page.getByRole('button', { name: /^Name/ }).press('Enter')
    await shown(['c.mp4', 'b.png', 'a.json'])
    await page.getByLabel('Sort').selectOption({ label: 'smallest first' })
    await shown(['a.json', 'b.png', 'c.mp4'])
    await page.reload()
    await shown(['a.json', 'b.png', 'c.mp4'])
    assert.equal(await page.getByLabel('Sort').inputValue(), 'size')
    await page.getByLabel('Type').selectOption('image')
    await shown(['b.png'])
    await page.getByText('1–1 of 1').waitFor()
    const cid = (await page.locator('.cid').getAttribute('title')) ?? ''
    await page.getByLabel('Type').selectOption('archive')
    await page.getByText('No files match').waitFor()
    await checkAxe(page, 'no files of a type')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shown(['a.json', 'b.png', 'c.mp4'])
    await page.getByRole('searchbox').fill(cid.slice(0, 16))
    await shown(['b.png'])
    await page.getByRole('searchbox').fill('')
    await shown(['a.json', 'b.png', 'c.mp4'])
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await checkAxe(page, `files ${scheme}`)
    }
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('region', { name: 'Selection' }).getByText('3 selected').waitFor()
    await picture('files-selected-dark')
    await page.setViewportSize({ width: 390, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await checkAxe(page, 'files on a phone')
    await picture('files-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Unpin 3 files…' }).click()
    await page.getByRole('dialog').getByLabel('Type 3 to confirm').fill('3')
    await page.getByRole('dialog').getByRole('button', { name: 'Unpin 3 files' }).click()
    await page.getByText('No files yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByLabel('Sort').selectOption({ label: 'newest first' })
    await shown(['c.mp4', 'a.json', 'b.png'])
  },
)
