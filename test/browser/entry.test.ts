// The dashboard before anyone is signed in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { firstPageBytesMax, gzippedBytes } from './first-page.ts'
import { openPage } from './open-page.ts'

test(
  'whoever is not signed in is asked to, with no request to another origin',
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
