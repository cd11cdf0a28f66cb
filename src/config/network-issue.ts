// Describes an issue with one member of a network: a message with its line, and the corrected line.
// Tested by src/config/networks.test.ts
import type { z } from 'zod'
import { quote } from './load.ts'
import { fixLine, type ConfigIssue, nameShown, placeOf, wrongAt } from './config-issue.ts'
import { findNearest } from '../base/similar-name.ts'
import {
  embeddedSchema,
  memberAt,
  metaOf,
  shapeOf,
  upstreamNetworkSchema,
} from './network-schema.ts'
import { findChainId } from './network-variable.ts'
import { valueAt, type Written } from './network-source-lines.ts'
import { describeIssue } from './describe-issue.ts'

type Issue = z.ZodError['issues'][number]

/** Returns a name such as `networks[0].upstreams[1].url`. */
export function nameMember(
  { label }: Pick<Written, 'label'>,
  path: readonly PropertyKey[],
): string {
  return path.reduce<string>(
    (name, part) =>
      typeof part === 'number' ? `${name}[${part}]` : `${name}.${nameShown(String(part))}`,
    label,
  )
}

export function describeNetworkIssue(issue: Issue, written: Written): readonly ConfigIssue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownMember([...issue.path, key], written))
  }
  const { raw, whereOf, isHidden } = written
  const path = asWritten(raw, issue.path)
  const where = whereOf(path)
  const name = nameMember(written, path)
  const example = exampleOf(schemaOf(raw), path)
  const value = valueAt(raw, path)
  if (value === undefined) {
    // The member exists under a misspelt name, which is already reported.
    if (Object.keys(valueAt(raw, path.slice(0, -1)) ?? {}).some((key) => isMeant(key, path, raw))) {
      return []
    }
    const usual = path.length === 1 && path[0] === 'chainId' ? chainIdOf(raw['name']) : null
    const fix = `add "${usual === null ? example.text : `chainId: ${usual}`}" to the item that begins in ${placeOf(where)}`
    return [wrongAt(where, `${name} is missing`, fix)]
  }
  const isUrl = typeof value === 'string' && value.includes('://')
  const isShown = !example.secret && !isHidden(path) && typeof value !== 'object' && !isUrl
  const sentence = `${name}${isShown ? quote(value) : ''}: ${describeIssue(issue, value)}`
  return [wrongAt(where, sentence, fixLine(where, meantUrl(path, value) ?? example.text))]
}

// Returns only host and port, which cannot contain a secret.
function meantUrl(path: readonly PropertyKey[], value: unknown): string | null {
  const [, place] = /^(?:wss?:\/\/|\/\/)?([\w.-]+:\d{1,5})\/?$/.exec(String(value)) ?? []
  return path.at(-1) === 'url' && place !== undefined ? `url: http://${place}` : null
}

// `verify: always` is parsed as `verify: {default: always}`.
function asWritten(raw: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const above = path.slice(0, -1)
  const isText = path.length > 0 && typeof valueAt(raw, above) === 'string'
  return isText ? above : path
}

function chainIdOf(name: unknown): number | null {
  return typeof name === 'string' ? findChainId(name) : null
}

function unknownMember(path: readonly PropertyKey[], written: Written): ConfigIssue {
  const { raw, whereOf } = written
  const where = whereOf(path)
  const place = placeOf(where)
  const key = nameShown(String(path.at(-1)))
  const above = path.slice(0, -1)
  const schema = schemaOf(raw)
  const other = schema === embeddedSchema ? upstreamNetworkSchema : embeddedSchema
  const kind = schema === embeddedSchema ? 'an embedded network' : 'a network with upstreams'
  const name = nameMember(written, path)
  if (memberAt(other, path) !== null) {
    const fix = `remove it from ${place}, or write "embedded: ${schema !== embeddedSchema}" next to it`
    return wrongAt(where, `${name}: ${kind} has no ${key}`, fix)
  }
  const members = Object.keys(shapeOf(memberAt(schema, above) ?? schema) ?? {})
  const nearest = findNearest(key, members)
  const sentence = `${where}: "${name}" is not a setting`
  return nearest === null
    ? {
        code: 'unknown_setting',
        text: sentence,
        fix: `remove it from ${place}; valid names: ${members.join(', ')}`,
      }
    : {
        code: 'unknown_setting',
        text: `${sentence}, did you mean "${nearest}"?`,
        fix: `write ${nearest} in ${place}`,
      }
}

// Returns true if this unknown name is a misspelling of the member at `path`.
function isMeant(key: string, path: readonly PropertyKey[], raw: Written['raw']): boolean {
  const schema = schemaOf(raw)
  const members = Object.keys(shapeOf(memberAt(schema, path.slice(0, -1)) ?? schema) ?? {})
  return !members.includes(key) && findNearest(nameShown(key), members) === path.at(-1)
}

function schemaOf(raw: Written['raw']) {
  return raw['embedded'] === true ? embeddedSchema : upstreamNetworkSchema
}

/** The example of the member, or of its nearest ancestor that has one. */
function exampleOf(schema: z.ZodType, path: readonly PropertyKey[]) {
  for (let length = path.length; length > 0; length--) {
    const meta = metaOf(memberAt(schema, path.slice(0, length)))
    if (meta?.example !== undefined) return { text: meta.example, secret: meta.secret === true }
  }
  return { text: '- name: mainnet', secret: false }
}
