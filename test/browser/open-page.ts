// Opens the dashboard of a started server in a real browser. Console errors, violations of the content policy and requests to
// another origin fail the test.
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
import { launchBrowser, sharedBrowser } from './browser.ts'

/** Folder of the screenshots, which remain after the run. */
const artefacts = process.env['CAIRN_ARTEFACTS'] ?? join(tmpdir(), 'cairn-artefacts')

/** The operator that `enter` creates. */
export const operator = {
  email: 'operator@example.com',
  name: 'Olga Operator',
  password: 'stone upon stone upon stone',
}

export type OpenPage = {
  readonly cairn: Started
  /** about:blank until the test opens a page. */
  readonly page: Page
  /** Opens a page by its path below /dashboard. */
  open(path: string): Promise<void>
  /** Signs up with the first-run link as the first operator, `operator@example.com`, and waits for the setup page. */
  signUp(): Promise<void>
  /** As `signUp`, then opens the Overview page. */
  enter(): Promise<void>
  /** Saves a screenshot of the whole page and prints its path. */
  picture(name: string): Promise<void>
  /** Expects a console error that the test causes on purpose. */
  expect(message: RegExp): void
}

export type OpenPageOptions = {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  readonly browserArgs?: readonly string[]
  /** Opens it as `localhost` instead of `127.0.0.1`. */
  readonly byName?: boolean
  /** False: the page may send requests to other origins. */
  readonly ownOriginOnly?: boolean
}

/** Signs out with the menu of the signed-in person. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your profile' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Starts a server, which stops with the test, and opens a page in the browser that the tests of the file share. */
export async function openPage(t: TestContext, options: OpenPageOptions = {}): Promise<OpenPage> {
  await buildPages()
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

/** As `openPage`, for a running server. */
export async function openPageOf(
  t: TestContext,
  cairn: Started,
  { width = 1280, scheme = 'light', browserArgs, ownOriginOnly = true }: OpenPageOptions = {},
  endServer: () => Promise<unknown> = async () => {},
): Promise<OpenPage> {
  const browser = await (browserArgs === undefined ? sharedBrowser() : launchBrowser(browserArgs))
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  })
  const problems: string[] = []
  const expected: RegExp[] = []
  t.after(async () => {
    await (browserArgs === undefined ? context : browser).close()
    // Must be first: no other hook runs after one that throws, and a running server would prevent the tests from ending.
    await endServer()
    const unexpected = problems.filter((line) => !expected.some((form) => form.test(line)))
    assert.deepEqual(unexpected, [], 'no unexpected console errors')
  })
  // Generous for busy machines; the test's timeout limits it.
  context.setDefaultTimeout(30_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    const isOther = /^https?:/.test(url) && !url.startsWith(cairn.url)
    if (ownOriginOnly && isOther) problems.push(`asked ${url}`)
  })
  async function signUp(): Promise<void> {
    // The browser logs the 401 reply of the first request.
    expected.push(/status of 401/)
    await page.goto(cairn.firstRunLink ?? '')
    await page.getByLabel('Email').fill(operator.email)
    await page.getByLabel('Name').fill(operator.name)
    await page.getByLabel('Password').fill(operator.password)
    await page.getByRole('button', { name: 'Create operator' }).click()
    await page.getByRole('heading', { name: 'Set up your server', level: 1 }).waitFor()
  }
  return {
    cairn,
    page,
    expect: (message) => expected.push(message),
    async open(path) {
      await page.goto(`${cairn.url}/dashboard${path}`)
      await page.locator('main h1').first().waitFor()
    },
    signUp,
    async enter() {
      await signUp()
      await page.getByRole('link', { name: 'Go to overview' }).click()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
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

let built: Promise<void> | null = null

/**
 * Builds the dashboard and the documentation unless their sources are unchanged: before the server starts, which loads them once.
 * Once for a file of tests.
 */
export function buildPages(): Promise<void> {
  built ??= build()
  return built
}

async function build(): Promise<void> {
  for (const path of ['../../dashboard/build.js', '../../dashboard/docs/build.js']) {
    const program = fileURLToPath(new URL(path, import.meta.url))
    await promisify(execFile)(process.execPath, [program, '--if-changed'])
  }
}
