// Settings from four places, later ones winning: defaults, a YAML file, the environment, flags. Anything
// unknown or wrong is refused with the place it was given; the result is checked and frozen.
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import type { Leaf } from './leaf.ts'
import { distance, findNearest } from './nearest.ts'
import { hasReference, readSecretFile, resolveReferences } from './reference.ts'
import type { Environment } from './reference.ts'
import { readYamlFile } from './yaml-file.ts'

type Origin = 'default' | 'file' | 'env' | 'flag'

/** A value as given, and where: `where` is for people ("cairn.yaml:3", "CAIRN_HTTP_PORT", "--port"). */
type Given = {
  readonly value: unknown
  readonly origin: Origin
  readonly where: string
  /** It came from a reference or a file of its own, so it may be a secret. */
  readonly hidden: boolean
}

export type Places = {
  /** Path of the YAML file, or null. */
  readonly file: string | null
  readonly env: Environment
  /** Setting path -> text as typed; undefined = not given. */
  readonly flags: Readonly<Record<string, { readonly flag: string; readonly text: string }>>
}

export type Loaded<Values> = {
  readonly config: Values
  readonly origins: ReadonlyMap<string, Pick<Given, 'origin' | 'where' | 'hidden'>>
  /** `CAIRN_` variables that are no settings and nothing like one. */
  readonly ignored: readonly string[]
}

/** Names that belong to the command and the tests, not to the table. */
const otherNames = ['CAIRN_CONFIG', 'CAIRN_VECTORS']
const fileEnding = '_FILE'

/** Reads all places. Throws ConfigError: one sentence about the first thing that is wrong. */
export async function loadSettings<Schema extends z.ZodType>(
  schema: Schema,
  leaves: readonly Leaf[],
  places: Places,
): Promise<Loaded<z.output<Schema>>> {
  const environment = fromEnvironment(leaves, places.env)
  const given = new Map([
    ...(places.file === null ? [] : await fromFile(leaves, places.file, places.env)),
    ...environment.given,
    ...fromFlags(leaves, places.flags),
  ])
  const checked = schema.safeParse(nest(given))
  if (!checked.success) throw describeIssue(checked.error, given, leaves)
  return { config: freeze(checked.data), origins: given, ignored: environment.ignored }
}

type Pairs = readonly (readonly [string, Given])[]

async function fromFile(leaves: readonly Leaf[], file: string, env: Environment): Promise<Pairs> {
  const values = await readYamlFile(file)
  return values.flatMap(({ path, value, line }): Pairs => {
    const where = `${file}:${line}`
    const leaf = leaves.find((candidate) => candidate.path === path)
    if (leaf === undefined) {
      // `http:` with nothing below it is an empty section.
      if (isEmpty(value) && leaves.some((candidate) => candidate.path.startsWith(`${path}.`))) {
        return []
      }
      throw unknownName(path, where, namesOf(leaves))
    }
    const hidden = typeof value === 'string' && hasReference(value)
    const used = hidden ? fromText(leaf, resolveReferences(value, env, where)) : value
    return [[path, { value: used, origin: 'file', where, hidden }]]
  })
}

function fromEnvironment(leaves: readonly Leaf[], env: Environment) {
  const given: [string, Given][] = []
  const ignored: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('CAIRN_') || otherNames.includes(name)) continue
    const leaf = leaves.find((candidate) => candidate.env === name)
    const fileLeaf = leaves.find((candidate) => candidate.env + fileEnding === name)
    if (leaf === undefined && fileLeaf === undefined) {
      refuseNearMiss(name, leaves)
      ignored.push(name)
    } else if (text === undefined || text === '') {
      continue // Compose files set variables to nothing to say "not given".
    } else if (leaf !== undefined) {
      const hidden = hasReference(text)
      const value = fromText(leaf, resolveReferences(text, env, name))
      given.push([leaf.path, { value, origin: 'env', where: name, hidden }])
    } else if (fileLeaf !== undefined) {
      if ((env[fileLeaf.env] ?? '') !== '') {
        throw new ConfigError(`${name} and ${fileLeaf.env} are both set, expected one of them`)
      }
      const value = fromText(fileLeaf, readSecretFile(text, name))
      given.push([fileLeaf.path, { value, origin: 'env', where: name, hidden: true }])
    }
  }
  return { given, ignored }
}

function fromFlags(leaves: readonly Leaf[], flags: Places['flags']): Pairs {
  return Object.entries(flags).map(([path, { flag, text }]) => {
    const leaf = leaves.find((candidate) => candidate.path === path)
    if (leaf === undefined) throw unknownName(path, flag, namesOf(leaves))
    return [path, { value: fromText(leaf, text), origin: 'flag', where: flag, hidden: false }]
  })
}

/** Text as typed by people to a value of the leaf's type; what does not fit stays text and is refused later. */
function fromText(leaf: Leaf, text: string): unknown {
  if (leaf.nullable && text === 'null') return null
  if (leaf.type === 'whole number' && /^-?\d{1,16}$/.test(text)) return Number(text)
  if (leaf.type === 'true or false' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

// The environment is shared with other programs (Kubernetes alone adds CAIRN_PORT and more for a service
// named cairn), so only what looks like a misspelt setting is refused.
function refuseNearMiss(name: string, leaves: readonly Leaf[]): void {
  const names = leaves.map((leaf) => leaf.env)
  const nearest = findNearest(name, names)
  if (nearest !== null && distance(name, nearest) <= 2) throw unknownName(name, null, names)
}

function namesOf(leaves: readonly Leaf[]): readonly string[] {
  return leaves.map((leaf) => leaf.path)
}

function unknownName(name: string, where: string | null, known: readonly string[]): ConfigError {
  const place = where === null ? '' : `${where}: `
  const nearest = findNearest(name, known)
  return new ConfigError(`${place}"${name}" is not a setting, did you mean "${nearest ?? ''}"?`)
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function nest(given: ReadonlyMap<string, Given>): Record<string, unknown> {
  const top: Record<string, unknown> = {}
  for (const [path, { value }] of given) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    let section = top
    for (const name of names) section = (section[name] ??= {}) as Record<string, unknown>
    section[last] = value
  }
  return top
}

function describeIssue(
  error: z.ZodError,
  given: ReadonlyMap<string, Given>,
  leaves: readonly Leaf[],
): ConfigError {
  const issue = error.issues[0]
  const path = issue?.path.join('.') ?? ''
  const from = given.get(path)
  const shown = from === undefined || from.hidden || isSecret(leaves, path) ? '' : quote(from.value)
  const said = issue?.message ?? 'wrong'
  return new ConfigError(
    `${from?.where ?? 'settings'}: ${path}${shown}: ${said.charAt(0).toLowerCase()}${said.slice(1)}`,
    { cause: error },
  )
}

function isSecret(leaves: readonly Leaf[], path: string): boolean {
  return leaves.some((leaf) => leaf.path === path && leaf.secret)
}

function quote(value: unknown): string {
  return ` is ${(JSON.stringify(value) ?? 'nothing').slice(0, 80)}`
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner)
    Object.freeze(value)
  }
  return value
}
