// An endpoint under comparison. Its URL may contain a key, so it comes from a variable, a file or standard input, and is never
// printed.
// Tested by test/cli/doctor-dropin.test.ts
import { createRedact } from '../../chain/upstream/node/redact.ts'
import { describeHttpError, headersFor, openPool } from '../../base/http-origin.ts'
import { hasReference, resolveReferences } from '../../config/reference.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../usage-error.ts'

export type ProbeRequest = {
  readonly method: 'POST' | 'GET' | 'OPTIONS'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export type Reply = {
  readonly status: number
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** `silent`: the reason why there is no reply. */
export type Answered = Reply | { readonly silent: string }

export type Endpoint = {
  /** Only scheme, host and port. */
  readonly origin: string
  /** Redacts the URL and secret headers in replies. Rejects only if `signal` aborts, with its reason. */
  send(request: ProbeRequest, signal: AbortSignal): Promise<Answered>
  close(): Promise<void>
}

const replyMs = 15_000
const replyBytesMax = 8 * 1024 * 1024

/** `url`: http or https; a user and password in it are sent as HTTP Basic. `pinned`: as `PoolLimits.pinned`. */
export function createEndpoint({
  url: text,
  headers: own = {},
  pinned,
}: {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly pinned?: string
}): Endpoint {
  const url = new URL(text)
  const redact = createRedact([url], own)
  const pool = openPool(url, {
    connections: 1,
    connectMs: replyMs,
    silenceMs: replyMs,
    replyBytesMax,
    ...(pinned === undefined ? {} : { pinned }),
  })
  return {
    origin: url.origin,
    async send({ method, headers, body }, signal) {
      try {
        const reply = await pool.request({
          method,
          path: url.pathname + url.search,
          headers: headersFor(url, { ...own, ...headers }),
          body,
          signal,
        })
        const named = Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
        return {
          status: reply.statusCode,
          headers: Object.fromEntries(named) as Record<string, string>,
          // A service may repeat the key in an error message.
          text: redact(await reply.body.text()),
        }
      } catch (thrown) {
        if (signal.aborted) throw signal.reason
        return { silent: describeHttpError(thrown) }
      }
    },
    close: () => pool.destroy(),
  }
}

/**
 * `source`: `${env:NAME}`, `${file:/path}`, `-` for standard input, or a URL without path and user, which contains no key.
 * Throws UsageError, which never contains the URL.
 */
export async function readEndpointUrl(
  context: Context,
  flag: string,
  source: string,
): Promise<string> {
  const text = await resolveSource(context, flag, source)
  const form = 'http://… or https://…'
  if (!URL.canParse(text)) throw new UsageError(`${flag}: the value is not a URL, expected ${form}`)
  const { protocol, pathname, search, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`${flag}: the URL begins with ${protocol}, expected ${form}`)
  }
  const holdsKey = pathname.length > 1 || [search, username, password].some((part) => part !== '')
  if (text === source && holdsKey) {
    throw new UsageError(
      `${flag}: other users can see arguments, and a URL with a path may hold a key: use '\${env:NAME}', '\${file:/path}' or -`,
    )
  }
  return text
}

async function resolveSource(context: Context, flag: string, source: string): Promise<string> {
  if (source === '-') return (await context.readInput()).trim()
  if (!hasReference(source)) return source
  const resolved = resolveReferences(source, context.env, flag, { emptyRefused: true })
  if (resolved.mistake !== undefined) throw new UsageError(resolved.mistake.text)
  return resolved.text.trim()
}
