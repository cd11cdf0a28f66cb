// A site added through the IPFS API, opened in a browser on its own origin: without a key, with its scripts, and isolated from
// other sites, the dashboard and the APIs.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { CID } from 'multiformats/cid'
import type { Page } from 'playwright-core'
import { filesClient } from '../fakes/files/files-client.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

const page = (title: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>${title}</title></head><body><main><h1 id="shown">empty</h1></main>
<script src="/app.js"></script></body></html>`
const script = `document.querySelector('#shown').textContent = 'at ' + location.pathname`

async function addSite(
  cairn: Parameters<typeof filesClient>[0],
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const form = new FormData()
  for (const [name, text] of Object.entries(files)) {
    form.append('file', new Blob([text]), encodeURIComponent(`site/${name}`))
  }
  const reply = await filesClient(cairn).post('add?cid-version=1', form)
  const lines = (await reply.text()).trimEnd().split('\n')
  return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
}

async function openSites(t: TestContext, byName: boolean) {
  const opened = await openSignedIn(t, { byName, ownOriginOnly: false })
  const { cairn } = opened
  const { port } = new URL(cairn.url)
  const site = {
    'app.js': script,
    'worker.js': `self.addEventListener('fetch', () => {})`,
    _redirects: '/* /index.html 200\n',
  }
  const first = await addSite(cairn, { ...site, 'index.html': page('first') })
  const second = await addSite(cairn, { ...site, 'index.html': page('second') })
  const urlOf = (cid: string) => `http://${cid}.ipfs.content.localhost:${port}`
  return { ...opened, port, first, second, urlOf }
}

test(
  'a site opens from its address without a key, runs its script, and its rules answer deep links',
  { skip: noBrowser },
  async (t) => {
    const { page: tab, port, first, urlOf } = await openSites(t, false)
    const v0 = `http://content.localhost:${port}/ipfs/${first}`
    await tab.goto(v0)
    assert.equal(tab.url(), `${urlOf(first)}/`)
    assert.equal(await tab.title(), 'first')
    assert.equal(await tab.locator('#shown').textContent(), 'at /')
    await tab.goto(`${v0}/users/7?tab=1`)
    assert.equal(tab.url(), `${urlOf(first)}/users/7?tab=1`)
    assert.equal(await tab.locator('#shown').textContent(), 'at /users/7')
  },
)

for (const byName of [false, true]) {
  const host = byName ? 'localhost' : '127.0.0.1'
  test(
    `sites share no storage, and see neither the session nor the APIs of the dashboard at ${host}`,
    { skip: noBrowser },
    async (t) => {
      const { page: tab, cairn, first, second, urlOf, expect } = await openSites(t, byName)
      // The browser logs each fetch that the tests expect to fail.
      expect(/Failed to load resource|blocked by CORS policy/)
      await tab.goto(`${urlOf(first)}/`)
      await tab.evaluate(`
        localStorage.setItem('name', 'first')
        document.cookie = 'crumb=1'
        document.cookie = 'crumb=2; domain=localhost'
      `)
      assert.equal(await tab.evaluate(() => localStorage.getItem('name')), 'first')
      await tab.goto(`${urlOf(second)}/`)
      const seen = await tab.evaluate("[localStorage.getItem('name'), document.cookie]")
      assert.deepEqual(seen, [null, ''])

      const asked = (url: string, credentials: 'include' | 'omit') =>
        tab.evaluate(
          async ([target, mode]) => {
            try {
              const { status } = await fetch(target, { credentials: mode })
              return status
            } catch {
              return 'refused'
            }
          },
          [url, credentials] as const,
        )
      for (const path of ['/api/v1/accounts', '/api/v1/me', '/dashboard']) {
        assert.equal(await asked(cairn.url + path, 'include'), 'refused', path)
      }
      // It cannot read files of the other site, which has another origin.
      assert.equal(await asked(`${urlOf(first)}/app.js`, 'omit'), 401)
      const cookies = await tab.context().cookies(cairn.url)
      assert.equal(
        cookies.some(({ name }) => name === 'crumb'),
        false,
      )
    },
  )
}

