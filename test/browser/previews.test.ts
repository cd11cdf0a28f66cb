// Previews of files in a browser: the shown types, and that no script in a file runs in the dashboard's origin.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { filesClient } from '../fakes/files/files-client.ts'
import { until } from '../fakes/until.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

/** One second of silence: a header of 44 bytes and 8-bit samples. */
function wave(): Buffer {
  const bytes = Buffer.alloc(44 + 8_000, 128)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(8_000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(8_000, 40)
  return bytes
}

/** A document with a script that calls the API when the document opens. */
function pdf(): Buffer {
  const script =
    "parent.planted = 1; this.submitForm('/api/v1/me?planted'); this.getURL('/api/v1/me?planted'); fetch('/api/v1/me?planted')"
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(' +
      script.replaceAll(/[()]/g, String.raw`\$&`) +
      ')>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    '<</Length 42>>stream\nBT /F 24 Tf 20 40 Td (Cairn stone) Tj ET   \nendstream',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  let text = '%PDF-1.7\n'
  const places: number[] = []
  for (const [at, body] of objects.entries()) {
    places.push(text.length)
    text += `${at + 1} 0 obj\n${body}\nendobj\n`
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 6\n0000000000 65535 f \n${rows}`
  return Buffer.from(
    `${text}${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  )
}

/** A video of some frames of 16 × 16 pixels, which the browser records; base64. */
const film = `(async () => {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 16
  const drawing = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' })
  const parts = []
  const stopped = new Promise((resolve) => (recorder.onstop = resolve))
  recorder.ondataavailable = ({ data }) => {
    parts.push(data)
    if (parts.length === 5) recorder.stop()
  }
  recorder.start(20)
  for (let at = 0; recorder.state === 'recording'; at += 1) {
    drawing.fillStyle = 'rgb(' + (at % 256) + ', 0, 0)'
    drawing.fillRect(0, 0, 16, 16)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  await stopped
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  return btoa(String.fromCharCode(...bytes))
})()`

const plants =
  "try { parent.planted = 1; top.planted = 1 } catch {} globalThis.planted = 1; fetch('/api/v1/me?planted'); document.cookie = 'planted=1'"

async function openWith(t: TestContext, files: Readonly<Record<string, Buffer | string>>) {
  const opened = await openSignedIn(t)
  const { page, open } = opened
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const asked: string[] = []
  page.context().on('request', (request) => asked.push(request.url()))
  await open('/files')
  const upload = async (name: string, content: Buffer | string): Promise<void> => {
    const buffer = Buffer.from(content)
    await page
      .locator('input[type=file][multiple]')
      .setInputFiles({ name, mimeType: 'text/html', buffer })
    await page.getByText(`${name} is uploaded and pinned`).waitFor()
  }
  for (const [name, content] of Object.entries(files)) await upload(name, content)
  const show = async (name: string): Promise<void> => {
    await open('/files')
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.locator('.preview').waitFor()
  }
  /** Asserts that no script of a file has run. */
  const assertClean = async (name: string): Promise<void> => {
    assert.equal(await page.evaluate('globalThis.planted'), undefined, name)
    assert.deepEqual(dialogs, [], name)
    assert.equal(
      asked.some((url) => url.includes('planted')),
      false,
      name,
    )
    const cookies = await page.context().cookies()
    assert.equal(
      cookies.some((cookie) => cookie.name === 'planted'),
      false,
      name,
    )
  }
  return { ...opened, upload, show, assertClean }
}

test(
  'audio and video play, and a PDF document is shown or, where the browser has no viewer, offered for download',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, upload, show, assertClean, picture } = await openWith(t, {
      'sound.wav': wave(),
      'paper.pdf': pdf(),
    })
    await upload('film.webm', Buffer.from(String(await page.evaluate(film)), 'base64'))
    await show('sound.wav')
    const seconds = `new Promise((resolve) => {
      const audio = document.querySelector('.preview audio')
      const tell = () => resolve(audio.duration)
      if (audio.readyState > 0) tell()
      else audio.onloadedmetadata = tell
      audio.onerror = () => resolve(audio.error.message)
    })`
    assert.equal(await page.evaluate(seconds), 1)
    await page.getByText('WAV audio').waitFor()
    await checkAxe(page, 'audio')
    await show('film.webm')
    const played = `new Promise((resolve) => {
      const video = document.querySelector('.preview video')
      video.onerror = () => resolve(video.error.message)
      video.ontimeupdate = () => video.currentTime > 0 && resolve([video.videoWidth, video.videoHeight])
      video.muted = true
      video.play().catch((error) => resolve(String(error)))
    })`
    await page.locator('.preview video').waitFor()
    assert.deepEqual(await page.evaluate(played), [16, 16])
    await page.getByText(/^Video, \d/).waitFor()
    await checkAxe(page, 'a film')
    await show('paper.pdf')
    await page.getByText(/PDF document, \d/).waitFor()
    if ((await page.evaluate('navigator.pdfViewerEnabled')) === true) {
      await page.locator('.preview iframe').waitFor()
      await waitForViewer(page)
    } else await page.getByText('This browser shows no PDF documents').waitFor()
    await checkAxe(page, 'a PDF document')
    await picture('file-pdf')
    await assertClean('paper.pdf')
  },
)

/** The viewer shows the document in a separate frame. */
async function waitForViewer(page: Page): Promise<void> {
  await until(() => {
    assert.ok(page.frames().some((frame) => frame.url().startsWith('chrome-extension:')))
  })
}

test(
  'scripts in SVG images, pages and files that begin as one thing and are another do not run in the dashboard',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${plants.replaceAll('"', "'")}"><script>${plants}</script><rect width="9" height="9"/></svg>`
    const html = `<!doctype html><title>x</title><script>${plants}</script><img src="x" onerror="planted=1">`
    const files = {
      'a.svg': svg,
      'a.html': html,
      'page.pdf': `%PDF-1.7\n${html}`,
      'page.mp4': Buffer.concat([Buffer.from('\0\0\0\x20ftypisom'), Buffer.from(html)]),
      'page.json': `[${JSON.stringify(html)}]`,
    }
    const { page, show, assertClean } = await openWith(t, files)
    for (const name of Object.keys(files)) {
      await show(name)
      await page.locator('.preview > *').first().waitFor()
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))',
      )
      await assertClean(name)
    }
    // Not even as a separate document with the media type that the page gave it.
    await show('a.svg')
    const source = await page.locator('.preview img').getAttribute('src')
    assert.match(source ?? '', /^blob:/)
  },
)

