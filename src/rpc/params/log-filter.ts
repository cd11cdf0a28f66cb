// The filter object of eth_getLogs and eth_newFilter: blocks, addresses and topics (geth's FilterCriteria, with its texts).
import { Fault } from '../../base/fault.ts'
import type { LogFilter } from '../../chain/logs.ts'
import type { BlockParameter } from '../operation.ts'
import { latestBlock, parseBlockNumber } from './block-parameter.ts'
import {
  isRefused,
  jsonTypeName,
  parseHashField,
  readBytes,
  refuseArgument,
  wrongType,
} from './arguments.ts'

/** One block by hash, or a range of tags and numbers, both ends included; a missing end is `latest`. */
export type LogBlocks =
  | { readonly hash: Uint8Array }
  | { readonly from: BlockParameter; readonly to: BlockParameter }

export type LogQuery = { readonly blocks: LogBlocks; readonly filter: LogFilter }

const topicsMax = 4
/** Maximum of addresses in a filter, and of topics at one position. */
const choicesMax = 1000

/** Throws `bad_params`. Null means all logs of the latest block. */
export function parseLogFilter(value: unknown, position: number): LogQuery {
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'filters.input'))
  }
  const members = new Map<string, unknown>(Object.entries(value ?? {}))
  const member = (name: string) => members.get(name) ?? null
  const blocks = parseBlocks(member, position)
  return {
    blocks,
    filter: {
      addresses: parseAddresses(member('address'), position),
      topics: parseTopics(member('topics'), position),
    },
  }
}

function parseBlocks(member: (name: string) => unknown, position: number): LogBlocks {
  const [hash, from, to] = [member('blockHash'), member('fromBlock'), member('toBlock')]
  if (hash === null) {
    return {
      from: from === null ? latestBlock : parseBlockNumber(from, position),
      to: to === null ? latestBlock : parseBlockNumber(to, position),
    }
  }
  if (from !== null || to !== null) {
    throw refuseArgument(
      position,
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    )
  }
  return { hash: parseHashField(hash, position, 'input.blockHash') }
}

function parseAddresses(value: unknown, position: number): readonly Uint8Array[] {
  if (value === null) return []
  if (typeof value === 'string') return [readAddress(value, position, 'invalid address')]
  if (!Array.isArray(value)) throw refuseArgument(position, 'invalid addresses in query')
  if (value.length > choicesMax) throw tooManyChoices()
  return value.map((item: unknown, at) => {
    if (typeof item === 'string') {
      return readAddress(item, position, `invalid address at index ${at}`)
    }
    throw refuseArgument(position, `non-string address at index ${at}`)
  })
}

function readAddress(text: string, position: number, prefix: string): Uint8Array {
  const read = readExactly(text, { bytes: 20, as: 'address' })
  if (typeof read === 'string') throw refuseArgument(position, `${prefix}: ${read}`)
  return read
}

function parseTopics(value: unknown, position: number): LogFilter['topics'] {
  if (value === null) return []
  if (!Array.isArray(value)) {
    const type = '[]interface {}'
    throw refuseArgument(position, wrongType(jsonTypeName(value), type, 'input.topics'))
  }
  if (value.length > topicsMax) {
    throw new Fault('bad_params', { detail: 'exceed max topics' })
  }
  return value.map((choice: unknown) => parseTopicChoice(choice, position))
}

/** As in geth, a list that contains null matches any topic. */
function parseTopicChoice(choice: unknown, position: number): readonly Uint8Array[] | null {
  if (choice === null) return null
  if (!Array.isArray(choice)) return [readTopic(choice, position)]
  if (choice.length > choicesMax) throw tooManyChoices()
  const end = choice.indexOf(null)
  const topics = (end === -1 ? choice : choice.slice(0, end)).map((topic: unknown) =>
    readTopic(topic, position),
  )
  return end === -1 && topics.length > 0 ? topics : null
}

function readTopic(value: unknown, position: number): Uint8Array {
  if (typeof value !== 'string') throw new Fault('bad_params', { detail: 'invalid topic(s)' })
  const read = readExactly(value, { bytes: 32, as: 'topic' })
  if (typeof read === 'string') throw refuseArgument(position, read)
  return read
}

/** The bytes, or the error text. Unlike hash and address arguments, the empty text is an error. */
function readExactly(
  text: string,
  { bytes, as }: { readonly bytes: number; readonly as: string },
): Uint8Array | string {
  if (text === '') return 'empty hex string'
  const read = readBytes(text)
  if (isRefused(read)) return read.refused
  if (read.length === bytes) return read
  return `hex has invalid length ${read.length} after decoding; expected ${bytes} for ${as}`
}

function tooManyChoices(): Fault {
  return new Fault('bad_params', {
    detail: 'exceed max addresses or topics per search position',
  })
}
