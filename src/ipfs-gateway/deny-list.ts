// Deny lists of content that this server must not serve, in the format in which operators exchange them. Blocks are compared by
// multihash, so that another form of the CID cannot bypass a rule. The last matching rule decides.
// Form: https://specs.ipfs.tech/compact-denylist-format/ (IPIP-383); of IPNS names only rules for a whole name, in clear
// Tested by src/ipfs-gateway/deny-list.test.ts
import { decodeOrSame } from '../base/decode-or-same.ts'
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { base58btc } from 'multiformats/bases/base58'
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { toBareHex } from '../base/hex.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import { parseIpnsName } from '../codec/ipld/ipns-name.ts'
import { computed, decodeMultihash, identityCode } from '../codec/ipld/multihash.ts'
import { parseDnsName } from '../ipfs/names/dnslink.ts'

/** Status of the refusal: 410, or 451 if the rule states a legal reason. */
export type DenyStatus = 410 | 451

/** The rule that decides. `status` null: it allows the content. `line`: 1-based. */
export type DenyMatch = { readonly status: DenyStatus | null; readonly line: number }

export type DenyList = {
  /** Null: no rule matches the content of `cid`, or of the path below it. */
  find(cid: CID, segments?: readonly string[]): DenyMatch | null
  /** `name`: in canonical form (`canonicalName`). Null: no rule matches the name. */
  findName(name: string): DenyMatch | null
  readonly entries: number
  /** Line numbers of invalid rules, which have no effect. At most 20. */
  readonly unread: readonly number[]
}

/** Maximum number of lines; a longer list is assumed to be a mistake. */
export const denyLinesMax = 1_000_000
const lineCharsMax = 2 * 1024 * 1024
const headCharsMax = 1024 * 1024
const unreadMax = 20
/** Lines that are parsed before yielding to other work. */
const turnLines = 4096

/** Rules for a path below a CID. `prefix`: matches all paths that begin with `path`. */
type PathRule = { readonly path: string; readonly prefix: boolean; readonly rule: number }

/**
 * Rules in the order in which they were added. A rule is one number, because lists have a million of them: four times its
 * line, plus 1 if it allows, plus 2 if its status is 451.
 */
export class DenyRules {
  readonly #blocks = new Map<string, number>()
  readonly #paths = new Map<string, PathRule[]>()
  /** By IPNS name. */
  readonly #names = new Map<string, number>()
  /** By the hash of CID and path: hex of a sha2-256, or `<code>:<digest in hex>`. */
  readonly #hashes = new Map<string, number>()
  /** Hash functions of the multihashes. */
  readonly #codes = new Set<number>()
  #entries = 0

  get entries(): number {
    return this.#entries
  }

  /** `status`: for rules without a hint. Returns false if the line is not a valid rule. */
  add(line: string, at: number, status: DenyStatus): boolean {
    const [item = '', ...hints] = line.split(/\s+/)
    const allows = item.startsWith('!')
    const name = allows ? item.slice(1) : item
    const rule = at * 4 + (allows ? 1 : 0) + ((statusOf(hints) ?? status) === 451 ? 2 : 0)
    if (name.startsWith('/ipns/')) {
      this.#addName(name.slice('/ipns/'.length), rule)
      return true
    }
    const added = name.startsWith('//')
      ? this.#addHash(name.slice(2), rule)
      : this.#addPath(name, rule)
    if (added) this.#entries += 1
    return added
  }

