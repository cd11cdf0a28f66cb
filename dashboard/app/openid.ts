// Sign-in at the OpenID provider: the browser leaves the dashboard and returns to /dashboard/openid. In between, the browser stores
// the data of the sign-in; its seal is encrypted by the server and valid once, for ten minutes.
// Tested by test/browser/openid.test.ts
import { call } from './api.ts'

/** `back`: path below /dashboard to show afterwards. */
export type Pending = {
  readonly use: 'sign-in' | 'link' | 'confirmation'
  readonly seal: string
  readonly back: string
  /** For a sign-up: the token of an invitation. */
  readonly link?: string
}

const place = 'cairn-openid'

/** Redirects to the provider. `link`: token of the invitation that admits a new person. */
export async function leaveToSignIn(back: string, link?: string): Promise<void> {
  const { location: to, seal } = await call('POST /session/openid/begin')
  leave(to, { use: 'sign-in', seal, back, ...(link === undefined ? {} : { link }) })
}

export async function leaveToLink(back: string): Promise<void> {
  const { location: to, seal } = await call('POST /me/identity/begin')
  leave(to, { use: 'link', seal, back })
}

export async function leaveToConfirm(back: string): Promise<void> {
  const { location: to, seal } = await call('POST /me/confirmation/openid/begin')
  leave(to, { use: 'confirmation', seal, back })
}

function leave(to: string, pending: Pending): void {
  localStorage.setItem(place, JSON.stringify(pending))
  location.assign(to)
}

/** Returns and deletes it; null: this browser has no sign-in in progress. */
export function takePending(): Pending | null {
  const text = localStorage.getItem(place)
  localStorage.removeItem(place)
  try {
    return text === null ? null : (JSON.parse(text) as Pending)
  } catch {
    return null
  }
}
