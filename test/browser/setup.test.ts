// The setup of a new server: from the first-run link to a proved call of a new key, on the local chain and with own nodes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, operator } from './open-page.ts'

test(
  'a new operator uses the local chain, creates a key and sees its call proved',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, signUp, picture } = await openPage(t)
    await signUp()
    await checkAxe(page, 'set-up')
    await picture('setup')
    await page.getByRole('button', { name: 'Use the local chain' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.locator('.value .mono').first().innerText()
    await page.getByRole('button', { name: 'Send a test call' }).click()
    await page.getByText('Your key asked for the newest block: 0').waitFor()
    await page.locator('.badge', { hasText: 'Proved' }).waitFor()
    await checkAxe(page, 'set-up, done')
    await picture('setup-done')
    const answer = (await rpc(cairn.url, key, 'eth_chainId')) as { result: string }
    assert.equal(answer.result, '0x539')
    await page.getByRole('link', { name: 'Go to overview' }).last().click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  },
)

test(
  'a new operator tests an own node, which is served without a restart, on a phone',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const node = await startStubUpstream(t, await openStubChain())
    const { page, signUp, expect, picture } = await openPage(t, { width: 390, scheme: 'dark' })
    expect(/status of 403/)
    await signUp()
    await page.getByLabel('My nodes or provider').check()
    await page.getByLabel('Name').fill('recorded')
    await page.getByLabel('URL of the node').fill(node.url)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Password').fill(operator.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Every block').waitFor()
    await checkAxe(page, 'set-up, a tested node')
    await picture('setup-390-dark')
    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Send a test call' }).click()
    await page.getByText('Your key asked for the newest block: 54').waitFor()
  },
)
