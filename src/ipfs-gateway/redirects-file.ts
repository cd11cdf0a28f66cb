// The `_redirects` file of a site: rules for paths that the site does not contain; the first match applies. Pure; linear in the
// size of the file. Rules: https://specs.ipfs.tech/http-gateways/web-redirects-file/
// Tested by src/ipfs-gateway/redirects-file.test.ts
import { decodeOrSame } from '../base/decode-or-same.ts'
import { Fault } from '../base/fault.ts'

const redirectStatuses = [301, 302, 303, 307, 308] as const
const pageStatuses = [404, 410, 451] as const

/** `move`: redirect to another URL. `page`: the file at `path` (decoded segments) with this status. */
export type RedirectTarget =
  | { readonly kind: 'move'; readonly status: RedirectStatus; readonly location: string }
  | {
      readonly kind: 'page'
      readonly status: 200 | PageStatus
      readonly segments: readonly string[]
    }

export type RedirectStatus = (typeof redirectStatuses)[number]
/** Status of a page that a site shows instead of content. */
export type PageStatus = (typeof pageStatuses)[number]

export type RedirectRule = {
  /** Path segments; `:name` matches one segment, a final `*` matches the rest. */
  readonly from: readonly string[]
  /** A path, or an absolute URL. */
  readonly to: string
  readonly status: 200 | RedirectStatus | PageStatus
}

export const redirectsName = '_redirects'
/** From the specification. */
export const redirectsBytesMax = 65_536
const targetCharsMax = 8192
const placeholder = /^:[A-Za-z_]\w*$/

/** Throws `command_failed` with the text of the 500 reply: the line and its error. */
export function parseRedirects(text: string): readonly RedirectRule[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const fields = line.split(/[ \t]+/).filter((field) => field !== '')
    if (fields.length === 0 || line.trimStart().startsWith('#')) return []
    const wrong = (reason: string): Fault => redirectsFault(`line ${at + 1}: ${reason}`)
    const [from = '', to, status, ...more] = fields
    if (to === undefined || more.length > 0) throw wrong('expected "from to [status]"')
    return [{ from: parseFrom(from, wrong), ...parseTo(to, status, wrong) }]
  })
}

/** `command_failed` with the text of the 500 reply. */
export function redirectsFault(reason: string): Fault {
  return new Fault('command_failed', { detail: `could not parse ${redirectsName}: ${reason}` })
}

type Wrong = (reason: string) => Fault

function parseFrom(from: string, wrong: Wrong): readonly string[] {
  const shown = JSON.stringify(from.slice(0, 200))
  if (!from.startsWith('/')) throw wrong(`the path ${shown} does not begin with /`)
  const segments = from.slice(1).split('/')
  const seen = new Set<string>()
  return segments.map((segment, at) => {
    if (segment === '*' && at === segments.length - 1) return segment
    if (segment.includes('*')) throw wrong(`${shown} has a * that is not its last segment`)
    if (!segment.startsWith(':')) return decoded(segment, () => wrong(`${shown} is malformed`))
    if (!placeholder.test(segment)) throw wrong(`${shown} has a placeholder without a name`)
    if (seen.has(segment)) throw wrong(`${shown} has the placeholder ${segment} twice`)
    seen.add(segment)
    return segment
  })
}

function parseTo(
  to: string,
  status: string | undefined,
  wrong: Wrong,
): Pick<RedirectRule, 'to' | 'status'> {
  const shown = JSON.stringify(to.slice(0, 200))
  const isPath = to.startsWith('/') && !to.startsWith('//')
  if (!isPath && !/^https?:\/\/[^/:*]/i.test(to)) {
    throw wrong(`the target ${shown} is neither a path nor an http or https URL`)
  }
  const statusText = status ?? '301'
  const code = [200 as const, ...redirectStatuses, ...pageStatuses].find(
    (one) => String(one) === statusText,
  )
  if (code === undefined) {
    throw wrong(`status ${JSON.stringify(statusText.slice(0, 20))} is not supported`)
  }
  if (!isPath && !isRedirect(code)) throw wrong(`status ${code} needs a path of the site`)
  // Other characters are not allowed in a header.
  const plain = to.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent)
  return { to: plain, status: code }
}

function isRedirect(status: RedirectRule['status']): status is RedirectStatus {
  return redirectStatuses.some((one) => one === status)
}

/**
 * The target of the first rule that matches `path` (as sent, without the query), or null. `query`: as sent; its values override
 * those of the rule.
 */
export function findRedirect(
  rules: readonly RedirectRule[],
  path: string,
  query: string,
): RedirectTarget | null {
  const segments = path.replace(/^\/+/, '').split('/').map(decodeOrSame)
  for (const { from, to, status } of rules) {
    const values = match(from, segments)
    if (values === null) continue
    const [, target = '', suffix = ''] = /^([^?#]*)(.*)$/s.exec(to) ?? []
    // With an empty placeholder the path could begin with `//`, which refers to another server.
    const filled = fill(target, values).replace(/^[/\\]{2,}/, '/')
    if (isRedirect(status)) {
      return { kind: 'move', status, location: filled + mergedQuery(fill(suffix, values), query) }
    }
    const page = filled.slice(1).split('/').map(decodeOrSame)
    return {
      kind: 'page',
      status,
      segments: page.filter((segment) => segment !== '' && segment !== '.' && segment !== '..'),
    }
  }
  return null
}

/** Values by placeholder, URL-encoded; null: no match. */
function match(
  from: readonly string[],
  segments: readonly string[],
): ReadonlyMap<string, string> | null {
  const isOpen = from.at(-1) === '*'
  if (isOpen ? segments.length < from.length : segments.length !== from.length) return null
  const values = new Map<string, string>()
  for (const [at, wanted] of from.entries()) {
    const segment = segments[at] ?? ''
    if (wanted === '*' && at === from.length - 1) {
      const remaining = segments.slice(at).filter((one) => one !== '')
      values.set(':splat', remaining.map(encoded).join('/'))
    } else if (placeholder.test(wanted)) {
      if (segment === '') return null
      values.set(wanted, encoded(segment))
    } else if (wanted !== segment) return null
  }
  return values
}

/** Throws `command_failed` if the result is longer than a header may be. */
function fill(text: string, values: ReadonlyMap<string, string>): string {
  let chars = text.length
  const tooLong = (): Fault => redirectsFault(`a target has more than ${targetCharsMax} characters`)
  if (chars > targetCharsMax) throw tooLong()
  return text.replaceAll(/:[A-Za-z_]\w*/g, (name) => {
    const value = values.get(name) ?? name
    chars += value.length
    if (chars > targetCharsMax) throw tooLong()
    return value
  })
}

function mergedQuery(ruleQuery: string, sent: string): string {
  const hash = ruleQuery.indexOf('#')
  const [query, fragment] =
    hash < 0 ? [ruleQuery, ''] : [ruleQuery.slice(0, hash), ruleQuery.slice(hash)]
  if (sent === '') return query + fragment
  const merged = new URLSearchParams(query)
  const added = [...new URLSearchParams(sent)]
  for (const [name] of added) merged.delete(name)
  for (const [name, value] of added) merged.append(name, value)
  const text = merged.toString()
  return `${text === '' ? '' : `?${text}`}${fragment}`
}

function encoded(segment: string): string {
  return encodeURIComponent(segment.toWellFormed())
}

function decoded(segment: string, wrong: () => Fault): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw wrong()
  }
}
