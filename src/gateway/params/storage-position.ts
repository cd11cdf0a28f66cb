// Storage positions as eth_getStorageAt takes them: hex with or without prefix, 0 to 64 digits.
import { Fault } from '../../base/fault.ts'
import { jsonTypeName, quoteForMessage, refuseArgument, wrongType } from './refuse.ts'

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
  const digits = /^0[xX]/.test(value) ? value.slice(2) : value
  if (digits.length > 64) {
    throw new Fault('bad_params', {
      detail: `storage key too long (want at most 32 bytes): ${quoteForMessage(value)}`,
    })
  }
  if (!/^[0-9a-fA-F]*$/.test(digits)) {
    throw new Fault('bad_params', {
      detail: `invalid hex in storage key: ${quoteForMessage(value)}`,
    })
  }
  return new Uint8Array(Buffer.from(digits.padStart(64, '0'), 'hex'))
}
