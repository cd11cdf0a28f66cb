// The spelling rules of go-ethereum's hexutil, shared by all parameters. Each function returns either
// the digits or the reason in hexutil's words; the caller decides how the message goes on.
// Tested by src/rpc/params/params.test.ts
import { decodeDigits } from '../../base/hex.ts'

/** Why a text is no hex of the wanted form. */
export type Refused = { readonly refused: string }

export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && 'refused' in value
}

const hexDigits = /^[0-9a-fA-F]*$/

/** `0x` or `0X`. */
export function hasPrefix(text: string): boolean {
  return text.startsWith('0x') || text.startsWith('0X')
}

function afterPrefix(text: string): string | null {
  return hasPrefix(text) ? text.slice(2) : null
}

/** Bytes of any length. The empty text is no bytes (hexutil.Bytes). */
export function readBytes(text: string): Uint8Array | Refused {
  if (text === '') return new Uint8Array(0)
  if (!hasPrefix(text)) return { refused: 'hex string without 0x prefix' }
  if (text.length % 2 !== 0) return { refused: 'hex string of odd length' }
  return decodeDigits(text, 2) ?? { refused: 'invalid hex string' }
}

/** A QUANTITY of at most `bits` bits. The empty text is refused, unlike in hexutil's JSON form. */
export function readQuantity(text: string, bits: 64 | 256): bigint | Refused {
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

/** As `readQuantity`, in the order of hexutil.DecodeUint64, which reads digit by digit. */
export function readBlockNumber(text: string): bigint | Refused {
  if (text === '') return { refused: 'empty hex string' }
  const first = afterPrefix(text)?.slice(0, 17) ?? ''
  if (first.length > 0 && !hexDigits.test(first) && !/^0./s.test(first)) {
    return { refused: 'invalid hex string' }
  }
  return readQuantity(text, 64)
}
