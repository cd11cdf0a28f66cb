// Deny rules that operators add with an admin operation: database rows, read again when their revision has changed, so that a rule
// added by another process applies to the next request.
// Tested by test/files/deny.test.ts
import { decodeOrSame } from '../base/decode-or-same.ts'
import type { CID } from 'multiformats/cid'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { Fault } from '../base/fault.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import type { Rows } from '../db/rows.ts'
import { findAll, findOne } from '../db/sqlite-rows.ts'
import type { Database } from '../db/sqlite.ts'
import {
  countDenials,
  deleteDenial,
  type DenialRow,
  findDenial,
  listDenials,
  putDenial,
} from '../tables/denials.ts'
import { revisionOf } from '../tables/revisions.ts'
import { type DenyMatch, DenyRules, type DenyStatus } from './deny-list.ts'

type Denial = {
  readonly rule: string
  readonly status: DenyStatus
  readonly reason: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
}

/** The rule that decides for some content. */
export type DenyDecision = {
  /** Null: it allows the content. */
  readonly status: DenyStatus | null
  /** Path of the list, and the 1-based line in it; null: an operator added the rule. */
  readonly file: string | null
  readonly line: number | null
  /** The operator's rule; null: the rule is from a list. */
  readonly rule: string | null
}

/** Content as an operator specifies it: its deny rule, root CID and decoded path segments. */
export type NamedContent = {
  readonly rule: string
  readonly root: CID
  readonly segments: readonly string[]
}

/** Larger sets belong in a deny list file. */
const ownDenialsMax = 10_000
const nameCharsMax = 4096

/**
 * Parses `<cid>`, `/ipfs/<cid>/path`, `ipfs://<cid>/path`, or the URL of a gateway (`https://<host>/ipfs/<cid>/path`,
 * `https://<cid>.ipfs.<host>/path`). A trailing `*` in the path matches all paths with that prefix. Throws `bad_input`.
 */
