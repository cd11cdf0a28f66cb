// Requests to URLs that account owners configured, never to internal addresses (SSRF). https only; the name is resolved once, all
// its addresses must be public, and the socket uses the checked one. No redirects; time and reply size are limited.
// Tested by src/access/alerts/outbound-post.test.ts, src/kubo/remote-pins/pin-remotes.test.ts
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'
import { Fault } from './fault.ts'
import { loadUndici } from './http-origin.ts'

type OutboundRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  /** Null: no body. */
  readonly body: string | null
  /** A longer reply is truncated. */
  readonly replyBytesMax: number
  readonly signal?: AbortSignal
}

type OutboundReply = {
  readonly status: number
  readonly bytes: Uint8Array
  /** True if the whole reply was read. */
  readonly whole: boolean
}

export interface Outbound {
  /** Throws `bad_input` for a URL that is not allowed, and an Error with the reason if there is no reply. */
  request(url: string, request: OutboundRequest): Promise<OutboundReply>
}

/** Returns all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>

const timeoutMs = 10_000
const urlCharsMax = 2048

const resolveNow: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/**
 * Validates a URL before its name is resolved. `what`: name and example of the setting, for the error. Throws `bad_input`.
 */
export function parseTarget(
  text: string,
  anywhere: boolean,
  what = 'a webhook is a URL like https://example.com/hook',
): URL {
  const url = text.length <= urlCharsMax && URL.canParse(text) ? new URL(text) : null
  const fits = url?.protocol === 'https:' || (anywhere && url?.protocol === 'http:')
  if (url === null || !fits || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new Fault('bad_input', { detail: what })
  }
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isInside = isIP(address) === 0 ? isInsideName(address) : !isPublicAddress(address)
  if (!anywhere && isInside) {
    const detail = `${address} is not on the public internet, where requests for accounts go`
    throw new Fault('bad_input', { detail })
  }
  return url
}

/**
 * True for names that never belong to the public internet: special-use names (RFC 6761, 6762, 8375, 9476), names without a
 * dot, and metadata services of clouds. The addresses of any other name are checked before each request.
 */
function isInsideName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return !name.includes('.') || insideNames.test(name)
}

const insideNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|alt|onion|test|invalid|metadata\.tencentyun\.com|metadata\.(packet\.net|platformequinix\.com))$/

/** `anywhere`: allows private addresses and http, if the operator enabled it. */
export function createOutbound(parts: {
  readonly clock: Clock
  readonly anywhere: () => boolean
  readonly resolve?: Resolve
}): Outbound {
  const { clock, anywhere, resolve = resolveNow } = parts

  /** The address for the socket. */
  async function checkedAddress(host: string): Promise<string> {
    const bare = host.replace(/^\[(.*)\]$/, '$1')
    const addresses = isIP(bare) === 0 ? await resolve(bare) : [bare]
    const [first] = addresses
    if (first === undefined) throw new Error(`${bare} has no address`)
    if (!anywhere() && !addresses.every(isPublicAddress)) {
      throw new Error(`${bare} is not on the public internet`)
    }
    return first
  }

  return {
    async request(text, { method, headers, body, replyBytesMax, signal }) {
      const url = parseTarget(text, anywhere())
      const { Client, buildConnector } = loadUndici()
      const connect = buildConnector({ timeout: timeoutMs, allowH2: false })
      const client = new Client(url.origin, {
        pipelining: 0,
        maxHeaderSize: 16 * 1024,
        connect(options, callback) {
          checkedAddress(options.hostname).then(
            (hostname) => {
              const name = isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) === 0 ? url.hostname : ''
              connect({ ...options, hostname, host: hostname, servername: name }, callback)
            },
            (error: unknown) => callback(error as Error, null),
          )
        },
      })
      using deadline = withDeadline(signal ?? null, timeoutMs, clock)
      try {
        const reply = await client.request({
          method,
          path: `${url.pathname}${url.search}`,
          headers: { ...headers },
          body,
          signal: deadline.signal,
        })
        const chunks: Uint8Array[] = []
        let bytes = 0
        for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
          bytes += chunk.length
          if (bytes > replyBytesMax) break
          chunks.push(chunk)
        }
        const whole = bytes <= replyBytesMax
        return { status: reply.statusCode, bytes: Buffer.concat(chunks), whole }
      } finally {
        client.destroy().catch(() => {})
      }
    },
  }
}
