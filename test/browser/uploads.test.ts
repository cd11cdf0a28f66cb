// Uploads of the files page in a browser: across disconnects, after a reload, of dropped folders.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { filesClient } from '../fakes/files/files-client.ts'
import { until } from '../fakes/until.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPageOf } from './open-page.ts'
import { openSignedIn, signIn } from './signed-in.ts'

const mebibyte = 1024 * 1024

/** A proxy to the server that closes a connection after some bytes, `cuts` times. */
async function openCutLink(target: string) {
  const link = { cuts: 0, afterBytes: 0, url: '' }
  const server = createServer((client) => {
    const engine = connect(Number(new URL(target).port), '127.0.0.1')
    let carried = 0
    const end = (): void => {
      client.destroy()
      engine.destroy()
    }
    for (const socket of [client, engine]) socket.on('error', end).on('close', end)
    engine.pipe(client)
    client.on('data', (chunk) => {
      carried += chunk.length
      if (link.cuts > 0 && carried > link.afterBytes) {
        link.cuts -= 1
        engine.end(chunk, end)
      } else if (!engine.write(chunk)) {
        client.pause()
        engine.once('drain', () => client.resume())
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  link.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { link, close: () => server.close() }
}

async function openThroughLink(t: TestContext) {
  const started = await startCairn()
  const { link, close } = await openCutLink(started.url)
  const cairn = {
    ...started,
    url: link.url,
    firstRunLink: started.firstRunLink?.replace(started.url, link.url) ?? null,
  }
  const opened = await openPageOf(t, cairn, {}, async () => {
    close()
    await started.stop()
  })
  // The browser itself repeats a broken request once, whose offset is too low then.
  opened.expect(/ERR_|status of (409|5)/)
  await signIn(opened)
  await opened.open('/files')
  await opened.page.getByText('No files yet').waitFor()
  /** Offsets of the requests with bytes. */
  const offsets: number[] = []
  opened.page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  return { ...opened, link, started, offsets }
}

function chooseFiles(page: Page) {
  return page.locator('input[type=file][multiple]')
}

test(
  'an upload goes on by itself where its connection broke, and no byte is changed',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, link, started, offsets, picture } = await openThroughLink(t)
    const content = randomBytes(40 * mebibyte)
    Object.assign(link, { cuts: 3, afterBytes: 6 * mebibyte })
    const file = { name: 'film.bin', mimeType: 'application/octet-stream', buffer: content }
    await chooseFiles(page).setInputFiles(file)
    await page.getByText('connection lost at').waitFor()
    await checkAxe(page, 'an upload that waits')
    await picture('files-upload-waiting')
    await page.getByText('film.bin is uploaded and pinned').waitFor()
    assert.equal(link.cuts, 0)
    assertForward(offsets)
    const cid = await page
      .getByRole('row')
      .filter({ hasText: 'film.bin' })
      .locator('.cid')
      .getAttribute('title')
    assert.equal(cid, await filesClient(started).add(content, 'cid-version=1'))
    assert.deepEqual(await unfinished(started.dataDir), [])
  },
)

test(
  'an upload that failed is resumed by a button, and after a reload by choosing the file again',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, link, started, offsets } = await openThroughLink(t)
    const path = join(await temporaryFolder(), 'film.bin')
    await writeFile(path, randomBytes(40 * mebibyte))
    Object.assign(link, { cuts: 2, afterBytes: 6 * mebibyte })
    let isRefused = true
    await page.route(/\/uploads\/[0-9a-f]+$/, async (route) => {
      const isNext = route.request().method() === 'HEAD' && isRefused
      await (isNext ? route.fulfill({ status: 500 }) : route.continue())
    })
    await chooseFiles(page).setInputFiles(path)
    const resume = page.getByRole('button', { name: 'Resume upload' })
    await resume.waitFor()
    await checkAxe(page, 'an upload that failed')
    isRefused = false
    Object.assign(link, { cuts: 2, afterBytes: 6 * mebibyte })
    await resume.click()
    await page.getByText('connection lost at').waitFor()
    isRefused = true
    await resume.waitFor()
    await page.reload()
    await page.getByText('No files yet').waitFor()
    isRefused = false
    await chooseFiles(page).setInputFiles(path)
    await page.getByText('film.bin is uploaded and pinned').waitFor()
    assertForward(offsets)
    assert.deepEqual(await unfinished(started.dataDir), [])
  },
)

test(
  'an upload that is stopped leaves nothing at the server',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, link, started } = await openThroughLink(t)
    Object.assign(link, { cuts: 2, afterBytes: 2 * mebibyte })
    const file = { name: 'a.bin', mimeType: '', buffer: Buffer.alloc(8 * mebibyte, 'stone ') }
    await chooseFiles(page).setInputFiles(file)
    await page.getByText('connection lost at').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The upload was stopped.').waitFor()
    await until(async () => assert.deepEqual(await readdir(join(started.dataDir, 'uploads')), []))
    await page.getByText('No files yet').waitFor()
  },
)

test(
  'folders and files are dropped together anywhere on the page, with all that is in them',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/files')
    await page.getByText('No files yet').waitFor()
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'site/deep/er'), { recursive: true })
    await writeFile(join(folder, 'site/index.html'), '<p>stone</p>')
    await writeFile(join(folder, 'site/deep/er/a b ü.txt'), 'deep')
    await writeFile(join(folder, 'note.txt'), 'a note')
    await drop(page, [join(folder, 'site')])
    await page.getByText('site is uploaded and pinned').waitFor()
    await page.getByRole('link', { name: 'site', exact: true }).click()
    await page.getByRole('link', { name: 'deep' }).click()
    await page.getByRole('link', { name: 'er', exact: true }).click()
    await page.getByRole('link', { name: 'a b ü.txt' }).click()
    await page.locator('.preview').getByText('deep').waitFor()
    await open('/files')
    await drop(page, [join(folder, 'site'), join(folder, 'note.txt')])
    await page.getByText('3 files is uploaded and pinned').waitFor()
    await page.getByRole('link', { name: '3 files', exact: true }).click()
    await page.getByRole('link', { name: 'note.txt' }).waitFor()
    await page.getByRole('link', { name: 'site', exact: true }).waitFor()
  },
)

/** Drops paths of the file system, as a person does: a script cannot create entries of folders. */
async function drop(page: Page, files: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 500, data })
  }
}

/** After the first request, each continues after bytes that the server has. */
function assertForward(offsets: readonly number[]): void {
  const [first, ...others] = offsets
  assert.equal(first, 0)
  assert.ok(others.length > 0 && others.every((offset) => offset > mebibyte), String(offsets))
  assert.deepEqual(
    offsets,
    offsets.toSorted((one, other) => one - other),
  )
}

/** Bytes of incomplete uploads. */
async function unfinished(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(join(dataDir, 'uploads'))
  return names.filter((name) => name.endsWith('.bytes'))
}
