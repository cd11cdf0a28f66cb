// Resolves IPNS names and DNSLink to content, and stores the newest record that accounts published for each name. Records are
// verified before they are stored and after they are read.
// Tested by src/ipfs/names/names.test.ts
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes } from '../../base/hex.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { createSingleFlight } from '../../base/single-flight.ts'
import { type IpnsName, parseIpnsName } from '../../codec/ipld/ipns-name.ts'
import {
  type IpnsRecord,
  compareIpnsRecords,
  decodeIpnsRecord,
  verifyIpnsRecord,
} from '../../codec/ipld/ipns-record.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import {
  deleteEndedIpnsRecords,
  findIpnsRecord,
  putIpnsRecord,
} from '../../tables/ipns/ipns-records.ts'
import { parseNamePath } from '../read/path.ts'
import { type LookUpTxt, findDnsLink, parseDnsName } from './dnslink.ts'
import { type IpnsRouting, publishRecord } from './ipns-routing.ts'

/** `ttlMs`: how long the answer may be cached. */
type ResolvedName = { readonly path: string; readonly ttlMs: number }
type FoundRecord = IpnsRecord & { readonly ttlMs: number }

export type ResolveTerms = {
  /** False: resolves one step; its path may contain another IPNS name. */
  readonly recursive: boolean
  /** Ignores cached results. */
  readonly fresh: boolean
  /** Queries neither DNS nor routers. */
  readonly offline: boolean
  /** Whether routers and the DHT are queried. */
  readonly routers: boolean
  /** Time limit, at most a minute; absent: a minute. */
  readonly timeoutMs?: number
  /** Called with each name, in canonical form, before it is looked up; if it throws, the resolution ends with that error. */
  readonly permit?: (name: string) => void
}

export const usualTerms: ResolveTerms = {
  recursive: true,
  fresh: false,
  offline: false,
  routers: true,
}

export interface Names {
  /**
   * `path`: `/ipns/<name>[/…]` or `ipns://<name>[/…]`. The path of the result is `/ipfs/…`, or with `recursive` false that of one
   * step. Throws `command_failed` `could not resolve name…`, and `not_found` for a DNS name that is not allowed.
   */
  resolve(path: string, terms: ResolveTerms, signal: AbortSignal): Promise<ResolvedName>
  /** The newest valid record; null: none was found. Throws `no_upstream` if none is stored and no router answers. */
  find(
    name: IpnsName,
    terms: Omit<ResolveTerms, 'recursive' | 'permit'>,
    signal: AbortSignal,
  ): Promise<FoundRecord | null>
  /**
   * Stores a record and publishes it, unless `offline`. `force` false: refuses a record whose sequence number is not higher, unless
   * it is the stored record. Throws `command_failed` for an invalid record, and over the account's limit.
   */
  put(
    accountId: string,
    put: { readonly name: IpnsName; readonly bytes: Uint8Array; readonly force: boolean },
    terms: Pick<ResolveTerms, 'offline'>,
    signal: AbortSignal,
  ): Promise<IpnsRecord>
}

export type NamesParts = {
  readonly rows: Rows
  /** Null: the network is disabled. */
  readonly routing: () => IpnsRouting | null
  readonly lookUpTxt: LookUpTxt
  /** Whether a DNS name, in lower case, may be resolved. */
  readonly allowsDnsName: (name: string) => boolean
  readonly clock: Clock
}

/** Maximum number of steps from a name to content. */
export const hopsMax = 8
export const recordsPerAccountMax = 1_000
const cachedMax = 10_000
/** Time limit of one lookup with all its steps. */
const lookupMsMax = 60_000
const lookupsMax = 1_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How long a lookup without a result is cached; also the minimum for one with a result. */
const absentMs = 15_000
/** TTL of a record that states none, as in Kubo. */
const ttlMsWithout = minuteMs

type Cached = { readonly found: IpnsRecord | null; readonly until: number }
type CachedLink = { readonly path: string | null; readonly problem: string; readonly until: number }

