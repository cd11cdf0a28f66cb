// The settings table as a flat list: one SettingDefinition per setting, with its names.
// Tested by src/config/settings.test.ts
import { z } from 'zod'
import type { SettingMeta } from './settings.ts'

type LeafType =
  | 'text'
  | 'whole number'
  | 'whole number or auto'
  | 'number'
  | 'true or false'
  | 'choice'
  | 'list'

export type SettingDefinition = {
  /** Such as `rpc.bodyBytesMax`. */
  readonly path: string
  /** Such as `CAIRN_RPC_BODY_BYTES_MAX`. */
  readonly env: string
  readonly type: LeafType
  /** Allowed values of an enumeration, else empty. */
  readonly choices: readonly string[]
  readonly nullable: boolean
  readonly initial: unknown
  readonly description: string
  readonly secret: boolean
  /** A change in the file takes effect while the server runs. */
  readonly live: boolean
}

/** `rpc.bodyBytesMax` -> `CAIRN_RPC_BODY_BYTES_MAX`. */
export function envName(path: string): string {
  const words = path.replaceAll('.', '_').replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
  return `CAIRN_${words.toUpperCase()}`
}

/** Lists the settings of a schema of nested strict objects, in its order. Throws TypeError on an unknown shape. */
export function listSettings(schema: z.ZodType, prefix = ''): readonly SettingDefinition[] {
  const section = schema instanceof z.ZodPrefault ? schema.unwrap() : schema
  if (!(section instanceof z.ZodObject)) throw new TypeError(`${prefix}: not an object of settings`)
  return Object.entries(section.shape as Record<string, z.ZodType>).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    return inner instanceof z.ZodDefault ? [describeLeaf(path, inner)] : listSettings(inner, path)
  })
}

function describeLeaf(path: string, schema: z.ZodDefault): SettingDefinition {
  const meta = schema.meta() as SettingMeta | undefined
  const inner = schema.unwrap()
  const nullable = inner instanceof z.ZodNullable
  const value = nullable ? inner.unwrap() : inner
  return {
    path,
    env: envName(path),
    type: typeOf(path, value),
    choices: value instanceof z.ZodEnum ? value.options.map(String) : [],
    nullable,
    initial: schema.def.defaultValue,
    description: meta?.description ?? '',
    secret: meta?.secret ?? false,
    live: meta?.live ?? false,
  }
}

function typeOf(path: string, value: unknown): LeafType {
  if (value instanceof z.ZodEnum) return 'choice'
  if (value instanceof z.ZodNumber) return value.isInt ? 'whole number' : 'number'
  if (value instanceof z.ZodBoolean) return 'true or false'
  if (value instanceof z.ZodString) return 'text'
  if (value instanceof z.ZodArray) return 'list'
  if (value instanceof z.ZodUnion) return 'whole number or auto'
  throw new TypeError(`${path}: a type that the settings table does not know`)
}