test(
  'a page of another origin can neither read nor embed what needs no key on the content host',
  { skip: noBrowser },
  async (t) => {
    const other = createServer((_, response) => response.end('<!doctype html><title>Other</title>'))
    t.after(() => {
      other.close()
      other.closeAllConnections()
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const { port } = other.address() as AddressInfo
    const { page: tab, first, urlOf, expect } = await openSites(t, false)
    expect(/Failed to load resource|^Framing/)
    // The person has opened the site before: its script is in the browser's cache.
    await tab.goto(`${urlOf(first)}/`)
    await tab.goto(`http://127.0.0.1:${port}/`)
    const statuses: Record<string, number> = {}
    tab.on('response', (response) => {
      const { pathname, search } = new URL(response.url())
      statuses[pathname + search] = response.status()
    })
    const outcomes = (await tab.evaluate(`(async (site) => {
      const load = (name) =>
        new Promise((resolve) => {
          const element = Object.assign(document.createElement(name), {
            src: site + '/app.js?' + name,
            onload: () => resolve('loaded'),
            onerror: () => resolve('refused'),
          })
          document.body.append(element)
        })
      const read = (query, mode) =>
        fetch(site + '/app.js' + query, { mode }).then(({ status }) => status)
      return [
        await read('', 'cors'),
        await read('?cors', 'cors'),
        await read('?no-cors', 'no-cors'),
        await load('script'),
        await load('iframe'),
      ]
    })(${JSON.stringify(urlOf(first))})`)) as readonly (number | string)[]
    assert.deepEqual(outcomes.slice(0, 4), [401, 401, 0, 'refused'])
    for (const use of ['?cors', '?no-cors', '?iframe']) {
      assert.equal(statuses[`/app.js${use}`], 401, use)
    }
  },
)

/** Checks a copy of the page: the policy of these pages allows no scripts, and axe uses timers. */
async function checkCopy(tab: Page, place: string): Promise<void> {
  const copy = await tab.context().newPage()
  await copy.setViewportSize(tab.viewportSize() ?? { width: 1280, height: 860 })
  const isDark = await tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
  await copy.emulateMedia({ colorScheme: isDark === true ? 'dark' : 'light' })
  await copy.setContent(await tab.content())
  await checkAxe(copy, place)
  await copy.close()
}

test(
  'a directory and a refusal are pages that a person can read, in both themes and on a phone',
  { skip: noBrowser },
  async (t) => {
    const { page: tab, cairn, port, picture, expect } = await openSites(t, false)
    expect(/Failed to load resource/)
    const names = ['a stone.txt', 'b/deep.txt', 'long-'.repeat(20) + '.bin', '<i>&.html']
    const root = await addSite(cairn, Object.fromEntries(names.map((name) => [name, name])))
    const address = `http://content.localhost:${port}/ipfs/${root}`
    await tab.goto(address)
    await tab.getByRole('link', { name: 'a stone.txt' }).waitFor()
    assert.equal(await tab.locator('tbody tr').count(), names.length)
    await checkCopy(tab, 'directory')
    await picture('gateway-directory')
    // Only the style truncates the shown CID: a copied one is complete.
    const copied = await tab.evaluate(`(() => {
      const link = document.querySelector('td .ipfs-hash')
      const selection = getSelection()
      if (link !== null) selection?.selectAllChildren(link)
      return selection?.toString() ?? ''
    })()`)
    assert.ok(CID.parse(String(copied)).version === 1, String(copied))
    await tab.getByRole('link', { name: 'b', exact: true }).click()
    await tab.getByRole('link', { name: 'deep.txt' }).waitFor()
    await tab.getByRole('link', { name: '..', exact: true }).click()
    await tab.getByRole('link', { name: 'a stone.txt' }).waitFor()
    await tab.emulateMedia({ colorScheme: 'dark' })
    await tab.setViewportSize({ width: 360, height: 700 })
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await checkCopy(tab, 'directory-dark')
    await picture('gateway-directory-phone')
    const lost = await tab.goto(`${address}/nope`)
    assert.equal(lost?.status(), 404)
    await tab.getByRole('heading', { name: 'Not found' }).waitFor()
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await checkCopy(tab, 'refusal')
    await picture('gateway-refusal')
  },
)
