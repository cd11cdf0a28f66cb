// The dashboard of a started server in a real browser. What the console calls an error, what the content policy refuses
// and what asks another origin fails the test that saw it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { type Started, startCairn } from '../started-server.ts'
import { launchBrowser } from './browser.ts'

/** Pictures of the pages, kept after the run. */
const artefacts = process.env['CAIRN_ARTEFACTS'] ?? join(tmpdir(), 'cairn-artefacts')

/** Who `enter` makes. */
export const operator = {
  email: 'operator@example.com',
  name: 'Olga Operator',
  password: 'stone upon stone upon stone',
}

export type OpenPage = {
  readonly cairn: Started
  /** Its address is about:blank until the test goes somewhere. */
  readonly page: Page
  /** Opens a page by its path below /dashboard. */
  open(path: string): Promise<void>
  /** Comes in by the first-run link as the first operator, `operator@example.com`, and waits for the start page. */
  enter(): Promise<void>
  /** Keeps a picture of the whole page as it is, and says where. */
  picture(name: string): Promise<void>
  /** A message of the console that this test brings about on purpose. */
  expect(message: RegExp): void
}

export type OpenPageOptions = {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  readonly browserArgs?: readonly string[]
  /** Opens it as `localhost`, a name, in place of its address. */
  readonly byName?: boolean
}

/** A server, a browser and a page; all end with the test. */
export async function openPage(t: TestContext, options: OpenPageOptions = {}): Promise<OpenPage> {
  await buildDashboard()
  const { args = [], env = {} } = options
  const started = await startCairn({ args, env })
  const cairn = options.byName === true ? named(started) : started
  try {
    return await openPageOf(t, cairn, options, () => cairn.stop())
  } catch (thrown) {
    await cairn.stop()
    throw thrown
  }
}

/** The same on a server that runs already. */
export async function openPageOf(
  t: TestContext,
  cairn: Started,
  { width = 1280, scheme = 'light', browserArgs = [] }: OpenPageOptions = {},
  endServer: () => Promise<unknown> = async () => {},
): Promise<OpenPage> {
  const browser = await launchBrowser(browserArgs)
  const complaints: string[] = []
  const expected: RegExp[] = []
  t.after(async () => {
    await browser.close()
    // Before anything is judged: behind a hook that throws no other one runs, and a server that is left over would
    // keep the tests from ending.
    await endServer()
    const unexpected = complaints.filter((line) => !expected.some((form) => form.test(line)))
    assert.deepEqual(unexpected, [], 'the console stays silent')
  })
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  })
  // A busy machine takes a while; the timeout of the test is the end.
  context.setDefaultTimeout(30_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (/^https?:/.test(url) && !url.startsWith(cairn.url)) complaints.push(`asked ${url}`)
  })
  return {
    cairn,
    page,
    expect: (message) => expected.push(message),
    async open(path) {
      await page.goto(`${cairn.url}/dashboard${path}`)
      await page.locator('main h1').first().waitFor()
    },
    async enter() {
      // Who is not signed in yet is told so, and the browser writes it to its console.
      expected.push(/status of 401/)
      await page.goto(cairn.firstRunLink ?? '')
      await page.getByLabel('Email').fill(operator.email)
      await page.getByLabel('Name').fill(operator.name)
      await page.getByLabel('Password').fill(operator.password)
      await page.getByRole('button', { name: 'Come in' }).click()
      await page.getByRole('heading', { name: 'Start', level: 1 }).waitFor()
    },
    async picture(name) {
      await mkdir(artefacts, { recursive: true })
      const path = join(artefacts, `${name}.png`)
      await page.screenshot({ path, fullPage: true })
      t.diagnostic(`picture: ${path}`)
    },
  }
}

function named(cairn: Started): Started {
  const byName = (url: string) => url.replace('127.0.0.1', 'localhost')
  const { url, firstRunLink } = cairn
  return {
    ...cairn,
    url: byName(url),
    firstRunLink: firstRunLink === null ? null : byName(firstRunLink),
  }
}

/** As the sources are now; nothing is done when they were built already. */
async function buildDashboard(): Promise<void> {
  const build = fileURLToPath(new URL('../../dashboard/build.js', import.meta.url))
  await promisify(execFile)(process.execPath, [build, '--if-changed'])
}
