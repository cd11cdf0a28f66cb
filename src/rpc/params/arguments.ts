// The list of parameters of a call, and objects inside it: presence, number and names of members. Errors are geth's texts.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'
import { decodeDigits } from '../../base/hex.ts'

/** One position of a method's signature. `absent`: the value of a missing or null optional argument. */
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
 * `missing value for required argument <i>`, `too many arguments, want at most <n>`, or the error of the parser of the
 * first invalid argument.
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
  // Each element comes from the parameter at its position, which TypeScript cannot infer.
  return values as Values<P>
}

/** The fault of a call with more than `most` params. */
export function tooManyArguments(most: number): Fault {
  return new Fault('bad_params', { detail: `too many arguments, want at most ${most}` })
}

const shownCharactersMax = 256

/** `invalid argument <position>: <text>`. */
export function refuseArgument(position: number, text: string): Fault {
  return new Fault('bad_params', { detail: `invalid argument ${position}: ${text}` })
}

/** Quotes and JSON-escapes text of the client for a message, truncated to 256 characters. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.slice(0, shownCharactersMax))
}

/** Name of the type of a JSON value in Go's encoding/json. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** encoding/json's text for a value of the wrong kind; `into` is `value` or a struct field's name. */
export function wrongType(what: string, goType: string, field?: string): string {
  const into = field === undefined ? 'value' : `struct field ${field}`
  return `json: cannot unmarshal ${what} into Go ${into} of type ${goType}`
}

/** The reason why a text is not hex of the expected form. */
export type Refused = { readonly refused: string }

export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && 'refused' in value
}

const hexDigits = /^[0-9a-fA-F]*$/

/** `0x` or `0X`. */
function hasPrefix(text: string): boolean {
  return text.startsWith('0x') || text.startsWith('0X')
}

function afterPrefix(text: string): string | null {
  return hasPrefix(text) ? text.slice(2) : null
}

/** Bytes of any length. The empty text means no bytes (hexutil.Bytes). */
export function readBytes(text: string): Uint8Array | Refused {
  if (text === '') return new Uint8Array(0)
  if (!hasPrefix(text)) return { refused: 'hex string without 0x prefix' }
  if (text.length % 2 !== 0) return { refused: 'hex string of odd length' }
  return decodeDigits(text, 2) ?? { refused: 'invalid hex string' }
}

/** A QUANTITY of at most `bits` bits. Refuses the empty text, unlike hexutil's JSON form. */
function readQuantity(text: string, bits: 64 | 256): bigint | Refused {
  if (text === '') return { refused: 'hex string without 0x prefix' }
  const digits = afterPrefix(text)
  if (digits === null) return { refused: 'hex string without 0x prefix' }
  if (digits === '') return { refused: 'hex string "0x"' }
  if (digits.length > 1 && digits.startsWith('0')) {
    return { refused: 'hex number with leading zero digits' }
  }
  if (digits.length > bits / 4) return { refused: `hex number > ${bits} bits` }
  if (!hexDigits.test(digits)) return { refused: 'invalid hex string' }
  return BigInt(`0x${digits}`)
}

/** As `readQuantity`, with the order of checks of hexutil.DecodeUint64, which reads digit by digit. */
export function readBlockNumber(text: string): bigint | Refused {
  if (text === '') return { refused: 'empty hex string' }
  const first = afterPrefix(text)?.slice(0, 17) ?? ''
  if (first.length > 0 && !hexDigits.test(first) && !/^0./s.test(first)) {
    return { refused: 'invalid hex string' }
  }
  return readQuantity(text, 64)
}

type FixedType = { readonly goType: 'common.Address' | 'common.Hash'; readonly bytes: 20 | 32 }

const addressType: FixedType = { goType: 'common.Address', bytes: 20 }
const hashType: FixedType = { goType: 'common.Hash', bytes: 32 }

/** 20 bytes. The checksum of EIP-55 is not checked. Throws `bad_params`. */
export function parseAddress(value: unknown, position: number): Uint8Array {
  return parseFixedBytes(value, position, addressType)
}

/** 32 bytes. Throws `bad_params`. */
export function parseHash(value: unknown, position: number): Uint8Array {
  return parseFixedBytes(value, position, hashType)
}

function parseAddressField(value: unknown, position: number, field: string): Uint8Array {
  return parseFixedBytes(value, position, addressType, field)
}

export function parseHashField(value: unknown, position: number, field: string): Uint8Array {
  return parseFixedBytes(value, position, hashType, field)
}

