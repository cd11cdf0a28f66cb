// A page with a session of the first operator, created with the first-run link of a started server.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openPage, type OpenPage, type OpenPageOptions } from './open-page.ts'

export const operator = {
  email: 'first@example.com',
  name: 'First',
  password: 'correct horse battery staple',
}

/** As `openPage`, with the session cookie in the browser. */
export async function openSignedIn(
  t: TestContext,
  options: OpenPageOptions = {},
): Promise<OpenPage & { readonly account: string }> {
  const opened = await openPage(t, options)
  return { ...opened, account: await signIn(opened) }
}

/** Creates the first operator and sets the session cookie in the browser. Returns the ID of the first account. */
export async function signIn({ cairn, page }: Pick<OpenPage, 'cairn' | 'page'>): Promise<string> {
  const link = new URL(cairn.firstRunLink ?? '').hash.slice(1)
  const response = await page.request.post(`${cairn.url}/api/v1/welcome`, {
    headers: { origin: cairn.url, 'x-cairn-admin': '1' },
    data: { link, ...operator },
  })
  assert.equal(response.status(), 200, await response.text())
  const { accounts } = (await (await page.request.get(`${cairn.url}/api/v1/accounts`)).json()) as {
    accounts: readonly { id: string }[]
  }
  return accounts[0]?.id ?? ''
}
