// HTTP requests to the OpenID provider: one connection each, no redirects, limited in time and size. Plain HTTP only to loopback,
// regardless of the provider's metadata.
// Tested by src/access/people/oidc/provider.test.ts
import type { CustomFetchOptions } from 'openid-client'
import type { Clock } from '../../../base/clock.ts'
import { isLoopback } from '../../../base/addresses.ts'
import { withDeadline } from '../../../base/deadline.ts'
import { describeHttpError, headersFor, isUnencoded, openPool } from '../../../base/http-origin.ts'

/** As `fetch`; throws ProviderTrouble if there is no reply. */
export type ProviderFetch = (url: string, options: CustomFetchOptions) => Promise<Response>

/** Why there is no reply. The message names no URL. */
export class ProviderTrouble extends Error {
  override readonly name = 'ProviderTrouble'
}

const timeoutMs = 5_000
const replyBytesMax = 1024 * 1024

export function createProviderFetch(clock: Clock): ProviderFetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (url.protocol !== 'https:' && !isLoopback(host)) {
      throw new ProviderTrouble('the provider names an address without https')
    }
    const pool = openPool(url, {
      connections: 1,
      connectMs: timeoutMs,
      silenceMs: timeoutMs,
      replyBytesMax,
    })
    using deadline = withDeadline(signal ?? null, timeoutMs, clock)
    try {
      const reply = await pool.request({
        path: `${url.pathname}${url.search}`,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: headersFor(url, headers),
        body: body === undefined || body === null ? null : textOf(body),
        signal: deadline.signal,
      })
      if (!isUnencoded(reply.headers)) throw new ProviderTrouble('a reply with a content encoding')
      const bytes = await reply.body.bytes()
      return new Response(bytes.length === 0 ? null : Buffer.from(bytes), {
        status: reply.statusCode,
        headers: plainHeaders(reply.headers),
      })
    } catch (thrown) {
      if (thrown instanceof ProviderTrouble) throw thrown
      const message = deadline.signal.aborted
        ? `no answer in ${timeoutMs / 1000} s`
        : describeHttpError(thrown)
      throw new ProviderTrouble(message, { cause: thrown })
    } finally {
      await pool.destroy()
    }
  }
}

/** The library sends only forms. */
function textOf(body: NonNullable<CustomFetchOptions['body']>): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  throw new TypeError('a body of this type is not sent to the provider')
}

function plainHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const plain = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) plain.append(name, one)
  }
  return plain
}
