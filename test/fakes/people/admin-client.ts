// Client of the admin API, as the dashboard (cookie, Origin, guard header) or as a program (token).
import type { Started } from '../../started-server.ts'

export type AdminReply = {
  readonly status: number
  /** Error code; null: success. */
  readonly code: string | null
  readonly message: string
  readonly body: Record<string, unknown>
  readonly setCookie: string | null
}

export type AdminClient = {
  /** The session, as `name=token`; null: signed out. */
  cookie: string | null
  ask(
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<AdminReply>
}

export const firstPerson = {
  email: 'ada@example.org',
  name: 'Ada',
  password: 'a stone on a stone',
} as const

/** The session cookie for another port of the same server: the cookie's name contains the port. */
export function cookieAt(cookie: string | null, url: string): string {
  return (cookie ?? '').replace(/^cairn-session-\d+/, `cairn-session-${new URL(url).port}`)
}

/** A separate browser with the cookies of the server. `token`: acts as a program instead. */
export function openAdminClient(url: string, token: string | null = null): AdminClient {
  const client: AdminClient = {
    cookie: null,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === null
            ? { origin: url, 'x-cairn-admin': '1' }
            : { authorization: `Bearer ${token}` }),
          ...(client.cookie === null ? {} : { cookie: client.cookie }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const setCookie = response.headers.get('set-cookie')
      if (setCookie !== null) {
        const pair = setCookie.split(';', 1)[0] ?? ''
        client.cookie = pair.endsWith('=') ? null : pair
      }
      const reply = (await response.json()) as Record<string, unknown>
      const error = reply['error'] as { code: string; message: string } | undefined
      return {
        status: response.status,
        code: error?.code ?? null,
        message: error?.message ?? '',
        body: reply,
        setCookie,
      }
    },
  }
  return client
}

/** The first operator, signed in with the first-run link of a new server, in a newly confirmed session. */
export async function takeFirstRun({
  url,
  firstRunLink,
}: Pick<Started, 'url' | 'firstRunLink'>): Promise<AdminClient> {
  const client = openAdminClient(url)
  const link = new URL(firstRunLink ?? '').hash.slice(1)
  const { status, message } = await client.ask('POST', '/welcome', { link, ...firstPerson })
  if (status !== 200) throw new Error(`the first-run link did not open: ${message}`)
  await confirm(client)
  return client
}

/** Confirms the session with the password, as required for inviting operators and creating tokens. */
export async function confirm(client: AdminClient): Promise<void> {
  const { password } = firstPerson
  const { status, message } = await client.ask('POST', '/me/confirmation', { password })
  if (status !== 200) throw new Error(`the session was not confirmed: ${message}`)
}
