// Storage positions as eth_getStorageAt takes them: hex with or without prefix, 0 to 64 digits.
import { Fault } from '../../base/fault.ts'
import { decodeDigits } from '../../base/hex.ts'
import { hasPrefix } from './hex-text.ts'
import { jsonTypeName, quoteForMessage, refuseArgument, wrongType } from './refuse-argument.ts'

/**
 * 32 bytes, left-padded: every spelling of one slot gives the same bytes. Throws `bad_params`
 * (`storage key too long…`, judged first, `invalid hex in storage key…`, or the wrong JSON type).
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
