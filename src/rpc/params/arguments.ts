// The list of parameters of a call, and objects inside it: presence, number and names of members. Errors are geth's texts.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'
import {
  isRefused,
  jsonTypeName,
  parseAddressField,
  parseHashField,
  readBytes,
  readQuantity,
  refuseArgument,
  wrongType,
} from './values.ts'

/** One position of a method's signature. `absent` is taken for a missing or null optional argument. */
export type Parameter<T> = {
  parse(value: unknown, position: number): T
  readonly absent?: T
}

type Values<P extends readonly Parameter<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

export function required<T>(parse: (value: unknown, position: number) => T): Parameter<T> {
  return { parse }
}

export function optional<T>(
  parse: (value: unknown, position: number) => T,
  absent: T,
): Parameter<T> {
  return { parse, absent }
}

/**
 * The typed values of `params`, one for each of `parameters`. Throws `bad_params`:
 * `missing value for required argument <i>`, `too many arguments, want at most <n>`, or what the
 * first unacceptable argument's parser says.
 */
export function parseArguments<const P extends readonly Parameter<unknown>[]>(
  params: readonly unknown[],
  parameters: P,
): Values<P> {
  const values = parameters.map((parameter, position) => {
    const value = params[position]
    if (position < params.length && value !== null) return parameter.parse(value, position)
    if ('absent' in parameter) return parameter.absent
    if (position < params.length) return parameter.parse(value, position)
    throw new Fault('bad_params', { detail: `missing value for required argument ${position}` })
  })
  if (params.length > parameters.length) {
    throw tooManyArguments(parameters.length)
  }
  // The array was made position by position from `parameters`, which TypeScript cannot follow.
  return values as Values<P>
}

/** The fault of a call with more than `most` params. */
export function tooManyArguments(most: number): Fault {
  return new Fault('bad_params', { detail: `too many arguments, want at most ${most}` })
}

export type Members = ReadonlyMap<string, unknown>

/** `path`: Go's name of the struct field, for the message. */
export type Reading = { readonly position: number; readonly path: string }

const listLengthMax = 65_536

/** `{ [name]: value }`, or nothing when there is no value. */
export function given<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: V })
}

export function readOptional<T>(
  members: Members,
  name: string,
  reading: Reading,
  read: (value: unknown, reading: Reading) => T,
): T | undefined {
  const value = members.get(name) ?? null
  if (value === null) return undefined
  return read(value, { ...reading, path: `${reading.path}.${name}` })
}

export function readMembers(value: unknown, { position, path }: Reading, goType: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return new Map(Object.entries(value))
  }
  const field = path.includes('.') ? path : undefined
  throw refuseArgument(position, wrongType(jsonTypeName(value), goType, field))
}

export function readAddress(value: unknown, { position, path }: Reading): Uint8Array {
  return parseAddressField(value, position, path)
}

export function readHash(value: unknown, { position, path }: Reading): Uint8Array {
  return parseHashField(value, position, path)
}

function readQuantityAs(value: unknown, reading: Reading, goType: string, bits: 64 | 256): bigint {
  const read =
    typeof value === 'string' ? readQuantity(value, bits) : ({ refused: 'non-string' } as const)
  if (!isRefused(read)) return read
  throw refuseArgument(reading.position, wrongType(read.refused, goType, reading.path))
}

export function readUint64(value: unknown, reading: Reading): bigint {
  return readQuantityAs(value, reading, 'hexutil.Uint64', 64)
}

export function readBig(value: unknown, reading: Reading): bigint {
  return readQuantityAs(value, reading, '*hexutil.Big', 256)
}

export function readData(value: unknown, { position, path }: Reading): Uint8Array {
  const read = typeof value === 'string' ? readBytes(value) : ({ refused: 'non-string' } as const)
  if (!isRefused(read)) return read
  throw refuseArgument(position, wrongType(read.refused, 'hexutil.Bytes', path))
}

export function readList<T>(
  value: unknown,
  reading: Reading,
  goType: string,
  read: (item: unknown, reading: Reading) => T,
): readonly T[] {
  if (!Array.isArray(value)) {
    throw refuseArgument(reading.position, wrongType(jsonTypeName(value), goType, reading.path))
  }
  if (value.length > listLengthMax) {
    throw refuseArgument(reading.position, `${reading.path} is longer than ${listLengthMax} items`)
  }
  return value.map((item: unknown) => read(item, reading))
}

export function readHashes(value: unknown, reading: Reading): readonly Uint8Array[] {
  return readList(value, reading, '[]common.Hash', readHash)
}

export function readBoolean(value: unknown, { position, path }: Reading): boolean {
  if (typeof value === 'boolean') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'bool', path))
}

export function readString(value: unknown, { position, path }: Reading): string {
  if (typeof value === 'string') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'string', path))
}

/** A plain JSON number, 0 or more, whole and exact. */
export function readUint(value: unknown, { position, path }: Reading): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'int', path))
}