  /** Rules for a path below a name, and for invalid names, have no effect. */
  #addName(text: string, rule: number): void {
    const [, label = ''] = /^([^/]+)(?:\/\*?)?$/.exec(text) ?? []
    const name = parseIpnsName(label)?.text ?? parseDnsName(label)
    if (name === null) return
    this.#names.set(name, rule)
    this.#entries += 1
  }

  findName(name: string): DenyMatch | null {
    const rule = this.#names.get(name)
    return rule === undefined ? null : toMatch(rule)
  }

  #addHash(text: string, rule: number): boolean {
    const isLegacy = /^[0-9a-f]{64}$/i.test(text)
    if (isLegacy) this.#hashes.set(text.toLowerCase(), rule)
    const multihash = parseMultihash(text)
    if (multihash === null) return isLegacy
    this.#codes.add(multihash.code)
    this.#hashes.set(multihash.hex, rule)
    return true
  }

  #addPath(name: string, rule: number): boolean {
    const [, text = '', below = ''] = /^(?:\/ipfs\/)?([^/]+)(?:\/(.*))?$/.exec(name) ?? []
    const cid = parseCid(text)
    if (cid === null) return false
    const key = keyOf(cid)
    if (below === '' || below === '*') {
      this.#blocks.set(key, rule)
      return true
    }
    const prefix = below.endsWith('*')
    const path = normalPath(prefix ? below.slice(0, -1) : below.replace(/\/+$/, ''))
    if (path === null) return false
    const rules = this.#paths.get(key)
    if (rules === undefined) this.#paths.set(key, [{ path, prefix, rule }])
    else rules.push({ path, prefix, rule })
    return true
  }

  find(cid: CID, segments: readonly string[] = []): DenyMatch | null {
    if (this.#entries === 0) return null
    const key = keyOf(cid)
    const path = segments.join('/')
    let last = this.#blocks.get(key) ?? 0
    if (path !== '') {
      for (const one of this.#paths.get(key) ?? []) {
        if (matchesPath(one, path)) last = Math.max(last, one.rule)
      }
    }
    if (this.#hashes.size > 0) {
      // A hash of the CID alone applies to all paths below it.
      for (const below of path === '' ? [''] : ['', path]) {
        for (const name of this.#hashesOf(cid, below)) {
          last = Math.max(last, this.#hashes.get(name) ?? 0)
        }
      }
    }
    return last === 0 ? null : toMatch(last)
  }

  *#hashesOf(cid: CID, path: string): Generator<string> {
    yield hash('sha256', `${cid.toV1().toString()}/${path}`, 'hex')
    if (this.#codes.size === 0) return
    const bare = base58btc.baseEncode(cid.multihash.bytes)
    const bytes = Buffer.from(path === '' ? bare : `${bare}/${path}`)
    for (const code of this.#codes) yield nameOf(code, computed(code, bytes))
  }
}

/**
 * One rule per line: `<cid>`, `/ipfs/<cid>` and `/ipfs/<cid>/*` (equivalent), `/ipfs/<cid>/path` (that path; with a trailing `*`
 * all paths with that prefix), `//<hash>` of CID and path, each with a leading `!` to allow; hints follow after a space. A YAML
 * header ends with `---`. Throws RangeError for a list that is too long, and for a header that is malformed or of another version.
 * `parseYaml` throws for invalid YAML.
 */
export async function parseDenyList(
  text: string,
  parseYaml: (text: string) => unknown,
): Promise<DenyList> {
  checkLines(text)
  const lines = text.split(/\r?\n/)
  const end = findHead(lines)
  const declared = end === 0 ? null : readHead(lines.slice(0, end - 1).join('\n'), parseYaml)
  const head = declared === null ? 0 : end
  const status = declared ?? 410
  const rules = new DenyRules()
  const unread: number[] = []
  for (let at = head; at < lines.length; at++) {
    if (at % turnLines === 0) await setImmediate()
    const line = (lines[at] ?? '').trim()
    if (line.length > lineCharsMax) {
      throw new RangeError(`line ${at + 1} has more than ${lineCharsMax} characters`)
    }
    if (line === '' || line.startsWith('#')) continue
    if (!rules.add(line, at + 1, status) && unread.length < unreadMax) unread.push(at + 1)
  }
  return {
    find: (cid, segments) => rules.find(cid, segments),
    findName: (name) => rules.findName(name),
    entries: rules.entries,
    unread,
  }
}

function toMatch(rule: number): DenyMatch {
  const status = (rule & 1) === 1 ? null : (rule & 2) === 2 ? 451 : 410
  return { status, line: Math.floor(rule / 4) }
}

/** Before the text is split: an array of too many lines could exceed memory. */
function checkLines(text: string): void {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines += 1
    if (lines > denyLinesMax) {
      throw new RangeError(`a deny list has at most ${denyLinesMax} lines, this one has more`)
    }
  }
}

/** Index of the first line after the header; 0: there is no header. */
function findHead(lines: readonly string[]): number {
  let chars = 0
  for (const [at, line] of lines.entries()) {
    if (line.trimEnd() === '---') return at + 1
    chars += line.length + 1
    if (chars > headCharsMax) return 0
  }
  return 0
}

/** The status of rules without a hint; null: the text is not a header but rules. */
function readHead(text: string, parseYaml: (text: string) => unknown): DenyStatus | null {
  let head: unknown
  try {
    head = parseYaml(text)
  } catch (cause) {
    throw new RangeError(
      `the header of the deny list is not valid YAML: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
  if (head === null) return 410
  if (typeof head !== 'object') return null
  const { version = 1, hints } = head as { readonly version?: unknown; readonly hints?: unknown }
  if (version !== 1) {
    throw new RangeError(`the deny list has version ${JSON.stringify(version)}, expected 1`)
  }
  if (typeof hints !== 'object' || hints === null) return 410
  const pairs = Object.entries(hints).map(([name, value]) => `${name}:${String(value)}`)
  return statusOf(pairs) ?? 410
}

/** The format does not define names of hints; `status` is the status of the reply. */
function statusOf(hints: readonly string[]): DenyStatus | null {
  const found = hints.findLast((hint) => hint === 'status:410' || hint === 'status:451')
  return found === undefined ? null : found === 'status:451' ? 451 : 410
}

function keyOf(cid: CID): string {
  return toBareHex(cid.multihash.bytes)
}

function nameOf(code: number, digest: Uint8Array): string {
  return `${code}:${toBareHex(digest)}`
}

function parseMultihash(text: string): { readonly code: number; readonly hex: string } | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,200}$/.test(text)) return null
  try {
    const { code, digest } = decodeMultihash(base58btc.baseDecode(text))
    return code === identityCode ? null : { code, hex: nameOf(code, digest) }
  } catch (thrown) {
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

/** `a*` matches all paths with that prefix; `a/*` only `a` and the paths below it. */
function matchesPath({ path, prefix }: PathRule, requestPath: string): boolean {
  if (!prefix) return requestPath === path
  return requestPath.startsWith(path) || `${requestPath}/` === path
}

/**
 * Normalizes a path as the gateway does: decodes it and removes empty segments and `.`; malformed escapes are left unchanged. A
 * trailing slash remains. Null: it contains `..`, which no request has.
 */
function normalPath(text: string): string | null {
  const segments = text
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map(decodeOrSame)
  if (segments.includes('..')) return null
  const path = segments.join('/')
  return text.endsWith('/') && path !== '' ? `${path}/` : path
}
