// The dashboard without a session.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { firstPageBytesMax, gzippedBytes } from './first-page.ts'
import { openPage, signOut } from './open-page.ts'

test(
  'without a session the dashboard shows the sign-in page and sends no request to another origin',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open, picture, expect } = await openPage(t)
    expect(/status of 401/)
    await page.goto(cairn.url)
    await page.waitForURL(`${cairn.url}/dashboard/`)
    await open('/keys')
    assert.equal(await page.title(), 'Sign in · Cairn')
    assert.match(await page.locator('h1').innerText(), /Sign in/)
    assert.ok((await gzippedBytes(page)) <= firstPageBytesMax)
    await checkAxe(page, 'sign in')
    await picture('sign-in')
  },
)

test(
  'signing out leads to the sign-in page and ends the periodic requests of the page',
  { skip: noBrowser, timeout: 300_000 },
  async (t: TestContext) => {
    const { page, enter, open } = await openPage(t)
    await enter()
    // Otherwise a periodic request of this page is held too, and the next page waits for it.
    await page.goto('about:blank')
    // Requests of the page are in flight while it signs out. All are refused before the page learns that the session ended.
    const left = page.waitForResponse((response) => response.request().method() === 'DELETE')
    const refused: Promise<void>[] = []
    const several = Promise.withResolvers<void>()
    await page.route(/\/api\/v1\/(?!session|status)/, async (route) => {
      const request = route.request()
      if (/\/(me|accounts)$/.test(request.url())) await Promise.all(refused)
      else {
        refused.push(left.then(async () => (await request.response())?.finished()).then(() => {}))
        if (refused.length > 2) several.resolve()
        await left
      }
      await route.continue()
    })
    await open('/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await several.promise
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/me')) asked += 1
    })
    await signOut(page)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // Wait for later replies of the same server, so that earlier requests of the page are counted.
    for (let round = 0; round < 20; round += 1)
      await page.evaluate("fetch('/dashboard/').then(() => 0)")
    assert.ok(asked <= 2, `asked ${asked} times`)
  },
)
