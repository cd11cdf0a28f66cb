// Looks up TXT records through the operating system's resolver settings, or through a DNS-over-HTTPS server that the operator
// configures (RFC 8484).
// Tested by src/ipfs/names/txt-lookup.test.ts
import { Resolver } from 'node:dns/promises'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { decodeTxtReply, encodeTxtQuery } from '../../codec/dns-message.ts'
import { createHttpClient } from '../sources/http-client.ts'
import type { LookUpTxt } from './dnslink.ts'

const timeoutMs = 5_000
const triesMax = 2
/** Longest DNS message (RFC 8484 6). */
const replyBytesMax = 65_535
const connectionsMax = 8
const dnsMessage = 'application/dns-message'

/** `node:dns` reports no TTL. `servers`: addresses with ports, in place of those of the system. */
export function createSystemLookup(servers: readonly string[] | null = null): LookUpTxt {
  return async (name, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: timeoutMs / triesMax, tries: triesMax })
    if (servers !== null) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const records = await resolver.resolveTxt(name)
      return { texts: records.map((parts) => parts.join('')), ttlMs: null }
    } catch (cause) {
      signal.throwIfAborted()
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'EUNKNOWN'
      if (code === 'ENOTFOUND' || code === 'ENODATA') return null
      throw new Fault('no_upstream', { detail: `DNS lookup failed: ${code}`, cause })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** `url`: `https://…/dns-query`. `close` aborts pending lookups. */
export function createHttpsLookup(
  url: string,
  clock: Clock,
): { readonly lookUp: LookUpTxt; close(): Promise<void> } {
  const client = createHttpClient({ url, headers: {}, connections: connectionsMax, clock })
  return {
    async lookUp(name, signal) {
      const reply = await client
        .send(
          {
            method: 'POST',
            path: new URL(url).pathname === '/' ? '/' : '',
            headers: { accept: dnsMessage, 'content-type': dnsMessage },
            body: encodeTxtQuery(name),
            replyBytesMax,
            timeoutMs,
          },
          signal,
        )
        .catch((cause: unknown) => {
          signal.throwIfAborted()
          throw new Fault('no_upstream', { detail: 'the DNS resolver does not answer', cause })
        })
      if (reply.status !== 200) {
        throw new Fault('no_upstream', { detail: `the DNS resolver answered ${reply.status}` })
      }
      const answers = decodeTxtReply(reply.bytes)
      return answers === null ? null : { texts: answers.texts, ttlMs: answers.ttlSeconds * 1000 }
    },
    close: () => client.close(),
  }
}
