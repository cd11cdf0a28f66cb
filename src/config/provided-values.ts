// Values given for each setting, with their places: lines of the file, environment variables, flags. Checks only names; the
// settings table checks values.
// Tested by src/config/load.test.ts
import type { SettingDefinition } from './setting-definition.ts'
import { type ConfigIssue, placeOf, unknownName, wrongAt } from './config-issue.ts'
import { distance, findNearest } from '../base/similar-name.ts'
import { isNetworkVariable } from './network-variable.ts'
import { hasReference, readSecretFile, resolveReferences } from './reference.ts'
import type { Environment } from './reference.ts'
import type { FileValue } from './yaml-file.ts'

type Origin = 'default' | 'file' | 'env' | 'flag'

/** A value as given, and its place; `where` is for messages ("cairn.yaml:3", "CAIRN_HTTP_PORT", "--port"). */
export type ProvidedValue = {
  readonly value: unknown
  readonly origin: Origin
  readonly where: string
  /** The value comes from a reference or a `_FILE` variable, so it may be a secret. */
  readonly hidden: boolean
}

/** Setting path -> text as typed; undefined = not given. */
export type Flags = Readonly<Record<string, { readonly flag: string; readonly text: string }>>

/** Collects the given values and the issues with them. */
export type Collected = {
  readonly provided: readonly (readonly [string, ProvidedValue])[]
  readonly mistakes: readonly ConfigIssue[]
}

/** Names of variables of lists, the CLI and the tests, which are not in the settings table. */
const otherNames = [
  'CAIRN_CONFIG',
  'CAIRN_FILES_SOURCES',
  'CAIRN_FILES_SOURCES_FILE',
  'CAIRN_KEY',
  'CAIRN_SECRET',
  'CAIRN_URL',
  'CAIRN_VECTORS',
]
const fileEnding = '_FILE'

export function fromFile(
  leaves: readonly SettingDefinition[],
  file: string,
  values: readonly FileValue[],
  env: Environment,
): Collected {
  const provided: [string, ProvidedValue][] = []
  const mistakes: ConfigIssue[] = []
  for (const { path, value, line } of values) {
    const where = `${file}:${line}`
    const leaf = leaves.find((candidate) => candidate.path === path)
    if (leaf === undefined) {
      // `http:` without members is an empty section.
      const isSection = leaves.some((candidate) => candidate.path.startsWith(`${path}.`))
      if (!isSection) mistakes.push(unknownName(path, where, pathsOf(leaves)))
      else if (!isEmpty(value)) mistakes.push(valueOfSection(path, where))
    } else if (typeof value === 'string' && hasReference(value)) {
      const { text, mistake } = { text: '', ...resolveReferences(value, env, where) }
      if (mistake !== undefined) mistakes.push(mistake)
      else
        provided.push([path, { value: fromText(leaf, text), origin: 'file', where, hidden: true }])
    } else {
      provided.push([path, { value, origin: 'file', where, hidden: false }])
    }
  }
  return { provided, mistakes }
}

/** `ignored`: variables that are neither settings nor similar to one. */
export function fromEnvironment(
  leaves: readonly SettingDefinition[],
  env: Environment,
): Collected & { readonly ignored: readonly string[] } {
  const provided: [string, ProvidedValue][] = []
  const mistakes: ConfigIssue[] = []
  const ignored: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('CAIRN_') || otherNames.includes(name) || isNetworkVariable(name)) continue
    const leaf = leaves.find((candidate) => candidate.env === name)
    const fileLeaf = leaves.find((candidate) => `${candidate.env}${fileEnding}` === name)
    const meant = leaf ?? fileLeaf
    if (meant === undefined) {
      const mistake = nearMiss(name, leaves)
      if (mistake === null) ignored.push(name)
      else mistakes.push(mistake)
      continue
    }
    // Compose files set a variable to the empty string for "not set".
    if (text === undefined || text === '') continue
    if (leaf === undefined && (env[meant.env] ?? '') !== '') {
      const message = `${name} and ${meant.env} are both set, expected one of them`
      mistakes.push({ code: 'wrong_setting', text: message, fix: `unset ${name}` })
      continue
    }
    const resolved =
      leaf === undefined ? readSecretFile(text, name) : resolveReferences(text, env, name)
    if (resolved.mistake !== undefined) {
      mistakes.push(resolved.mistake)
      continue
    }
    const hidden = leaf === undefined || hasReference(text)
    const value = fromText(meant, resolved.text)
    provided.push([meant.path, { value, origin: 'env', where: name, hidden }])
  }
  return { provided, mistakes, ignored }
}

export function fromFlags(leaves: readonly SettingDefinition[], flags: Flags): Collected {
  const provided: [string, ProvidedValue][] = []
  const mistakes: ConfigIssue[] = []
  for (const [path, { flag, text }] of Object.entries(flags)) {
    const leaf = leaves.find((candidate) => candidate.path === path)
    if (leaf === undefined) mistakes.push(unknownName(path, flag, pathsOf(leaves)))
    else {
      const value = fromText(leaf, text)
      provided.push([path, { value, origin: 'flag', where: flag, hidden: false }])
    }
  }
  return { provided, mistakes }
}

/** Converts text to a value of the setting's type. Other text remains unchanged, and validation refuses it later. */
function fromText(leaf: SettingDefinition, text: string): unknown {
  if (leaf.nullable && text === 'null') return null
  if (leaf.type.startsWith('whole number') && /^-?\d{1,16}$/.test(text)) return Number(text)
  if (leaf.type === 'number' && /^-?\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  if (leaf.type === 'true or false' && /^(true|false)$/.test(text)) return text === 'true'
  if (leaf.type === 'list') return fromJson(text)
  return text
}

/** Parses a list in a variable, which is JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// The environment is shared with other programs (Kubernetes alone adds CAIRN_PORT and more for a service named cairn), so only
// names similar to a setting are refused.
function nearMiss(name: string, leaves: readonly SettingDefinition[]): ConfigIssue | null {
  const names = leaves.map((leaf) => leaf.env)
  const nearest = findNearest(name, names)
  if (nearest === null || distance(name, nearest) > 2) return null
  return unknownName(name, name, names)
}

function valueOfSection(path: string, where: string): ConfigIssue {
  const fix = `write "${path}:" alone in ${placeOf(where)}, and its settings below it, further in`
  return wrongAt(where, `${path} is a section, not a setting`, fix)
}

function pathsOf(leaves: readonly SettingDefinition[]): readonly string[] {
  return leaves.map((leaf) => leaf.path)
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
