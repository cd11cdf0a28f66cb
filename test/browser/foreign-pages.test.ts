// Pages of another origin cannot read or change data of a signed-in person. Ports do not separate sites, so the browser sends the
// session cookie with all of these requests.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

async function servePage(t: TestContext): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>foreign</title><iframe name="sink"></iframe>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

type Try = { readonly name: string; readonly init: Record<string, unknown> }

const body = '{"name":"planted"}'
const tries: readonly Try[] = [
  { name: 'text', init: { method: 'POST', mode: 'no-cors', body } },
  { name: 'form', init: { method: 'POST', mode: 'no-cors', body: 'name=planted' } },
  { name: 'no body', init: { method: 'POST', mode: 'no-cors' } },
  {
    name: 'json',
    init: { method: 'POST', mode: 'cors', body, headers: { 'content-type': 'application/json' } },
  },
  {
    name: 'json with the guard',
    init: {
      method: 'POST',
      mode: 'cors',
      body,
      headers: { 'content-type': 'application/json', 'x-cairn-admin': '1' },
    },
  },
  { name: 'put', init: { method: 'PUT', mode: 'cors', body } },
  { name: 'patch', init: { method: 'PATCH', mode: 'cors', body } },
  { name: 'delete', init: { method: 'DELETE', mode: 'cors' } },
  { name: 'read', init: { method: 'GET', mode: 'cors' } },
  { name: 'read unseen', init: { method: 'GET', mode: 'no-cors' } },
]

test(
  'a page of another origin reads and changes nothing, with any kind of request',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, account, expect } = await openSignedIn(t)
    // The console reports every refusal.
    expect(/./)
    const port = await servePage(t)
    const keysPath = `/api/v1/accounts/${account}/keys`
    const keys = async (): Promise<string> =>
      await (await page.request.get(`${cairn.url}${keysPath}`)).text()
    const before = await keys()
    let cases = 0
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${port}/`)
      for (const { name, init } of tries) {
        for (const path of [keysPath, '/api/v1/session', '/api/v1/me/password']) {
          const read = await page.evaluate(
            async ([url, options]) => {
              try {
                const response = await fetch(url, { ...options, credentials: 'include' })
                return await response.text()
              } catch {
                return ''
              }
            },
            [`${cairn.url}${path}`, init] as const,
          )
          cases++
          assert.equal(read, '', `${host} ${name} ${path}`)
        }
      }
      // As text, because the types of this test do not include the DOM.
      await page.evaluate(`{
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', target: 'sink', enctype: 'text/plain' })
        form.action = ${JSON.stringify(cairn.url + keysPath)}
        document.body.append(form)
        form.submit()
      }`)
      await page.frames()[1]?.waitForLoadState()
    }
    assert.equal(await keys(), before)
    t.diagnostic(`${cases} cases`)
  },
)

test(
  'a foreign host name that resolves to the server gets neither the dashboard nor API replies',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, expect } = await openSignedIn(t, {
      browserArgs: ['--host-resolver-rules=MAP rebound.example 127.0.0.1'],
    })
    expect(/./)
    const { port } = new URL(cairn.url)
    const opened = await page.goto(`http://rebound.example:${port}/dashboard/`)
    assert.equal(opened?.status(), 403)
    const reply = await page.evaluate(async () => {
      const response = await fetch('/api/v1/accounts')
      return `${response.status} ${await response.text()}`
    })
    assert.match(reply, /^403 .*wrong_host.*admin\.hosts/)
  },
)

test(
  'gateway content cannot run as a script of a dashboard page, under any file name',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, expect } = await openSignedIn(t, {
      env: { CAIRN_GATEWAY_PUBLIC: 'true', CAIRN_GATEWAY_DESERIALIZED: 'true' },
    })
    // The console reports violations of the policy.
    expect(/./)
    const form = new FormData()
    form.append('file', new Blob(['globalThis.planted = true']), 'a.js')
    const added = await fetch(`${cairn.url}/api/v0/add`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}` },
      body: form,
    })
    const { Hash: cid } = (await added.json()) as { Hash: string }
    await page.goto(`${cairn.url}/dashboard/`)
    // As text, because the types of this test do not include the DOM.
    const ran = await page.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script')
      script.src = '/ipfs/${cid}?filename=a.js'
      script.onload = () => resolve('loaded')
      script.onerror = () => resolve('refused')
      document.body.append(script)
    })`)
    assert.equal(ran, 'refused')
    assert.equal(await page.evaluate('globalThis.planted'), undefined)
    const imported = await page.evaluate(
      `import('/ipfs/${cid}?filename=a.mjs').then(() => 'loaded', () => 'refused')`,
    )
    assert.equal(imported, 'refused')
  },
)
