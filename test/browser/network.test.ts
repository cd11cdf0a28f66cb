// The page of the IPFS network: off, and with a network process that accepts peers on loopback.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../engines/free-port.ts'
import { startDhtServers } from '../fakes/dht-servers.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { until } from '../fakes/until.ts'
import { temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

const limit = { skip: noBrowser, timeout: 300_000 }
/** Time for a peer of the DHT to be known, and for it to store an announcement. */
const announcedMs = 90_000

async function checkThemes(page: Page, place: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 860 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await checkAxe(page, `${place} in ${colorScheme}`)
  }
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.ok(Number(wider) <= 0, `${place} is ${String(wider)} px wider than the screen`)
}

test('a network that is off names the setting and links to the guide', limit, async (t) => {
  const { page, open, picture } = await openSignedIn(t)
  await open('/network')
  await page.getByRole('heading', { name: 'The IPFS network is off' }).waitFor()
  await page.getByText('ipfsNetwork.mode').waitFor()
  await picture('network-off')
  await checkThemes(page, 'network off')
  await page.getByRole('link', { name: 'Join the IPFS network' }).click()
  await page.getByRole('heading', { name: 'Join the IPFS network', level: 1 }).waitFor()
})

test(
  'a running network shows its state, its addresses, and when a pin was announced',
  limit,
  async (t) => {
    const peers = await startDhtServers(t, 3)
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'cairn.yaml')
    const listen = `/ip4/127.0.0.1/tcp/${await freePort()}`
    const ipfsNetwork = {
      mode: 'provide',
      private: true,
      routers: [],
      bootstrap: peers.map(({ address }) => address),
      listen: [listen],
    }
    await writeFile(file, JSON.stringify({ ipfsNetwork }))
    const { cairn, account, page, open, picture, expect } = await openSignedIn(t, {
      args: ['--config', file],
    })
    await open('/network')
    // The page reloads the state periodically.
    await page.getByText('Running', { exact: true }).waitFor()
    await page
      .getByRole('button', { name: `Copy the address ${listen}` })
      .first()
      .click()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    assert.ok(String(copied).startsWith(listen), String(copied))
    await page.getByRole('heading', { name: 'Announcements' }).waitFor()
    await page.getByRole('heading', { name: 'No failures since the start' }).waitFor()
    await picture('network-running')
    await checkThemes(page, 'network running')
    await picture('network-running-phone')

    await until(async () => {
      const status = await page.request.get(`${cairn.url}/api/v1/ipfs-network`)
      assert.ok(((await status.json()) as { dhtPeers: number }).dhtPeers > 0)
    }, announcedMs)
    const provided = await page.request.put(`${cairn.url}/api/v1/accounts/${account}/provide`, {
      headers: { origin: cairn.url, 'x-cairn-admin': '1' },
      data: { provide: 'roots' },
    })
    assert.equal(provided.status(), 200)
    const cid = await filesClient(cairn).add(Buffer.from('for anyone'))
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/files')
    const row = page.getByRole('row').filter({ hasText: cid.slice(0, 6) })
    await until(async () => {
      await page.reload()
      await row.getByText('Anyone, announced').waitFor({ timeout: 5_000 })
    }, announcedMs)
    await page.getByLabel('Network').selectOption({ label: 'not announced' })
    await page.getByText('No files match').waitFor()
    await page.getByLabel('Network').selectOption({ label: 'announced' })
    await row.waitFor()
    await picture('files-announced')
    await open(`/files/${cid}`)
    const readers = page.locator('section').filter({ hasText: 'Anyone, announced' }).first()
    assert.match(await readers.innerText(), /Announced[^]*(now|ago)[^]*Next[^]*UTC/)
    await readers.getByRole('button', { name: 'Check now' }).click()
    await readers.getByText('1 of 1 lookup').waitFor()
    assert.match(await readers.innerText(), /DHT: found at [1-3] peers?/)
    await readers.getByRole('button', { name: 'Check again' }).waitFor()
    await picture('file-found')
    await checkThemes(page, 'a file that others find')
    await readers.getByRole('button', { name: 'Announce again' }).click()
    await readers.getByText('the pin was announced less than a minute ago').waitFor()
    expect(/status of 409/)
  },
)