export function createNames(parts: NamesParts): Names {
  const { rows, routing, lookUpTxt, allowsDnsName, clock } = parts
  const records = new Map<string, Cached>()
  const links = new Map<string, CachedLink>()
  const recordLookups = createSingleFlight<IpnsRecord | null>({ keysMax: lookupsMax })
  const linkLookups = createSingleFlight<CachedLink>({ keysMax: lookupsMax })

  /** Null: no record is stored, or it has expired. */
  async function findStored(name: IpnsName): Promise<IpnsRecord | null> {
    const row = await rows.first(findIpnsRecord(name.multihash))
    return row === null ? null : verified(row.record, name)
  }

  function verified(bytes: Uint8Array, name: IpnsName): IpnsRecord | null {
    try {
      const record = decodeIpnsRecord(bytes)
      verifyIpnsRecord(record, name, clock.now())
      return record
    } catch (thrown) {
      if (thrown instanceof Fault) return null
      throw thrown
    }
  }

  /** Null: no valid record was found. Throws `no_upstream` if nothing answered. */
  async function findRouted(
    name: IpnsName,
    fresh: boolean,
    signal: AbortSignal,
  ): Promise<IpnsRecord | null> {
    const known = records.get(name.text)
    const now = clock.now()
    if (!fresh && known !== undefined && known.until > now) return known.found
    const routers = routing()
    if (routers === null) return null
    return await recordLookups.join(name.text, signal, async (shared) => {
      const offered = await routers.getIpnsRecords(name, shared).catch((cause: unknown) => {
        shared.throwIfAborted()
        const detail = 'could not resolve name: no router answered'
        throw new Fault('no_upstream', { detail, cause })
      })
      const valid = offered.map((bytes) => verified(bytes, name)).filter((one) => one !== null)
      const found = valid.toSorted(compareIpnsRecords).at(-1) ?? null
      const ms = found === null ? absentMs : Math.max(absentMs, Math.min(ttlOf(found), hourMs))
      setNewest(records, name.text, { found, until: clock.now() + ms }, cachedMax)
      return found
    })
  }

  async function find(
    name: IpnsName,
    { fresh, offline, routers }: Omit<ResolveTerms, 'recursive' | 'permit'>,
    signal: AbortSignal,
  ): Promise<IpnsRecord | null> {
    const stored = await findStored(name)
    const routed =
      offline || !routers
        ? unexpired(records.get(name.text)?.found ?? null)
        : await findRouted(name, fresh, signal).catch((thrown: unknown) => {
            // The stored record is signed and valid, so Cairn returns it if no router replies.
            if (stored === null || signal.aborted) throw thrown
            return null
          })
    const known = unexpired(routed)
    if (stored === null || known === null) return stored ?? known
    return compareIpnsRecords(known, stored) > 0 ? known : stored
  }

  function unexpired(record: IpnsRecord | null): IpnsRecord | null {
    return record !== null && record.validity > clock.now() ? record : null
  }

  /** How long a record may be cached, in milliseconds; at most until it expires. */
  function ttlOf({ ttlNs, validity }: IpnsRecord): number {
    const ttlMs = ttlNs === null ? ttlMsWithout : Number(ttlNs / 1_000_000n)
    return Math.max(0, Math.min(ttlMs, validity - clock.now()))
  }

  async function resolveKey(
    name: IpnsName,
    terms: ResolveTerms,
    signal: AbortSignal,
  ): Promise<ResolvedName> {
    const record = await find(name, terms, signal)
    if (record === null) throw unresolved()
    return { path: record.value, ttlMs: ttlOf(record) }
  }

  async function resolveLink(
    name: string,
    { fresh, offline }: ResolveTerms,
    signal: AbortSignal,
  ): Promise<ResolvedName> {
    if (!allowsDnsName(name)) {
      const detail = `this server does not resolve the DNS name ${name}: the setting gateway.dnslink does not list it`
      throw new Fault('not_found', { detail })
    }
    let known = links.get(name)
    const isKnown = !fresh && known !== undefined && known.until > clock.now()
    if (!isKnown && !(offline && known !== undefined)) {
      if (offline) throw unresolved()
      known = await linkLookups.join(name, signal, (shared) => lookUpLink(name, shared))
    }
    const { path = null, problem = '', until = 0 } = known ?? {}
    if (path === null) throw unresolved(`: ${problem}`)
    return { path, ttlMs: Math.max(0, until - clock.now()) }
  }

  async function lookUpLink(name: string, signal: AbortSignal): Promise<CachedLink> {
    const reply = await lookUpTxt(`_dnslink.${name}`, signal)
    const link = findDnsLink(reply?.texts ?? [])
    const ttlMs = Math.min(Math.max(reply?.ttlMs ?? minuteMs, minuteMs), hourMs)
    const until = clock.now() + ttlMs
    const cached = 'path' in link ? { ...link, problem: '', until } : { ...link, path: null, until }
    setNewest(links, name, cached, cachedMax)
    return cached
  }

  async function step(
    name: string,
    terms: ResolveTerms,
    signal: AbortSignal,
  ): Promise<ResolvedName> {
    const key = parseIpnsName(name)
    const dnsName = key === null ? parseDnsName(name) : null
    const known = key?.text ?? dnsName
    if (known !== null) terms.permit?.(known)
    if (key !== null) return await resolveKey(key, terms, signal)
    if (dnsName !== null) return await resolveLink(dnsName, terms, signal)
    throw unresolved(
      `: ${JSON.stringify(name.slice(0, 200))} is neither an IPNS name nor a DNS name`,
    )
  }

  /** Stores the record of a name. Only if the account has too many, records that have expired are deleted. */
  async function store(accountId: string, name: IpnsName, record: IpnsRecord): Promise<void> {
    const now = clock.now()
    const { bytes, validity } = record
    const row = { name: name.multihash, accountId, record: bytes, validity }
    const dates = { rank: rankOf(record), due: now, changed: now }
    const put = putIpnsRecord({ ...row, ...dates }, recordsPerAccountMax)
    for (const before of [[], [deleteEndedIpnsRecords(accountId, now)]]) {
      try {
        await rows.write([...before, put])
        return
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged)) throw thrown
        // Another request stored a newer record in the meantime.
        const newer = await rows.first(findIpnsRecord(name.multihash))
        if (newer !== null) throw outdated(decodeIpnsRecord(newer.record), record)
      }
    }
    throw failed(`at most ${recordsPerAccountMax} IPNS names per account`)
  }

  async function publish(
    name: IpnsName,
    { bytes }: IpnsRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const routers = routing()
    if (routers === null) return
    // If this fails, the next round of republish.ts publishes it.
    await publishRecord({ rows, routing: routers, clock }, name, bytes, signal)
  }

  return {
    async find(name, terms, signal) {
      using deadline = withDeadline(signal, timeoutOf(terms), clock)
      const record = await find(name, terms, deadline.signal)
      return record === null ? null : { ...record, ttlMs: ttlOf(record) }
    },

    async resolve(path, terms, outer) {
      using deadline = withDeadline(outer, timeoutOf(terms), clock)
      const { signal } = deadline
      let at = parseNamePath(path)
      if (at === null) throw failed(`${JSON.stringify(path.slice(0, 200))} is not an IPNS name`)
      let ttlMs = Number.MAX_SAFE_INTEGER
      for (let hop = 0; hop < hopsMax; hop += 1) {
        const found = await step(at.name, terms, signal)
        ttlMs = Math.min(ttlMs, found.ttlMs)
        const whole = [found.path.replace(/\/+$/, ''), ...at.segments].join('/')
        const next = parseNamePath(whole)
        if (next === null || !terms.recursive) return { path: whole, ttlMs }
        at = next
      }
      throw unresolved(' (recursion limit exceeded)')
    },

    async put(accountId, { name, bytes, force }, { offline }, signal) {
      const record = decodeIpnsRecord(bytes)
      verifyIpnsRecord(record, name, clock.now())
      const stored = await rows.first(findIpnsRecord(name.multihash))
      const isStored = stored !== null && equalBytes(stored.record, bytes)
      if (stored !== null && !isStored) {
        const existing = decodeIpnsRecord(stored.record)
        if (!force && existing.sequence >= record.sequence) throw outdated(existing, record)
        if (compareIpnsRecords(record, existing) < 0) throw outdated(existing, record)
      }
      if (!isStored) await store(accountId, name, record)
      if (!offline) await publish(name, record, signal)
      return record
    },
  }
}

function timeoutOf({ timeoutMs = lookupMsMax }: Pick<ResolveTerms, 'timeoutMs'>): number {
  return Math.min(timeoutMs, lookupMsMax)
}

/** Bytes that order records as `compareIpnsRecords` does, except for two records with the same sequence number and expiry. */
function rankOf({ sequence, validity }: IpnsRecord): Uint8Array {
  const rank = Buffer.alloc(16)
  rank.writeBigUInt64BE(sequence, 0)
  rank.writeBigUInt64BE(BigInt(Math.max(0, validity)), 8)
  return rank
}

function outdated(existing: IpnsRecord, record: IpnsRecord): Fault {
  return failed(
    `existing IPNS record has sequence ${existing.sequence} >= new record sequence ${record.sequence}`,
  )
}

/** Kubo's text, followed by the reason. */
function unresolved(why = ''): Fault {
  return failed(`could not resolve name${why}`)
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
