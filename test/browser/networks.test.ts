// The networks page of an operator: a network is tested, added, extended and removed; invalid replies are shown.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc, temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage, operator } from './open-page.ts'

const contract = testChain.emitter

test(
  'an invalid reply is shown with its evidence, and the upstream without the secret in its URL',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const chain = await openStubChain()
    const faulty = await startStubUpstream(t, chain)
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'cairn.yaml')
    const upstream = `{url: "${faulty.url}/key-7654321", name: faulty, trusted: true}`
    await writeFile(
      file,
      `networks: [{name: recorded, chainId: ${chain.chainId}, upstreams: [${upstream}]}]\n`,
    )
    const { cairn, page, enter, picture } = await openPage(t, { args: ['--config', file] })
    faulty.knobs.falsify = async ({ method }, reply) => {
      if (method !== 'eth_getProof' || !('result' in reply)) return null
      const { accountProof, ...rest } = reply.result as { accountProof: string[] }
      const last = accountProof.at(-1) ?? ''
      const changed = last.slice(0, -1) + (last.endsWith('0') ? '1' : '0')
      return { result: { ...rest, accountProof: [...accountProof.slice(0, -1), changed] } }
    }
    await cairn.rpc('eth_getStorageAt', [contract, '0x0', 'latest'])
    await enter()
    await page.getByText(/^faulty on recorded sent \d+ invalid repl/).waitFor()
    await page.getByRole('link', { name: 'See the evidence' }).click()
    await faulty.stop()
    await cairn.rpc('eth_call', [{ to: contract, data: '0x' }, 'latest'])
    const errors = page.getByRole('table', { name: 'Recent errors' })
    await errors.getByRole('row', { name: 'eth_call' }).getByText('JSON-RPC (recorded)').waitFor()
    await picture('recent-errors')
    await page.getByText('from the settings').waitFor()
    await page.getByText(/ · head 54, [\d,]+ (s|min|h|d) ago/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add upstream' }).count(), 0)
    await page.getByRole('button', { name: 'See the evidence' }).click()
    await page.getByRole('heading', { name: 'Invalid replies of faulty' }).waitFor()
    await page.getByText('Cairn refused this reply and served nothing of it.').waitFor()
    await page.getByText(/^1 of \d+, the newest first$/).waitFor()
    const evidence = page.getByRole('dialog')
    await evidence.getByText('eth_getProof').first().waitFor()
    assert.match(
      await evidence.getByRole('region', { name: 'the reply' }).innerText(),
      /accountProof/,
    )
    await checkAxe(page, 'evidence')
    await picture('invalid-reply')
    assert.ok(!(await page.content()).includes('key-7654321'))
    await page.keyboard.press('Escape')
    await evidence.waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Evidence of \d+ invalid repl(y|ies) of faulty$/ })
      .press('Enter')
    await evidence.getByText('Cairn refused this reply').waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('img', { name: /^faulty in the last 24 hours: \d+ calls?, [1-9]\d* failed$/ })
      .waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await checkAxe(page, 'networks with an invalid reply, on a phone, dark')
    const scrolls = 'document.documentElement.scrollWidth > innerWidth'
    assert.equal(await page.evaluate(scrolls), false)
    await picture('networks-390-dark-invalid')

    await page.route(/\/api\/v1\/networks$/, async (route) => {
      const response = await route.fetch()
      const { networks } = (await response.json()) as { networks: { embedded: boolean }[] }
      const recorded = networks.find(({ embedded }) => !embedded)
      const copies = ['first', 'second', 'third'].map((name) => ({ ...recorded, name }))
      await route.fulfill({ response, json: { networks: [...networks, ...copies] } })
    })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.reload()
    const copy = page.getByRole('region', { name: 'second' })
    const show = copy.getByRole('button', { name: 'Show 1 upstream' })
    await show.waitFor()
    assert.equal(await copy.getByRole('table').count(), 0)
    await checkAxe(page, 'networks, folded')
    await picture('networks-1440-dark-folded')
    await show.press('Enter')
    await copy.getByRole('table').waitFor()
  },
)