test(
  'on the content host a PDF document opens without a sandbox, and pages that call themselves one run nothing',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const opened = await openSignedIn(t, {
      env: { CAIRN_GATEWAY_SUBDOMAINS: 'off' },
      ownOriginOnly: false,
    })
    const { page, cairn, expect } = opened
    expect(/Failed to load resource|Content Security Policy|sandbox/i)
    const hasViewer = (await page.evaluate('navigator.pdfViewerEnabled')) === true
    const { add } = filesClient(cairn)
    const host = `http://content.localhost:${new URL(cairn.url).port}`
    const asked: string[] = []
    page.context().on('request', (request) => asked.push(request.url()))
    // Without a viewer the browser downloads the document, and the navigation aborts.
    const visit = async (content: Buffer, name: string) => {
      const url = `${host}/ipfs/${await add(content)}?filename=${name}`
      await page.goto(url).catch((error: unknown) => assert.match(String(error), /Download/))
    }
    await visit(pdf(), 'paper.pdf')
    if (hasViewer) await waitForViewer(page)
    const html = Buffer.from(`%PDF-1.7\n<!doctype html><script>${plants}</script>`)
    await visit(html, 'page.pdf')
    assert.equal(await page.evaluate('globalThis.planted'), undefined)
    // On its own origin, a page may run scripts.
    await visit(Buffer.from(`<!doctype html><title>x</title><script>${plants}</script>`), 'a.html')
    assert.equal(await page.evaluate('globalThis.origin'), 'null')
    assert.deepEqual(
      asked.filter((url) => url.startsWith(cairn.url) && url.includes('planted')),
      [],
    )
  },
)

test(
  'a preview that is too large is offered in the gateway',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const large = Buffer.alloc(9 * 1024 * 1024)
    large.write('89504e470d0a1a0a', 'hex')
    const { page, show } = await openWith(t, { 'large.png': large })
    await show('large.png')
    await page.getByText('Too large for a preview').waitFor()
    await page.getByText(/up to 8(\.0+)? MiB/).waitFor()
    await checkAxe(page, 'a file too large for a preview')
  },
)
