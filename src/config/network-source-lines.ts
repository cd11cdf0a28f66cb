// One network as written, with references replaced, short forms expanded and the place of every member, so that issues are reported
// with their line.
// Tested by src/config/networks.test.ts
import { type ConfigIssue, wrongAt } from './config-issue.ts'
import { embeddedSchema, memberAt, upstreamNetworkSchema } from './network-schema.ts'
import type { ShortForm } from './network-variable.ts'
import { type Environment, hasReference, resolveReferences } from './reference.ts'
import type { FileValue } from './yaml-file.ts'

const depthMax = 8
/** Placeholder for an unresolved reference, whose issue is already reported. */
export const broken = Symbol('broken')

/** One network as given, with the places of its members. */
export type Written = {
  /** `networks[0]`, or the name in the environment variable. */
  readonly label: string
  readonly raw: Readonly<Record<string, unknown>>
  /** `cairn.yaml:3`, or the variable; for a missing path, the place of its nearest ancestor. */
  readonly whereOf: (path: readonly PropertyKey[]) => string
  /** The value comes from a reference or a variable, so it may be a secret. */
  readonly isHidden: (path: readonly PropertyKey[]) => boolean
}

type Item = {
  readonly item: unknown
  readonly index: number
  readonly file: string
  readonly list: FileValue | undefined
  readonly env: Environment
  readonly forms: readonly ShortForm[]
  readonly mistakes: ConfigIssue[]
}

/** Reads one item of the list; adds issues with its structure or its references to `mistakes`. */
export function readItem(parts: Item): readonly Written[] {
  const { item, index, file, list, env, mistakes } = parts
  const lineOf = (path: readonly PropertyKey[]) => {
    for (let length = path.length; length >= 0; length--) {
      const line = list?.lines.get([index, ...path.slice(0, length)].map(String).join('.'))
      if (line !== undefined) return line
    }
    return list?.line ?? 1
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    const message = `networks[${index}]: expected the members of a network`
    mistakes.push(
      wrongAt(
        `${file}:${lineOf([])}`,
        message,
        'write "name: mainnet" there, and its other members below it',
      ),
    )
    return []
  }
  const form = parts.forms.find(({ network }) => network === (item as { name?: unknown }).name)
  const hidden = new Set<string>()
  const broken: ConfigIssue[] = []
  const whereOf = (path: readonly PropertyKey[]) =>
    form !== undefined && path[0] === 'upstreams' ? form.variable : `${file}:${lineOf(path)}`
  const resolved = resolveAll(item, [], { env, hidden, whereOf, broken }) as Record<string, unknown>
  mistakes.push(...broken)
  const raw = form === undefined ? resolved : { ...resolved, upstreams: upstreamsOf(form) }
  const isHidden = (path: readonly PropertyKey[]) =>
    (form !== undefined && path[0] === 'upstreams') || hidden.has(path.map(String).join('.'))
  return [{ label: `networks[${index}]`, raw, whereOf, isHidden }]
}

/** A well-known network that only the environment or flags configure. */
export function readShortForm(form: ShortForm, mistakes: ConfigIssue[]): readonly Written[] {
  if (form.chainId === null) {
    const message = `no network is named ${form.network}, and its chain ID is not known (cairn start --help lists known names)`
    const fix = `name it with its chainId in the settings file, or ${form.removal}`
    mistakes.push(wrongAt(form.variable, message, fix))
    return []
  }
  const raw = { name: form.network, chainId: form.chainId, upstreams: upstreamsOf(form) }
  const isHidden = (path: readonly PropertyKey[]) => path[0] === 'upstreams'
  return [{ label: form.network, raw, whereOf: () => form.variable, isHidden }]
}

function upstreamsOf({ urls, trusted }: ShortForm): readonly object[] {
  return urls.map((url) => (trusted ? { url, trusted } : { url }))
}

type Resolving = {
  readonly env: Environment
  readonly hidden: Set<string>
  readonly whereOf: Written['whereOf']
  readonly broken: ConfigIssue[]
}

/** Replaces references in the value. Omits unresolved ones. */
function resolveAll(value: unknown, path: readonly PropertyKey[], parts: Resolving): unknown {
  if (path.length > depthMax) {
    parts.broken.push(wrongAt(parts.whereOf(path), 'nested too deeply'))
    return null
  }
  if (Array.isArray(value)) {
    return value.map((inner, index) => resolveAll(inner, [...path, index], parts))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        resolveAll(inner, [...path, name], parts),
      ]),
    )
  }
  if (typeof value !== 'string' || !hasReference(value)) return value
  const { text, mistake } = {
    text: '',
    ...resolveReferences(value, parts.env, parts.whereOf(path), { emptyRefused: true }),
  }
  parts.hidden.add(path.map(String).join('.'))
  if (mistake === undefined) return typed(text, path)
  parts.broken.push(mistake)
  return broken
}

// A reference yields text. Convert it if the member is a number or a boolean.
function typed(text: string, path: readonly PropertyKey[]): unknown {
  const isNumber = memberAt(upstreamNetworkSchema, path) ?? memberAt(embeddedSchema, path)
  if (/^-?\d{1,16}$/.test(text) && isNumber?.safeParse(Number(text)).success === true) {
    return Number(text)
  }
  if (/^(true|false)$/.test(text) && isNumber?.safeParse(text).success === false) {
    return text === 'true'
  }
  return text
}

export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[name]
        : undefined,
    raw,
  )
}
