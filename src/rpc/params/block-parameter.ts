// The block parameter of state methods (EIP-1898) and the number-only one of eth_getBlockByNumber.
import type { BlockParameter } from '../operation.ts'
import {
  isRefused,
  jsonTypeName,
  readBlockNumber,
  readBytes,
  refuseArgument,
  wrongType,
} from './arguments.ts'

const tags = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const
const numberMax = 2n ** 63n - 1n
const hashTextLength = 66

export const latestBlock: BlockParameter = { tag: 'latest' }

/** Tag, QUANTITY, 66-character hash or EIP-1898 object. Throws `bad_params`. */
export function parseBlockParameter(value: unknown, position: number): BlockParameter {
  if (typeof value === 'string') return parseBlockText(value, position)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return parseBlockObject(value, position)
  }
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'string'))
}

/** Tag or QUANTITY, but no hash. Throws `bad_params`. */
export function parseBlockNumber(value: unknown, position: number): BlockParameter {
  // rpc.BlockNumber reads the raw JSON text, so 5 is parsed as the text "5".
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const tag = tags.find((known) => known === text)
  if (tag !== undefined) return { tag }
  return { number: parseNumber(text, position, 'block number larger than int64') }
}

function parseBlockText(text: string, position: number): BlockParameter {
  const tag = tags.find((known) => known === text)
  if (tag !== undefined) return { tag }
  if (text.length !== hashTextLength) {
    return { number: parseNumber(text, position, 'blocknumber too high') }
  }
  const hash = readBytes(text)
  if (isRefused(hash)) throw refuseArgument(position, hash.refused)
  return { hash, requireCanonical: false }
}

function parseNumber(text: string, position: number, tooHigh: string): bigint {
  const number = readBlockNumber(text)
  if (isRefused(number)) throw refuseArgument(position, number.refused)
  if (number > numberMax) throw refuseArgument(position, tooHigh)
  return number
}

function parseBlockObject(value: object, position: number): BlockParameter {
  const members = new Map<string, unknown>(Object.entries(value))
  const hash = members.get('blockHash') ?? null
  const number = members.get('blockNumber') ?? null
  const requireCanonical = members.get('requireCanonical') ?? false
  const parsedHash = hash === null ? null : readMemberHash(hash)
  const parsedNumber = number === null ? null : readMemberNumber(number)
  if (parsedHash === 'bad' || parsedNumber === 'bad' || typeof requireCanonical !== 'boolean') {
    // geth tries the value as a string after the object failed, and reports that second failure.
    throw refuseArgument(position, wrongType('object', 'string'))
  }
  if (parsedHash !== null && parsedNumber !== null) {
    throw refuseArgument(
      position,
      'cannot specify both BlockHash and BlockNumber, choose one or the other',
    )
  }
  if (parsedHash !== null) return { hash: parsedHash, requireCanonical }
  if (parsedNumber !== null) return parsedNumber
  throw refuseArgument(position, 'must specify either BlockHash or BlockNumber')
}

function readMemberHash(value: unknown): Uint8Array | 'bad' {
  if (typeof value !== 'string') return 'bad'
  const hash = readBytes(value)
  return isRefused(hash) || hash.length !== 32 ? 'bad' : hash
}

function readMemberNumber(value: unknown): BlockParameter | 'bad' {
  if (typeof value !== 'string') return 'bad'
  const tag = tags.find((known) => known === value)
  if (tag !== undefined) return { tag }
  const number = readBlockNumber(value)
  return isRefused(number) || number > numberMax ? 'bad' : { number }
}
