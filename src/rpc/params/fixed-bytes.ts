// Addresses (20 bytes) and hashes (32 bytes): `0x`/`0X`, exactly so many digits, any case.
import { isRefused, readBytes } from './hex-text.ts'
import { refuseArgument, wrongType } from './refuse-argument.ts'

type FixedType = { readonly goType: 'common.Address' | 'common.Hash'; readonly bytes: 20 | 32 }

const addressType: FixedType = { goType: 'common.Address', bytes: 20 }
const hashType: FixedType = { goType: 'common.Hash', bytes: 32 }

/** 20 bytes. A checksum in the letters' case is not judged. Throws `bad_params`. */
export function parseAddress(value: unknown, position: number): Uint8Array {
  return parseFixedBytes(value, position, addressType)
}

/** 32 bytes. Throws `bad_params`. */
export function parseHash(value: unknown, position: number): Uint8Array {
  return parseFixedBytes(value, position, hashType)
}

export function parseAddressField(value: unknown, position: number, field: string): Uint8Array {
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
  // hexutil judges the length before it looks at the digits.
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
