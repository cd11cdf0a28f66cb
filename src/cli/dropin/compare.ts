// Compares two replies to one probe. Pure.
// Tested by test/cli/doctor-dropin.test.ts
import type { Reply } from './endpoint.ts'
import type { Probe } from './probes.ts'

/**
 * `same`; `wording`: errors that differ only in their text; `more`: this server answers where the other refuses, or adds members;
 * `different`.
 */
export type Verdict = 'same' | 'wording' | 'more' | 'different'

export type Compared = {
  readonly verdict: Verdict
  /** All differences, the other service first; empty if there are none. */
  readonly differences: readonly string[]
}

type RpcError = { readonly code: unknown; readonly message: unknown; readonly data: unknown }

const shownMax = 100
const depthMax = 12

const same: Compared = { verdict: 'same', differences: [] }

export function compareReplies(compare: Probe['compare'], theirs: Reply, ours: Reply): Compared {
  switch (compare) {
    case 'status':
      return theirs.status === ours.status ? same : different([statusOf(theirs, ours)])
    case 'cors':
      return compareHeaders([readable], theirs, ours)
    case 'preflight':
      return compareHeaders([readable, allowsPost, allowsJson], theirs, ours)
    case 'form':
    case 'value':
      return compareBodies(compare, theirs, ours)
  }
}

function compareBodies(compare: 'form' | 'value', theirs: Reply, ours: Reply): Compared {
  const [one, other] = [jsonOf(theirs.text), jsonOf(ours.text)]
  const [theirError, ourError] = [errorOf(one), errorOf(other)]
  if (refuses(theirs, theirError) && isAnswer(ours, other)) {
    return { verdict: 'more', differences: [`theirs: ${briefly(theirs, one)}; ours answers`] }
  }
  if (theirs.status !== ours.status) {
    const bodies = `theirs: ${briefly(theirs, one)}; ours: ${briefly(ours, other)}`
    return different([statusOf(theirs, ours), bodies])
  }
  if (theirError !== null && ourError !== null) return compareErrors(theirError, ourError)
  if ((theirError === null) !== (ourError === null)) {
    return different([`theirs: ${briefly(theirs, one)}; ours: ${briefly(ours, other)}`])
  }
  if (one === undefined || other === undefined) {
    return theirs.text.trim() === ours.text.trim()
      ? same
      : different([`theirs: ${shown(theirs.text)}; ours: ${shown(ours.text)}`])
  }
  // Ids above 2^53 compare equal after JSON.parse, so compare their text.
  const ids = [theirs.text, ours.text].map((text) => /"id"\s*:\s*([^,}\s]+)/.exec(text)?.[1] ?? '')
  if (ids[0] !== ids[1]) return different([`id: theirs ${shown(ids[0])}, ours ${shown(ids[1])}`])
  const found = [...differencesOf(compare, '', one, other, 0)]
  if (found.length === 0) return same
  const isMore = found.every(({ kind }) => kind === 'added')
  const wording = found.every(({ kind }) => kind === 'added' || kind === 'wording')
  return {
    verdict: isMore ? 'more' : wording ? 'wording' : 'different',
    differences: found.map(({ text }) => text),
  }
}

function compareErrors(theirs: RpcError, ours: RpcError): Compared {
  const hard: string[] = []
  if (theirs.code !== ours.code)
    hard.push(`error code: theirs ${shown(theirs.code)}, ours ${shown(ours.code)}`)
  // Cairn adds details to its own errors; the return data of a contract must be the same.
  const isRevert = theirs.code === 3
  if (isRevert && JSON.stringify(theirs.data) !== JSON.stringify(ours.data)) {
    hard.push(`error data: theirs ${shown(theirs.data)}, ours ${shown(ours.data)}`)
  }
  if (hard.length > 0) {
    return different([
      ...hard,
      `message: theirs ${shown(theirs.message)}, ours ${shown(ours.message)}`,
    ])
  }
  if (theirs.message === ours.message) return same
  return {
    verdict: 'wording',
    differences: [`message: theirs ${shown(theirs.message)}, ours ${shown(ours.message)}`],
  }
}

type Difference = { readonly kind: 'added' | 'wording' | 'value'; readonly text: string }

