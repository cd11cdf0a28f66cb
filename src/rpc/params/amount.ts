// Numbers in the forms that development tools send: hex, decimal text, or a JSON number.
// Tested by src/rpc/params/amount.test.ts
import { quoteForMessage, refuseArgument } from './arguments.ts'

const digitsMax = 78
const amount = /^(0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/

/** Below 2^256. Throws `bad_params`. */
export function parseAmount(value: unknown, position: number): bigint {
  return parseBelow(value, position, 256)
}

/** Below 2^63: times and gas limits, which headers hold in 64 bits. Throws `bad_params`. */
export function parseTimeOrGas(value: unknown, position: number): bigint {
  return parseBelow(value, position, 63)
}

function parseBelow(value: unknown, position: number, bits: number): bigint {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const read = text.length <= digitsMax && amount.test(text) ? BigInt(text.toLowerCase()) : null
  if (read === null) {
    const expected = 'expected a whole number from 0, in hex or decimal'
    throw refuseArgument(position, `invalid number ${quoteForMessage(text)}, ${expected}`)
  }
  if (read >= 1n << BigInt(bits)) {
    throw refuseArgument(position, `number ${quoteForMessage(text)} is not below 2^${bits}`)
  }
  return read
}
