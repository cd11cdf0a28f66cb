// Reads settings from four sources; later ones take precedence: defaults, a YAML file, the environment, flags. Reports all unknown
// and invalid settings together, each with its place; the result is validated and frozen.
import type { z } from 'zod'
import { refuse } from './config-error.ts'
import {
  type Flags,
  fromEnvironment,
  fromFile,
  fromFlags,
  type ProvidedValue,
} from './provided-values.ts'
import type { SettingDefinition } from './setting-definition.ts'
import { fixLine, type ConfigIssue, wrongAt } from './config-issue.ts'
import { distance } from '../base/similar-name.ts'
import type { Environment } from './reference.ts'
import { describeIssue } from './describe-issue.ts'
import type { NetworkFlags } from './network-variable.ts'
import { numberIn } from './unit.ts'
import { type FileValue, readYamlFile } from './yaml-file.ts'

export type Places = {
  /** Path of the YAML file, or null. */
  readonly file: string | null
  readonly env: Environment
  readonly flags: Flags
  /** Networks from flags; absent: none. */
  readonly networks?: readonly NetworkFlags[]
}

export type Loaded<Values> = {
  readonly config: Values
  readonly origins: ReadonlyMap<string, Pick<ProvidedValue, 'origin' | 'where' | 'hidden'>>
  /** `CAIRN_` variables that are not settings and not similar to one. */
  readonly ignored: readonly string[]
}

/** As Loaded; `config` is null if a value is invalid. */
export type ValidatedSettings<Values> = Omit<Loaded<Values>, 'config'> & {
  readonly config: Values | null
  readonly mistakes: readonly ConfigIssue[]
}

/** Reads all sources. Throws ConfigError with all issues. */
export async function loadSettings<Schema extends z.ZodType>(
  schema: Schema,
  leaves: readonly SettingDefinition[],
  places: Places,
): Promise<Loaded<z.output<Schema>>> {
  const values = places.file === null ? [] : await readYamlFile(places.file)
  const { config, mistakes, ...rest } = validateSettings(schema, leaves, places, values)
  refuse(mistakes)
  return { config: config as z.output<Schema>, ...rest }
}

/** `values`: from the file. Never throws: issues are returned. */
export function validateSettings<Schema extends z.ZodType>(
  schema: Schema,
  leaves: readonly SettingDefinition[],
  places: Places,
  values: readonly FileValue[],
): ValidatedSettings<z.output<Schema>> {
  const file = fromFile(leaves, places.file ?? '', values, places.env)
  const environment = fromEnvironment(leaves, places.env)
  const flags = fromFlags(leaves, places.flags)
  const provided = new Map([...file.provided, ...environment.provided, ...flags.provided])
  const mistakes = [...file.mistakes, ...environment.mistakes, ...flags.mistakes]
  const { data, error } = schema.safeParse(nest(provided))
  return {
    config: error === undefined && mistakes.length === 0 ? freeze(data as z.output<Schema>) : null,
    origins: provided,
    ignored: environment.ignored,
    mistakes: [...mistakes, ...describe(error, provided, leaves)],
  }
}

function nest(provided: ReadonlyMap<string, ProvidedValue>): Record<string, unknown> {
  const top: Record<string, unknown> = {}
  for (const [path, { value }] of provided) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    let section = top
    for (const name of names) section = (section[name] ??= {}) as Record<string, unknown>
    section[last] = value
  }
  return top
}

function describe(
  error: z.ZodError | undefined,
  provided: ReadonlyMap<string, ProvidedValue>,
  leaves: readonly SettingDefinition[],
): readonly ConfigIssue[] {
  return (error?.issues ?? []).map((issue) => {
    const path = issue.path.join('.')
    // The issue may concern a member of a list.
    const leaf = leaves.find((one) => path === one.path || path.startsWith(`${one.path}.`))
    const from = provided.get(leaf?.path ?? path)
    const isWhole = leaf === undefined || leaf.path === path
    const isHidden = from === undefined || from.hidden || leaf?.secret === true || !isWhole
    const message = `${path}${isHidden ? '' : quote(from.value)}: ${describeIssue(issue, from?.value)}`
    const line = isHidden ? null : rightLine(leaf, from.value)
    const where = from?.where ?? 'settings'
    return line === null ? wrongAt(where, message) : wrongAt(where, message, fixLine(where, line))
  })
}

/** The line that the operator probably meant; null: unknown. */
function rightLine(leaf: SettingDefinition | undefined, value: unknown): string | null {
  if (leaf === undefined || typeof value !== 'string') return null
  const name = leaf.path.split('.').at(-1) ?? ''
  const digits = value.replaceAll(/[_',. ]/g, '')
  if (leaf.type.startsWith('whole number')) {
    if (/^\d{1,15}$/.test(digits)) return `${name}: ${digits}`
    const meant = numberIn(name, value)
    return meant === null ? null : `${name}: ${meant}`
  }
  if (leaf.type === 'true or false') {
    if (/^(yes|on|y|true|1)$/i.test(value)) return `${name}: true`
    return /^(no|off|n|false|0)$/i.test(value) ? `${name}: false` : null
  }
  if (leaf.type !== 'choice') return null
  const meant = leaf.choices.find((one) => value.startsWith(one) || distance(value, one) <= 2)
  return `${name}: ${meant ?? String(leaf.initial)}`
}

/** ` is "…"`, truncated. */
export function quote(value: unknown): string {
  return ` is ${(JSON.stringify(value) ?? 'nothing').slice(0, 80)}`
}

export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner)
    Object.freeze(value)
  }
  return value
}