export function parseContentName(text: string): NamedContent {
  const wrong = (): Fault =>
    new Fault('bad_input', {
      detail: `${JSON.stringify(text.slice(0, 200))} names no content: expected a CID, /ipfs/<cid>/path or the URL of a gateway`,
      data: { field: 'content' },
    })
  if (text.length > nameCharsMax) throw wrong()
  const plain = text.trim().replace(/^ipfs:\/\//i, '/ipfs/')
  const path = /^https?:\/\//i.test(plain) ? pathOfUrl(plain) : plain
  const [, name = '', below = ''] = /^(?:\/ipfs\/)?([^/?#]+)(\/[^?#]*)?$/.exec(path ?? '') ?? []
  const root = parseCid(name)
  if (root === null) throw wrong()
  const isPrefix = below.endsWith('*')
  const segments = (isPrefix ? below.slice(0, -1) : below)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map(decodeOrSame)
  if (segments.includes('..')) throw wrong()
  const encoded = segments.map((segment) => encodeURIComponent(segment).replaceAll('*', '%2A'))
  const base = `/ipfs/${root.toV1().toString()}`
  // `a/*` applies to paths below `a`, `a*` to all paths with that prefix.
  const end = isPrefix && segments.length > 0 ? (below.endsWith('/*') ? '/*' : '*') : ''
  return { rule: [base, ...encoded].join('/') + end, root, segments }
}

function pathOfUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { hostname, pathname } = new URL(text)
  const [, label] = /^([^.]+)\.ipfs\./.exec(hostname) ?? []
  if (label !== undefined) return `/ipfs/${label}${pathname === '/' ? '' : pathname}`
  return pathname.startsWith('/ipfs/') ? pathname : null
}

export type OwnDenials = {
  list(): Promise<readonly Denial[]>
  /** Adds a rule, or replaces status and reason of an existing one. Throws `conflict` beyond `ownDenialsMax` rules. */
  put(rule: string, status: DenyStatus, reason: string): Promise<Denial>
  /** Throws `absent`. */
  remove(rule: string): Promise<Denial>
}

export function createOwnDenials(parts: {
  readonly rows: Rows
  readonly clock: Pick<Clock, 'now'>
}): OwnDenials {
  const { rows, clock } = parts
  return {
    list: async () => (await rows.find(listDenials())).map(toDenial),
    async put(rule, status, reason) {
      const existing = await rows.first(findDenial(rule))
      const count = existing === null ? ((await rows.first(countDenials()))?.count ?? 0) : 0
      if (count >= ownDenialsMax) {
        const detail = `the server has ${ownDenialsMax} rules already: move them into a file of gateway.denyFiles`
        throw new Fault('conflict', { detail })
      }
      const created = existing?.created ?? clock.now()
      await rows.write([putDenial({ rule, status, reason, created })])
      return { rule, status, reason, created }
    },
    async remove(rule) {
      const existing = await rows.first(findDenial(rule))
      if (existing === null) {
        throw new Fault('absent', { detail: `no rule ${rule}: cairn deny list shows all rules` })
      }
      await rows.write([deleteDenial(rule)])
      return toDenial(existing)
    },
  }
}

function toDenial({ rule, status, reason, created }: DenialRow): Denial {
  return { rule, status: status === 451 ? 451 : 410, reason, created }
}

/** The rules in force. */
export type OwnDenyList = {
  find(cid: CID, segments?: readonly string[]): (DenyMatch & { readonly rule: string }) | null
  /** Reads the rules again if they have changed. Undefined: completed synchronously. */
  refresh(): Promise<void> | undefined
  /** As `refresh`, but never waits: a remote database is read in the background. */
  refreshNow(): void
  stop(): void
}

class RuleTable {
  revision = -1
  #rules = new DenyRules()
  #names: readonly string[] = []

  replace(revision: number, listed: readonly DenialRow[]): void {
    const read = new DenyRules()
    for (const [at, { rule, status }] of listed.entries()) {
      read.add(rule, at + 1, status === 451 ? 451 : 410)
    }
    this.#rules = read
    this.#names = listed.map(({ rule }) => rule)
    this.revision = revision
  }

  find: OwnDenyList['find'] = (cid, segments) => {
    const match = this.#rules.find(cid, segments)
    return match === null ? null : { ...match, rule: this.#names[match.line - 1] ?? '' }
  }
}

const denialsRevision = revisionOf('denials')

/** Reads from a local read connection, synchronously. */
export function createOwnDenyList(db: Database): OwnDenyList {
  const table = new RuleTable()
  function refresh(): undefined {
    const now = findOne(db, denialsRevision)?.number ?? 0
    if (now !== table.revision) table.replace(now, findAll(db, listDenials()))
  }
  return { find: table.find, refresh, refreshNow: refresh, stop: () => {} }
}

const lookMs = 1000

/**
 * Reads from a remote database each second, and when `onChange` announces a change. If the database cannot be read, the rules read
 * last stay in force. `refresh` must have resolved before requests arrive.
 */
export function createRemoteDenyList(parts: {
  readonly rows: Pick<Rows, 'first' | 'snapshot'>
  readonly onChange: (changed: () => void) => () => void
  readonly clock: Clock
  readonly log: Log
}): OwnDenyList {
  const { rows, clock, log } = parts
  const table = new RuleTable()
  let looking = false

  async function refresh(): Promise<void> {
    if (((await rows.first(denialsRevision))?.number ?? 0) === table.revision) return
    const [revisions, listed] = await rows.snapshot([denialsRevision, listDenials()])
    const read = revisions[0]?.number ?? 0
    // A read that started earlier may end later.
    if (read > table.revision) table.replace(read, listed)
  }

  function look(): void {
    if (looking) return
    looking = true
    refresh()
      .catch((error: unknown) => log('error', 'denials_not_read', { error }))
      .finally(() => (looking = false))
  }

  const stopLooking = clock.every(lookMs, look)
  const stopChanges = parts.onChange(look)
  return {
    find: table.find,
    refresh,
    refreshNow: () => {},
    stop() {
      stopLooking()
      stopChanges()
    },
  }
}
