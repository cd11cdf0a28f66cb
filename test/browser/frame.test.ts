// The frame of the pages: search, shortcuts, menus and the tabs on a phone, with the keyboard only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

const address = '0x8bebc8ba651aee624937e7d897853ac30c95a067'

test(
  'the search finds keys, pages and documentation, jumps to a pasted address, and gives the focus back',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    await open('/keys')
    await page.locator('body').press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.fill('first')
    const found = page.getByRole('listbox', { name: 'Results' })
    await found.getByRole('option', { name: 'first' }).first().waitFor()
    await field.fill('limits')
    await found.getByRole('option', { name: /Docs$/ }).first().waitFor()
    await checkAxe(page, 'search')
    await picture('search')
    await field.fill('mail')
    await found.getByRole('option', { name: 'Mail' }).waitFor()
    await field.fill('1337')
    await found.getByRole('option', { name: 'dev' }).waitFor()
    await field.fill('no such thing anywhere')
    await page.getByText('Nothing matches.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await field.fill(address)
    await page.getByRole('option', { name: 'Balance of this address' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Proofs', level: 1 }).waitFor()
    assert.match(page.url(), /method=eth_getBalance/)

    await page.keyboard.press('Control+k')
    // Enter waits for the keys, which the server finds and which come first.
    await field.fill('first')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
  },
)

test(
  'single keys open pages, move through rows and list themselves, but not in fields or where they are switched off',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/')
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'first', exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await checkAxe(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await open('/profile')
    await page.getByLabel('Name', { exact: true }).press('g')
    await page.getByLabel('Name', { exact: true }).press('k')
    await page.getByLabel('Keyboard shortcuts with single keys').uncheck()
    await page.getByRole('heading', { name: 'Profile', level: 1 }).press('g')
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  },
)

test(
  'on a phone the tabs open pages, and More shows the rest',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t, { width: 390 })
    await open('/')
    const tabs = page.getByRole('navigation', { name: 'Tabs' })
    await tabs.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    await tabs.getByRole('button', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Members' }).waitFor()
    await checkAxe(page, 'more')
    await picture('more-390')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
  },
)

test(
  'while the server cannot be reached a bar says so, nothing is cleared, and the bar goes with the next answer',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, expect } = await openSignedIn(t)
    expect(/ERR_FAILED/)
    await open('/networks')
    await page.getByText('built in, no upstream needed').waitFor()
    await page.route('**/api/v1/**', (route) => route.abort())
    await page.getByText('Reconnecting…').waitFor()
    await page.getByText('built in, no upstream needed').waitFor()
    await page.unroute('**/api/v1/**')
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
  },
)

test(
  'people and members have a menu each, and a search',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    await open('/people')
    await page.getByRole('searchbox').fill('first@')
    await page
      .getByRole('row')
      .filter({ hasText: 'first@example.com' })
      .getByText('Operator')
      .waitFor()
    await page.getByRole('searchbox').fill('other@example.com')
    await page.getByText('No people match').waitFor()
    await open('/members')
    await page.getByText('Password only').waitFor()
    await page.getByRole('button', { name: 'Actions for first@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
    await checkAxe(page, 'members')
    await picture('members-menu')
  },
)
