// Falsehoods about raw bytes: debug_getRawHeader, debug_getRawBlock, debug_getRawReceipts.
import { type Hex, fromRlp, toRlp } from 'viem'
import { toHex } from '../../../src/base/hex.ts'
import { type Falsehood, flipBit, pick, type HonestReply } from './falsehood.ts'

type Nested = Hex | Nested[]

const ofHeaders = ['debug_getRawHeader']
const ofBlocks = ['debug_getRawBlock']
const ofReceipts = ['debug_getRawReceipts']

function aboutBytes(
  subject: Falsehood['subject'],
  name: string,
  methods: readonly string[],
  change: (bytes: Hex, reply: HonestReply) => unknown,
): Falsehood {
  return {
    subject,
    name,
    nature: 'contradiction',
    methods,
    async falsify(reply) {
      const { result } = reply
      if (typeof result !== 'string' || result.length <= 2) return undefined
      const changed = await change(result as Hex, reply)
      return changed === result ? undefined : changed
    },
  }
}

/** Changes the decoded block: header, transactions, uncles, withdrawals. */
function aboutRawBlock(
  subject: Falsehood['subject'],
  name: string,
  change: (parts: Nested[][], reply: HonestReply) => unknown,
  nature: Falsehood['nature'] = 'contradiction',
): Falsehood {
  const about = aboutBytes(subject, name, ofBlocks, async (bytes, reply) => {
    const parts = fromRlp(bytes, 'hex') as unknown as Nested[][]
    return (await change(parts, reply)) === false ? undefined : toRlp(parts as never)
  })
  return { ...about, nature }
}

const both = [...ofHeaders, ...ofBlocks]

export const falseRaw: readonly Falsehood[] = [
  aboutBytes('header', 'a bit flipped', both, (bytes, { random }) => flipBit(random, bytes)),
  aboutBytes('header', 'the last byte missing', both, (bytes) => bytes.slice(0, -2)),
  aboutBytes('header', 'a byte more', both, (bytes) => `${bytes}00`),
  aboutBytes('block', 'those of another block', both, (_bytes, { method, honest, random, chain }) =>
    honest(method, [pick(random, chain.recorded)?.hash]),
  ),
  aboutBytes('header', 'header fields in another order', ofHeaders, (bytes) => {
    const fields = fromRlp(bytes, 'hex') as Hex[]
    fields.splice(3, 2, ...fields.slice(3, 5).toReversed())
    return toRlp(fields)
  }),
  aboutBytes('header', 'an unknown header field', ofHeaders, (bytes) =>
    toRlp([...(fromRlp(bytes, 'hex') as Hex[]), `0x${'ab'.repeat(32)}`]),
  ),
  aboutBytes('kind', 'a header under a block', ofBlocks, (_bytes, { chain, random }) => {
    const header = pick(random, chain.recorded)?.parts.header
    return header === undefined ? undefined : toHex(header)
  }),
  aboutRawBlock('list', 'transactions in another order', ([, list]) => {
    if (list === undefined || list.length < 2) return false
    list.reverse()
    return true
  }),
  aboutRawBlock('list', 'a transaction dropped', ([, list]) => list?.pop() !== undefined),
  aboutRawBlock('list', 'a transaction twice', ([, list]) => {
    const first = list?.[0]
    return first === undefined ? false : list?.push(first)
  }),
  aboutRawBlock('list', 'the transactions of another block', (parts, { random, chain }) => {
    const other = pick(random, chain.recorded.slice(1))
    if (other === undefined) return false
    parts[1] = fromRlp(other.parts.transactions, 'hex') as unknown as Nested[]
    return true
  }),
  aboutRawBlock('sidecar', 'a blob transaction with its sidecar', ([, list]) => {
    const at = list?.findIndex((entry) => typeof entry === 'string' && entry.startsWith('0x03'))
    if (list === undefined || at === undefined || at < 0) return false
    const body = fromRlp(`0x${String(list[at]).slice(4)}`, 'hex') as unknown as Nested
    const filler: Hex = `0x${'00'.repeat(48)}`
    list[at] = `0x03${toRlp([body, ['0x00'], [filler], [filler]] as never).slice(2)}`
    return true
  }),
  // Affects only code that reads the list; the rest of the block is correct.
  aboutRawBlock(
    'list',
    'an uncle that is none',
    (parts) => {
      const header = parts[0]
      if (header === undefined) return false
      parts[2] = [header]
      return true
    },
    'odd',
  ),
  aboutRawBlock(
    'list',
    'withdrawals that the root does not have',
    (parts) => {
      if (parts[3] === undefined) return false
      parts[3].push(['0x01', '0x01', `0x${'ee'.repeat(20)}`, '0x01'])
      return true
    },
    'odd',
  ),
  ...receiptFalsehoods(),
]

function receiptFalsehoods(): readonly Falsehood[] {
  const about = (
    name: string,
    change: (entries: string[], reply: HonestReply) => unknown,
  ): Falsehood => ({
    subject: 'list',
    name,
    nature: 'contradiction',
    methods: ofReceipts,
    async falsify(reply) {
      const { result } = reply
      if (!Array.isArray(result) || result.length === 0) return undefined
      const before = JSON.stringify(result)
      if ((await change(result as string[], reply)) === false) return undefined
      return JSON.stringify(result) === before ? undefined : result
    },
  })
  return [
    about('raw receipts in another order', (list) => list.length > 1 && list.reverse()),
    about('a raw receipt dropped', (list) => list.pop()),
    about('a raw receipt twice', (list) => list.push(list[0] ?? '0x')),
    about('no raw receipts', (list) => list.splice(0)),
    about('a bit of a raw receipt flipped', (list, { random }) => {
      const at = Math.floor(random() * list.length)
      list[at] = flipBit(random, list[at] ?? '') ?? '0x'
    }),
    about('the raw receipts of another block', async (list, { honest, random, chain }) => {
      const other = pick(random, chain.recorded.slice(1))
      const found = (await honest('debug_getRawReceipts', [other?.hash])) as string[]
      list.splice(0, list.length, ...found)
    }),
  ]
}