test(
  'an operator tests a node, adds a network without a restart, adds and removes an upstream, and removes the network',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const chain = await openStubChain()
    const one = await startStubUpstream(t, chain)
    const two = await startStubUpstream(t, chain)
    const { cairn, page, enter, open, expect, picture } = await openPage(t)
    await enter()
    expect(/status of (400|403|409)/)
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/networks')
    await page.getByText('Only the local chain so far').waitFor()
    await picture('networks-1440-light-empty')
    await page.getByRole('button', { name: 'Add network' }).first().click()
    await page.getByLabel('Name').fill('recorded')
    await page.getByLabel('URL of the node').fill(one.url)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Password').fill(operator.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('row').filter({ hasText: 'Newest block' }).getByText('54').waitFor()
    await checkAxe(page, 'networks, tested')
    await picture('networks-1440-light-test')
    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByText('recorded is served').waitFor()
    assert.equal(
      ((await rpc(`${cairn.url}/recorded`, cairn.apiKey, 'eth_blockNumber')) as { result: string })
        .result,
      '0x36',
    )
    const card = page.getByRole('region', { name: 'recorded', exact: true })
    await card.getByText('Healthy, trusted').waitFor()
    await card.getByText(/ · head 54/).waitFor()
    await card.getByRole('button', { name: 'Add upstream' }).click()
    await card.getByLabel('URL of the node').fill(two.url)
    await card.getByRole('button', { name: 'Add upstream' }).last().click()
    await page.getByText('recorded has one more upstream').waitFor()
    await card.locator('tbody tr').nth(1).waitFor()
    await picture('networks-1440-light-full')
    const [firstName = ''] = await card.locator('tbody th .two > span').allInnerTexts()
    await card.getByRole('button', { name: `Actions for ${firstName} of recorded` }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Requests per second').fill('x')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByText('Enter a whole number').waitFor()
    await dialog.getByLabel('Requests per second').fill('50')
    await dialog.getByLabel('I run this node').uncheck()
    await checkAxe(page, 'edit an upstream')
    await picture('networks-1440-light-edit')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(`${firstName} is changed`).waitFor()
    await card.locator('tbody tr').nth(1).getByRole('button').click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await card.locator('tbody tr').nth(1).getByText('Paused', { exact: true }).waitFor()
    await checkAxe(page, 'a paused upstream')
    await picture('networks-1440-light-paused')
    await card.locator('tbody tr').nth(0).getByRole('button').click()
    await page.getByRole('menuitem', { name: 'Edit…' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Pause' }).count(), 0)
    await page.keyboard.press('Escape')
    await card.locator('tbody tr').nth(1).getByRole('button').click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await card.locator('tbody tr').nth(1).getByText('Healthy').waitFor()
    await card.getByRole('button', { name: 'Actions for recorded' }).click()
    await page.getByRole('menuitem', { name: 'Settings…' }).click()
    await dialog.getByLabel('Verification').selectOption('require')
    await checkAxe(page, 'settings of a network')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('recorded is changed').waitFor()
    const listed = await page.request.get(`${cairn.url}/api/v1/networks`)
    const { networks } = (await listed.json()) as { networks: readonly { name: string }[] }
    assert.partialDeepStrictEqual(
      networks.find(({ name }) => name === 'recorded'),
      {
        verify: { default: 'require' },
        upstreams: [{ name: firstName, trusted: false, requestsPerSecond: 50 }],
      } as object,
    )
    await page.setViewportSize({ width: 390, height: 844 })
    await checkAxe(page, 'networks on a phone')
    await picture('networks-390-light-full')
    await page.setViewportSize({ width: 1440, height: 900 })
    await card.locator('tbody tr').nth(1).getByRole('button').click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove \S/ })
      .click()
    await card.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Actions for recorded' }).click()
    await page.getByRole('menuitem', { name: 'Remove network…' }).click()
    await page.getByLabel('Type recorded to confirm').fill('recorded')
    await page.getByRole('button', { name: 'Remove recorded' }).click()
    await card.waitFor({ state: 'detached' })
  },
)
