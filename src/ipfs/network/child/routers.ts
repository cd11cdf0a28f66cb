// Delegated Routing V1 over HTTP: requests providers, peers and IPNS records from all configured routers in parallel. Bytes,
// records and time of replies are limited; replies are cached. Specification: https://specs.ipfs.tech/routing/http-routing-v1/
// Tested by src/ipfs/network/child/routers.test.ts
import type { CID } from 'multiformats/cid'
import { createCircuitBreaker, type CircuitBreaker } from '../../../base/circuit-breaker.ts'
import type { Clock } from '../../../base/clock.ts'
import { withDeadline } from '../../../base/deadline.ts'
import { setNewest } from '../../../base/lru-cache.ts'
import { createHttpClient, type HttpClient, HttpTrouble } from '../../sources/http-client.ts'
import type { Provider } from './block-peer.ts'

export type Routers = {
  /** Calls `take` for each provider. Resolves to whether every router answered; true without routers. */
  findProviders(cid: CID, take: (provider: Provider) => void, signal: AbortSignal): Promise<boolean>
  /** Whether each router lists a provider with this ID at the moment, past the cache; null: it did not answer. */
  checkProvider(
    cid: CID,
    isWanted: (id: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly { readonly host: string; readonly isListed: boolean | null }[]>
  /** Addresses of a peer. */
  findPeer(peer: string, signal: AbortSignal): Promise<readonly string[]>
  /** Records of an IPNS name (base36 CID), at most one from each router. */
  getIpns(name: string, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Whether a router accepted the record. */
  putIpns(name: string, record: Uint8Array, signal: AbortSignal): Promise<boolean>
  /** Replaces the base URLs of the routers. */
  replace(urls: readonly string[]): void
  readonly count: number
  readonly requests: number
  readonly failures: number
}

export const routerLimits = {
  timeoutMs: 3_000,
  replyBytesMax: 1024 * 1024,
  recordsMax: 100,
  cacheMax: 10_000,
  connections: 8,
} as const
/** A reply's `max-age` counts up to a day. */
const cacheMs = 300_000
const emptyCacheMs = 15_000
const cacheMsMax = 24 * 3_600_000
export const addressesMax = 32
export const ipnsBytesMax = 10 * 1024
const breakerLimits = { windowMs: 30_000, callsMin: 4, failedShare: 0.5, openMs: 10_000 } as const
const filter = 'transport-bitswap,transport-ipfs-gateway-http,unknown'
const ipnsRecord = 'application/vnd.ipfs.ipns-record'

type Router = {
  readonly url: string
  readonly client: HttpClient
  readonly breaker: CircuitBreaker
}
type Cached = { readonly until: number; readonly providers: readonly Provider[] }

/** `cacheMax`: maximum number of cached replies. */
export function createRouters(
  urls: readonly string[],
  clock: Clock,
  cacheMax: number = routerLimits.cacheMax,
): Routers {
  const cache = new Map<string, Cached>()
  let routers: readonly Router[] = []
  let requests = 0
  let failures = 0

  function replace(next: readonly string[]): void {
    const before = routers
    routers = next.map((url) => before.find((one) => one.url === url) ?? openRouter(url, clock))
    for (const one of before) if (!routers.includes(one)) void one.client.close()
  }

  /** Null: the router did not answer. */
  async function request<Value>(
    router: Router,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value | null> {
    if (!router.breaker.mayPass()) return null
    router.breaker.pass()
    requests += 1
    using deadline = withDeadline(signal, routerLimits.timeoutMs, clock)
    try {
      const value = await run(deadline.signal)
      router.breaker.succeed()
      return value
    } catch {
      if (signal.aborted) router.breaker.forget()
      else {
        router.breaker.fail()
        failures += 1
      }
      return null
    }
  }

  async function query(
    router: Router,
    cid: CID,
    take: (provider: Provider) => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const path = `/routing/v1/providers/${cid.toV1().toString()}`
    const key = `${router.url} ${path}`
    const cached = cache.get(key)
    if (cached !== undefined && clock.monotonic() < cached.until) {
      cached.providers.forEach(take)
      return true
    }
    const answer = await request(router, signal, async (deadline) => {
      const providers: Provider[] = []
      const maxAgeMs = await readRecords(router.client, path, deadline, (record) => {
        for (const provider of providersOf(record)) {
          providers.push(provider)
          take(provider)
        }
      })
      const usualMs = providers.length === 0 ? emptyCacheMs : cacheMs
      const until = clock.monotonic() + Math.min(maxAgeMs ?? usualMs, cacheMsMax)
      setNewest(cache, key, { until, providers }, cacheMax)
      return true
    })
    return answer ?? false
  }

  replace(urls)
  return {
    replace,
    async findProviders(cid, take, signal) {
      const answered = await Promise.all(routers.map((router) => query(router, cid, take, signal)))
      return answered.every(Boolean)
    },
    checkProvider(cid, isWanted, signal) {
      const path = `/routing/v1/providers/${cid.toV1().toString()}`
      return Promise.all(
        routers.map(async (router) => {
          const isListed = await request(router, signal, async (deadline) => {
            let found = false
            await readRecords(router.client, path, deadline, (record) => {
              found ||= isWanted(idOf(record))
            })
            return found
          })
          return { host: new URL(router.url).host, isListed }
        }),
      )
    },
    async findPeer(peer, signal) {
      const found: string[] = []
      const path = `/routing/v1/peers/${peer}`
      await Promise.all(
        routers.map((router) =>
          request(router, signal, (deadline) =>
            readRecords(router.client, path, deadline, (record) => {
              for (const one of providersOf(record)) {
                if (one.kind === 'peer' && one.peer === peer) found.push(...one.addresses)
              }
            }),
          ),
        ),
      )
      return [...new Set(found)].slice(0, addressesMax)
    },
    async getIpns(name, signal) {
      const records = await Promise.all(
        routers.map((router) =>
          request(router, signal, async (deadline) => {
            const { timeoutMs } = routerLimits
            const path = `/routing/v1/ipns/${name}`
            const headers = { accept: ipnsRecord }
            const ask = {
              method: 'GET',
              path,
              headers,
              replyBytesMax: ipnsBytesMax,
              timeoutMs,
            } as const
            const { status, bytes } = await router.client.send(ask, deadline)
            return status === 200 && bytes.length > 0 ? bytes : null
          }),
        ),
      )
      return records.filter((record) => record !== null)
    },
    async putIpns(name, record, signal) {
      const taken = await Promise.all(
        routers.map((router) =>
          request(router, signal, async (deadline) => {
            const { timeoutMs } = routerLimits
            const path = `/routing/v1/ipns/${name}`
            const headers = { 'content-type': ipnsRecord }
            const ask = {
              method: 'PUT',
              path,
              headers,
              body: record,
              replyBytesMax: 65_536,
              timeoutMs,
            } as const
            return (await router.client.send(ask, deadline)).status === 200
          }),
        ),
      )
      return taken.includes(true)
    },
    get count() {
      return routers.length
    },
    get requests() {
      return requests
    },
    get failures() {
      return failures
    },
  }
}

function openRouter(url: string, clock: Clock): Router {
  const client = createHttpClient({
    url,
    headers: {},
    connections: routerLimits.connections,
    clock,
  })
  return { url, client, breaker: createCircuitBreaker(clock, breakerLimits) }
}

/** Calls `take` for each record of the reply, NDJSON or one JSON object. Returns its `max-age`. Throws HttpTrouble. */
async function readRecords(
  client: HttpClient,
  path: string,
  signal: AbortSignal,
  take: (record: unknown) => void,
): Promise<number | null> {
  const { timeoutMs, replyBytesMax, recordsMax } = routerLimits
  const query = [['filter-protocols', filter]] as const
  const headers = { accept: 'application/x-ndjson, application/json' }
  const reply = await client.open({ method: 'GET', path, query, headers, timeoutMs }, signal)
  let text = ''
  let bytesRead = 0
  let records = 0
  const decoder = new TextDecoder()
  for await (const bytes of reply.body) {
    if (reply.status !== 200) break
    bytesRead += bytes.length
    // The records read so far count.
    if (bytesRead > replyBytesMax) break
    const lines = (text + decoder.decode(bytes, { stream: true })).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) records += takeLine(line, take)
    if (records >= recordsMax) break
  }
  // An absent result is 404, or 200 without records.
  if (reply.status === 404) return reply.maxAgeMs
  if (reply.status !== 200) throw new HttpTrouble(`status ${reply.status}`)
  if (records < recordsMax && bytesRead <= replyBytesMax) takeLine(text, take)
  return reply.maxAgeMs
}

/** Returns the number of records. Lines that are not JSON are skipped. */
function takeLine(line: string, take: (record: unknown) => void): number {
  if (line.trim() === '') return 0
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && 'Providers' in value) {
      const { Providers: list } = value
      if (!Array.isArray(list)) return 1
      const records = list.slice(0, routerLimits.recordsMax)
      records.forEach(take)
      return records.length
    }
    take(value)
  } catch {
    // The other lines still count.
  }
  return 1
}

/** Records with unknown schemas yield no providers. Addresses with `/http` are gateways; the others belong to the peer. */
export function providersOf(record: unknown): readonly Provider[] {
  if (typeof record !== 'object' || record === null) return []
  const { Schema: schema, ID: id, Addrs: addrs } = record as Record<string, unknown>
  if (schema !== 'peer' && schema !== 'bitswap') return []
  if (typeof id !== 'string' || !/^[A-Za-z0-9]{20,128}$/.test(id)) return []
  const addresses = (Array.isArray(addrs) ? addrs : [])
    .slice(0, addressesMax)
    .filter((one) => typeof one === 'string' && one.length <= 512) as string[]
  return splitAddresses(id, addresses)
}

/** Empty: the record has none. */
function idOf(record: unknown): string {
  const isPeer = typeof record === 'object' && record !== null && 'ID' in record
  return isPeer && typeof record.ID === 'string' ? record.ID.slice(0, 128) : ''
}

/** A provider for the peer with its addresses, and a gateway for each HTTP address. */
export function splitAddresses(peer: string, addresses: readonly string[]): readonly Provider[] {
  const gateways = [...new Set(addresses.flatMap((one) => gatewayUrl(one) ?? []))]
  const others = addresses.filter((one) => !/\/https?(\/|$)/.test(one))
  return [
    ...gateways.map((url) => ({ kind: 'gateway', url }) as const),
    ...(others.length > 0 || gateways.length === 0
      ? [{ kind: 'peer', peer, addresses: others } as const]
      : []),
  ]
}

const gatewayForm =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/([^/]{1,253})\/tcp\/(\d{1,5})\/(?:(https)|(?:(tls)(?:\/sni\/[^/]+)?\/)?http)(?:\/p2p\/[^/]+)?$/

/** Converts `/dns4/<host>/tcp/443/https` or `…/tls/http` to a URL; null: not an HTTP address. */
export function gatewayUrl(address: string): string | null {
  const [, host, port, https, tls] = gatewayForm.exec(address) ?? []
  if (host === undefined || port === undefined) return null
  const scheme = https === undefined && tls === undefined ? 'http' : 'https'
  const url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
  return URL.canParse(url) ? new URL(url).origin : null
}
