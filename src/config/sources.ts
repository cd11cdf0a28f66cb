// `files.sources` of the settings file, or the URLs in CAIRN_FILES_SOURCES, as validated plain values. Reports all issues together,
// each with its line and fix.
import { freeze, quote } from './load.ts'
import { fixLine, type ConfigIssue, nameShown, placeOf, wrongAt } from './config-issue.ts'
import { findNearest } from '../base/similar-name.ts'
import { memberAt, metaOf, shapeOf } from './network-schema.ts'
import { valueAt } from './network-source-lines.ts'
import { type Environment, hasReference, readSecretFile, resolveReferences } from './reference.ts'
import { type SourceConfig, sourceSchema, sourcesMax } from './source-schema.ts'
import { describeIssue } from './describe-issue.ts'
import type { FileValue } from './yaml-file.ts'

export const sourcesPath = 'files.sources'
const sourcesVariable = 'CAIRN_FILES_SOURCES'

/** One source as written. `where`: place of a member, `cairn.yaml:3` or the variable. */
export type WrittenSource = {
  readonly raw: unknown
  readonly where: (path: readonly PropertyKey[]) => string
  /** The value comes from a reference or a variable, so it may be a secret. */
  readonly isHidden: (path: readonly PropertyKey[]) => boolean
}

export type Sources = {
  readonly sources: readonly SourceConfig[]
  readonly mistakes: readonly ConfigIssue[]
  /** In the order of `sources`. */
  readonly written: readonly WrittenSource[]
}

/** Maximum number of reported issues of the list. */
const mistakesMax = 50

/** `values`: from the whole file. The variable replaces the file's list. Never throws. */
export function readSources(file: string, values: readonly FileValue[], env: Environment): Sources {
  const mistakes: ConfigIssue[] = []
  const written = fromVariable(env, mistakes) ?? fromList(file, values, env, mistakes)
  const validated = written.map((one, index) => validate(one, index, mistakes))
  const taken = new Set<string>()
  const sources = validated.flatMap((one, index) => {
    if (one === null) return []
    const { name = new URL(one.url).host, headers, ...rest } = one
    if (taken.has(name)) {
      const where = written[index]?.where(['name']) ?? ''
      const message = `files.sources[${index}]: another source is called ${name}`
      mistakes.push(wrongAt(where, message, `write "name: ${name}-2" next to its url`))
    }
    taken.add(name)
    const lower = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])
    return [{ ...rest, name, headers: Object.fromEntries(lower) as Record<string, string> }]
  })
  return { sources: freeze(sources), mistakes: mistakes.slice(0, mistakesMax), written }
}

function fromVariable(env: Environment, mistakes: ConfigIssue[]): readonly WrittenSource[] | null {
  const text = env[sourcesVariable] ?? ''
  const fileVariable = `${sourcesVariable}_FILE`
  const path = env[fileVariable] ?? ''
  if (text === '' && path === '') return null
  const variable = text === '' ? fileVariable : sourcesVariable
  if (text !== '' && path !== '') {
    const message = `${fileVariable} and ${sourcesVariable} are both set, expected one of them`
    mistakes.push({ code: 'wrong_setting', text: message, fix: `unset ${fileVariable}` })
  }
  const read = text === '' ? readSecretFile(path, variable) : resolveReferences(text, env, variable)
  if (read.mistake !== undefined) {
    mistakes.push(read.mistake)
    return []
  }
  const urls = read.text.split(',').map((url) => url.trim())
  return urls
    .filter((url) => url !== '')
    .slice(0, sourcesMax)
    .map((url) => ({ raw: { url }, where: () => variable, isHidden: () => true }))
}

function fromList(
  file: string,
  values: readonly FileValue[],
  env: Environment,
  mistakes: ConfigIssue[],
): readonly WrittenSource[] {
  const list = values.find(({ path }) => path === sourcesPath || path.startsWith(`${sourcesPath}.`))
  if (list === undefined || list.value === null) return []
  const items: unknown = list.value
  if (list.path !== sourcesPath || !Array.isArray(items)) {
    const fix = `write "- url: https://gateway.example" below files: sources: of ${file}`
    mistakes.push(wrongAt(`${file}:${list.line}`, 'files.sources: expected a list', fix))
    return []
  }
  if (items.length > sourcesMax) {
    mistakes.push(wrongAt(`${file}:${list.line}`, `more than ${sourcesMax} sources of files`))
  }
  return items.slice(0, sourcesMax).map((item: unknown, index) => {
    const hidden = new Set<string>()
    const where = (path: readonly PropertyKey[]): string => {
      for (let length = path.length; length >= 0; length--) {
        const line = list.lines.get([index, ...path.slice(0, length)].map(String).join('.'))
        if (line !== undefined) return `${file}:${line}`
      }
      return `${file}:${list.line}`
    }
    const resolve = (value: unknown, path: readonly PropertyKey[]): unknown => {
      if (typeof value === 'object' && value !== null && path.length < 2) {
        const members = Object.entries(value)
        return Object.fromEntries(members.map(([name, at]) => [name, resolve(at, [...path, name])]))
      }
      if (typeof value !== 'string' || !hasReference(value)) return value
      const read = resolveReferences(value, env, where(path), { emptyRefused: true })
      hidden.add(path.map(String).join('.'))
      if (read.mistake === undefined) return typed(read.text, path)
      mistakes.push(read.mistake)
      return undefined
    }
    const isHidden = (path: readonly PropertyKey[]) => hidden.has(path.map(String).join('.'))
    return { raw: resolve(item, []), where, isHidden }
  })
}

// A reference yields text. Convert it if the member is a number.
function typed(text: string, path: readonly PropertyKey[]): unknown {
  const isNumber = memberAt(sourceSchema, path)?.safeParse(Number(text)).success === true
  return /^\d{1,16}$/.test(text) && isNumber ? Number(text) : text
}

function validate(written: WrittenSource, index: number, mistakes: ConfigIssue[]) {
  const { raw, where, isHidden } = written
  const parsed = sourceSchema.safeParse(raw)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const name = [`files.sources[${index}]`, ...issue.path.map((part) => nameShown(String(part)))]
    if (issue.code === 'unrecognized_keys') {
      mistakes.push(...issue.keys.map((key) => unknownMember(key, where([...issue.path, key]))))
      continue
    }
    const value = valueAt(raw, issue.path)
    // An unresolved reference is already reported.
    if (value === undefined && issue.path.length > 0 && isHidden(issue.path)) continue
    const meta = metaOf(memberAt(sourceSchema, issue.path.slice(0, 1)))
    const example = meta?.example ?? '- url: https://gateway.example'
    // The value may be a URL where members are expected.
    const isShown = meta !== null && meta.secret !== true && !isHidden(issue.path)
    const message =
      value === undefined
        ? `${name.join('.')} is missing`
        : `${name.join('.')}${isShown ? quote(value) : ''}: ${describeIssue(issue, value)}`
    mistakes.push(wrongAt(where(issue.path), message, fixLine(where(issue.path), example)))
  }
  return null
}

function unknownMember(key: string, where: string): ConfigIssue {
  const members = Object.keys(shapeOf(sourceSchema) ?? {})
  const name = nameShown(key)
  const nearest = findNearest(name, members)
  const place = placeOf(where)
  const message = `${where}: "${name}" is not a setting`
  if (nearest === null) {
    const fix = `remove it from ${place}; valid names: ${members.join(', ')}`
    return { code: 'unknown_setting', text: message, fix }
  }
  const text = `${message}, did you mean "${nearest}"?`
  return { code: 'unknown_setting', text, fix: `write ${nearest} in ${place}` }
}