function* differencesOf(
  compare: 'form' | 'value',
  path: string,
  theirs: unknown,
  ours: unknown,
  depth: number,
): Generator<Difference> {
  const place = path === '' ? 'body' : path
  if (depth > depthMax) {
    yield { kind: 'value', text: `${place}: deeper than ${depthMax} levels, not compared` }
    return
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (compare === 'value' && theirs.length !== ours.length) {
      yield {
        kind: 'value',
        text: `${place}: theirs ${theirs.length} entries, ours ${ours.length}`,
      }
    }
    const least = Math.min(theirs.length, ours.length, compare === 'form' ? 1 : Infinity)
    for (let at = 0; at < least; at += 1) {
      yield* differencesOf(compare, `${path}[${at}]`, theirs[at], ours[at], depth + 1)
    }
    return
  }
  if (isObject(theirs) && isObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const inner = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(ours, name)) yield { kind: 'value', text: `${inner}: only theirs has it` }
      else if (!Object.hasOwn(theirs, name))
        yield { kind: 'added', text: `${inner}: only ours has it` }
      else if (/(?:^|\.)error\.message$/.test(inner)) {
        if (theirs[name] !== ours[name])
          yield { kind: 'wording', text: pairOf(inner, theirs[name], ours[name]) }
      } else yield* differencesOf(compare, inner, theirs[name], ours[name], depth + 1)
    }
    return
  }
  const isSame = compare === 'value' ? theirs === ours : formOf(theirs) === formOf(ours)
  if (!isSame) yield { kind: 'value', text: pairOf(place, theirs, ours) }
}

function pairOf(place: string, theirs: unknown, ours: unknown): string {
  return `${place}: theirs ${shown(theirs)}, ours ${shown(ours)}`
}

/** Type of a value. Quantities and data both count as `hex`: the text does not distinguish them. */
function formOf(value: unknown): string {
  if (typeof value === 'string') return /^0x[0-9a-f]*$/i.test(value) ? 'hex' : 'text'
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}

type HeaderCheck = { readonly name: string; readonly of: (reply: Reply) => boolean }

const readable: HeaderCheck = {
  name: 'a page may read the reply (access-control-allow-origin)',
  of: ({ headers }) =>
    ['*', 'https://app.example'].includes(headers['access-control-allow-origin'] ?? ''),
}
const allowsPost: HeaderCheck = {
  name: 'a page may use POST (access-control-allow-methods)',
  of: ({ headers }) => /\*|\bPOST\b/i.test(headers['access-control-allow-methods'] ?? ''),
}
const allowsJson: HeaderCheck = {
  name: 'a page may send JSON (access-control-allow-headers)',
  of: ({ headers }) => /\*|\bcontent-type\b/i.test(headers['access-control-allow-headers'] ?? ''),
}

function compareHeaders(checks: readonly HeaderCheck[], theirs: Reply, ours: Reply): Compared {
  const found = checks.filter(({ of }) => of(theirs) !== of(ours))
  if (found.length === 0) return same
  const more = found.every(({ of }) => of(ours))
  const differences = found.map(
    ({ name, of }) => `${name}: theirs ${yesOrNo(of(theirs))}, ours ${yesOrNo(of(ours))}`,
  )
  return { verdict: more ? 'more' : 'different', differences }
}

/** The method does not exist at the other service, or the plan of the key does not include it. */
function refuses({ status }: Reply, error: RpcError | null): boolean {
  if ([401, 402, 403, 404, 405].includes(status)) return true
  return error !== null && (error.code === -32601 || error.code === -32004)
}

function isAnswer({ status }: Reply, value: unknown): boolean {
  return status === 200 && isObject(value) && value['result'] !== undefined
}

function errorOf(value: unknown): RpcError | null {
  if (!isObject(value) || !isObject(value['error'])) return null
  const { code, message, data } = value['error']
  return { code, message, data }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function briefly({ status, text }: Reply, value: unknown): string {
  const error = errorOf(value)
  if (error !== null) return `${status}, error ${shown(error.code)} ${shown(error.message)}`
  if (isObject(value) && value['result'] !== undefined)
    return `${status}, result ${shown(value['result'])}`
  return text === '' ? `${status}, empty body` : `${status}, ${shown(text)}`
}

function statusOf(theirs: Reply, ours: Reply): string {
  return `status: theirs ${theirs.status}, ours ${ours.status}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}

function different(differences: readonly string[]): Compared {
  return { verdict: 'different', differences }
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no'
}