function parseFixedBytes(
  value: unknown,
  position: number,
  { goType, bytes }: FixedType,
  field?: string,
): Uint8Array {
  if (typeof value !== 'string') {
    throw refuseArgument(position, wrongType('non-string', goType, field))
  }
  const read = readBytes(value)
  // hexutil checks the length before the digits.
  const digits = value === '' ? 0 : value.length - 2
  const wellFormed = !isRefused(read) || read.refused === 'invalid hex string'
  if (wellFormed && digits !== bytes * 2) {
    throw refuseArgument(
      position,
      `hex string has length ${digits}, want ${bytes * 2} for ${goType}`,
    )
  }
  if (isRefused(read)) throw refuseArgument(position, wrongType(read.refused, goType, field))
  return read
}

/** An index of at most 64 bits (hexutil.Uint). A bigint: compare it as such, so that it cannot wrap. */
export function parseIndex(value: unknown, position: number): bigint {
  const read =
    typeof value === 'string' ? readQuantity(value, 64) : ({ refused: 'non-string' } as const)
  if (isRefused(read)) throw refuseArgument(position, wrongType(read.refused, 'hexutil.Uint'))
  return read
}

/** Bytes of any length (hexutil.Bytes). */
export function parseBytes(value: unknown, position: number): Uint8Array {
  const read = typeof value === 'string' ? readBytes(value) : ({ refused: 'non-string' } as const)
  if (isRefused(read)) throw refuseArgument(position, wrongType(read.refused, 'hexutil.Bytes'))
  return read
}

/** A JSON boolean; null is false, as in geth. */
export function parseFlag(value: unknown, position: number): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'bool'))
}

/** A whole JSON number of at most 2^53 (uint64 in geth). */
export function parseUint64(value: unknown, position: number): number {
  if (typeof value !== 'number') {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'uint64'))
  }
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw refuseArgument(position, wrongType(`number ${value}`, 'uint64'))
}

/** A whole JSON number (int in geth). */
export function parseInteger(value: unknown, position: number): number {
  if (typeof value !== 'number') {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'int'))
  }
  if (Number.isSafeInteger(value)) return value
  throw refuseArgument(position, wrongType(`number ${value}`, 'int'))
}

/** A JSON number, decimal text or `0x` text below 2^64 (math.HexOrDecimal64). */
export function parseCount(value: unknown, position: number): bigint {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const count = /^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(text)
    ? BigInt(text.toLowerCase())
    : null
  if (count === null || count >= 2n ** 64n) {
    throw refuseArgument(position, `invalid hex or decimal integer ${quoteForMessage(text)}`)
  }
  return count
}

/** A list of JSON numbers. */
export function parseNumbers(value: unknown, position: number): readonly number[] {
  if (!Array.isArray(value)) {
    throw refuseArgument(position, wrongType(jsonTypeName(value), '[]float64'))
  }
  return value.map((item: unknown) => {
    if (typeof item === 'number') return item
    throw refuseArgument(position, wrongType(jsonTypeName(item), 'float64'))
  })
}

/**
 * 32 bytes, left-padded: every spelling of one slot gives the same bytes. Throws `bad_params` (`storage key too long…`, checked
 * first, `invalid hex in storage key…`, or the wrong JSON type).
 */
export function parseStoragePosition(value: unknown, position: number): Uint8Array {
  if (value === null) {
    throw new Fault('bad_params', { detail: `missing value for required argument ${position}` })
  }
  if (typeof value !== 'string') {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'string'))
  }
  const start = hasPrefix(value) ? 2 : 0
  if (value.length - start > 64) {
    throw new Fault('bad_params', {
      detail: `storage key too long (want at most 32 bytes): ${quoteForMessage(value)}`,
    })
  }
  const bytes = decodeDigits(value, start, 32)
  if (bytes !== null) return bytes
  throw new Fault('bad_params', {
    detail: `invalid hex in storage key: ${quoteForMessage(value)}`,
  })
}

/** Accepts any text; the caller handles an unknown ID. Throws `bad_params` for other types. */
export function parseFilterId(value: unknown, position: number): string {
  if (typeof value === 'string') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'rpc.ID'))
}

export type Members = ReadonlyMap<string, unknown>

/** `path`: Go's name of the struct field, for the message. */
export type Reading = { readonly position: number; readonly path: string }

const listLengthMax = 65_536

/** `{ [name]: value }`, or `{}` if the value is undefined. */
export function ifDefined<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
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

/** A JSON number that is whole, exact and at least 0. */
export function readUint(value: unknown, { position, path }: Reading): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'int', path))
}
