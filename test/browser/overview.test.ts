// The overview page of an operator: ages of heads, disk and backups of the server, and updates that pause while it is hidden.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'an operator sees the last backup with its age, the disk, and the ages of heads; an old head needs attention',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const target = await temporaryFolder()
    t.after(() => rm(target, { recursive: true, force: true }))
    const { cairn, page, open, picture } = await openSignedIn(t, {
      env: { CAIRN_BACKUP_TO: target },
    })
    await page.route(/\/api\/v1\/status$/, async (route) => {
      const response = await route.fetch()
      const status = (await response.json()) as { networks: { name: string }[] }
      const [dev] = status.networks
      const mainnet = { ...dev, name: 'mainnet', chainId: '1', embedded: false, head: '23861402' }
      const networks = [
        dev,
        { ...mainnet, headAgeMs: 6_400 },
        { ...mainnet, name: 'sepolia', chainId: '11155111', headAgeMs: 3 * 3_600_000 },
      ]
      await route.fulfill({ response, json: { ...status, networks } })
    })
    for (let at = 0; at < 3; at++)
      await cairn.rpc('eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'])
    await cairn.rpc('eth_chainId')
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/')
    const figure = (title: string) => page.locator('.figure').filter({ hasText: title })
    await figure('Disk, whole server').getByText('no limit').waitFor()
    // The first backup starts soon after the server.
    await figure('Last backup')
      .getByText(/\d (s|min) ago/)
      .waitFor()
    await figure('Last backup')
      .getByText(/iB · every 24 h/)
      .waitFor()
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('mainnet').getByText('6 s old').waitFor()
    await row('dev').getByText('own chain').waitFor()
    await row('dev').getByText('100%').waitFor()
    await figure('Answered with proof').getByText('of 3 answers from chain data').waitFor()
    await page.getByText('The newest block of sepolia is 3 h old').waitFor()
    await page.getByRole('link', { name: 'Networks 1 needs attention' }).waitFor()
    assert.match(
      (await figure('Calls').getByRole('link').getAttribute('href')) ?? '',
      /\/usage\?window=24h$/,
    )
    await checkAxe(page, 'overview of an operator')
    await picture('overview-1440-light-server')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await checkAxe(page, 'overview of an operator, on a phone')
    await picture('overview-390-dark-server')
  },
)

test(
  'the page updates by itself, not while it is hidden, and at once when it is shown again',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await page.clock.install()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/status')) asked++
    })
    await open('/')
    await page.getByRole('table', { name: 'Served networks' }).waitFor()
    const show = (state: 'visible' | 'hidden') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    const next = () => page.waitForRequest(/\/api\/v1\/status$/)
    const [updated] = await Promise.all([next(), page.clock.runFor(5_000)])
    assert.equal(updated.method(), 'GET')
    await show('hidden')
    const before = asked
    await page.clock.runFor(60_000)
    assert.equal(asked, before, 'a hidden page asks for nothing')
    await Promise.all([next(), show('visible')])
  },
)
