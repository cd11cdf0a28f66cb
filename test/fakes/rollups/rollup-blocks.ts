// One block each of OP Mainnet, Arbitrum One and Polygon, as a node of that chain returns it. viem encodes the entries, field by
// field from the specification of the chain; the members are those of op-geth, Nitro and bor.
import { concatHex, fromRlp, type Hex, keccak256, numberToHex, parseTransaction, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { serializeTransaction } from 'viem/op-stack'
import { bloomBits } from '../../../src/codec/ethereum/bloom.ts'
import { decodeHeader, encodeHeader } from '../../../src/codec/ethereum/header.ts'
import { encodeEntries } from '../../../src/codec/ethereum/list.ts'
import { orderedRoot } from '../../../src/codec/ethereum/ordered-trie.ts'
import { fromHex, toHex } from '../../../src/base/hex.ts'

export type Json = Record<string, unknown>

export type RollupBlock = {
  readonly chainId: bigint
  readonly hash: Hex
  /** Header as RLP. */
  readonly header: Uint8Array
  readonly rawTransactions: readonly Hex[]
  readonly rawReceipts: readonly Hex[]
  /** Reply of eth_getBlockByHash with full transactions. */
  readonly json: Json & { readonly transactions: readonly Json[] }
  readonly receipts: readonly Json[]
}

/** A transaction of a block: its entry, its own members, and its receipt. */
type Draft = {
  readonly raw: Hex
  readonly members: Json
  readonly gasUsed: bigint
  readonly logs?: readonly {
    readonly address: Hex
    readonly topics: readonly Hex[]
    readonly data: Hex
  }[]
  /** Receipt fields after the four common ones. */
  readonly receiptFields?: readonly Hex[]
  readonly receiptMembers?: Json
}

type HeaderDraft = {
  readonly chainId: bigint
  readonly number: bigint
  readonly timestamp: bigint
  readonly baseFee: bigint
  readonly difficulty: bigint
  readonly extraData: Hex
  readonly mixHash: Hex
  /** Has the header fields of the forks from Shanghai to Prague. */
  readonly isPrague: boolean
  /** Additional members of nodes. */
  readonly members: Json
}

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const sender = account.address.toLowerCase() as Hex
const filled = (byte: string, length: number): Hex => `0x${byte.repeat(length)}`
/** RLP integer: without leading zeros, empty for zero. */
const integer = (value: bigint): Hex =>
  value === 0n ? '0x' : numberToHex(value, { size: bytesOf(value) })
const bytesOf = (value: bigint) => Math.ceil(value.toString(16).length / 2)
const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
const typed = (type: number, fields: Parameters<typeof toRlp>[0]): Hex =>
  concatHex([numberToHex(type, { size: 1 }), toRlp(fields)])
const unsigned = { v: '0x0', r: '0x0', s: '0x0' }

const transfer = {
  address: filled('aa', 20),
  topics: [filled('dd', 32), filled('01', 32)],
  data: '0x0102' as Hex,
}

/** Type 2, or 0 without a fee for the fee recipient. `baseFee`: of its block. */
async function signed(chainId: bigint, type: 0 | 2, baseFee: bigint): Promise<Draft> {
  const call = { to: filled('22', 20), value: 5n, gas: 50_000n, nonce: 7, data: '0xabcd' as Hex }
  const id = Number(chainId)
  const raw =
    type === 0
      ? await account.signTransaction({
          ...call,
          type: 'legacy',
          chainId: id,
          gasPrice: 9n * baseFee,
        })
      : await account.signTransaction({
          ...call,
          type: 'eip1559',
          chainId: id,
          maxFeePerGas: 3n * baseFee,
          maxPriorityFeePerGas: 1n,
        })
  const items = signatureOf(raw, type)
  const price = type === 0 ? 9n * baseFee : baseFee + 1n
  return {
    raw,
    gasUsed: 30_000n,
    logs: [transfer, transfer],
    members: {
      type: quantity(type),
      chainId: quantity(chainId),
      from: sender,
      to: call.to,
      value: '0x5',
      gas: quantity(call.gas),
      nonce: '0x7',
      input: call.data,
      gasPrice: quantity(price),
      ...(type === 2 && {
        maxFeePerGas: quantity(3n * baseFee),
        maxPriorityFeePerGas: '0x1',
        accessList: [],
        yParity: items.v,
      }),
      ...items,
    },
    receiptMembers: { effectiveGasPrice: quantity(price) },
  }
}

/** The last three fields of a signed transaction, in the JSON format of nodes. */
function signatureOf(raw: Hex, type: 0 | 2): { readonly v: Hex; readonly r: Hex; readonly s: Hex } {
  const { v = 0n, yParity = 0, r = '0x', s = '0x' } = parseTransaction(raw)
  const shown = type === 0 ? v : BigInt(yParity)
  return { v: quantity(shown), r: quantity(BigInt(r)), s: quantity(BigInt(s)) }
}

const word = (value: bigint) => value.toString(16).padStart(64, '0')
/** L1 attributes since Jovian; see op-geth's receipt_opstack_test.go. */
const attributes: Hex = `0x3db6be2b${'00000002'}${'00000003'}${'00000000000004d2'.repeat(3)}${word(1_000_000_000n)}${word(10_000_000n)}${word(1234n)}${word(1234n)}${'55c6fb7c116fb15b44847d040190'}`
const fees = {
  l1GasPrice: '0x3b9aca00',
  l1BlobBaseFee: '0x989680',
  l1BaseFeeScalar: '0x2',
  l1BlobBaseFeeScalar: '0x3',
  operatorFeeScalar: '0x55c6fb7c',
  operatorFeeConstant: '0x116fb15b44847d04',
  daFootprintGasScalar: '0x190',
  l1GasUsed: '0x640',
  l1Fee: quantity(3_203_000),
  blobGasUsed: quantity(40_000),
}

/** `nonce`: null before Canyon, when receipts do not contain it. */
function deposit(
  fields: { readonly data: Hex; readonly to: Hex | null; readonly mint: bigint },
  nonce: bigint,
  isEarly: boolean,
): Draft {
  const from = filled('de', 20)
  const own = { sourceHash: filled('5c', 32), from, value: 6n, gas: 1_000_000n }
  const { data, to, mint } = fields
  const raw = serializeTransaction({
    ...own,
    type: 'deposit',
    data,
    mint,
    isSystemTx: false,
    ...(to !== null && { to }),
  })
  const created = `0x${keccak256(toRlp([from, integer(nonce)])).slice(-40)}`
  return {
    raw,
    gasUsed: 40_000n,
    members: {
      type: '0x7e',
      sourceHash: own.sourceHash,
      from,
      to,
      ...(mint > 0n && { mint: quantity(mint) }),
      value: '0x6',
      gas: quantity(own.gas),
      input: data,
      nonce: quantity(nonce),
      ...(!isEarly && { depositReceiptVersion: '0x1' }),
      gasPrice: '0x0',
      ...unsigned,
    },
    receiptFields: isEarly ? [] : [integer(nonce), '0x01'],
    receiptMembers: {
      effectiveGasPrice: '0x0',
      depositNonce: quantity(nonce),
      ...(!isEarly && { depositReceiptVersion: '0x1' }),
      ...(to === null && { contractAddress: created }),
    },
  }
}

const opHeader = {
  chainId: 10n,
  baseFee: 1_000n,
  difficulty: 0n,
  mixHash: filled('33', 32),
} as const

/** Jovian: withdrawalsRoot is a storage root, extraData has 17 bytes. */
export async function opBlock(): Promise<RollupBlock> {
  const { chainId, baseFee } = opHeader
  const users = [await signed(chainId, 2, baseFee), await signed(chainId, 0, baseFee)]
  return blockOf(
    {
      ...opHeader,
      number: 146_000_000n,
      timestamp: 1_770_000_000n,
      extraData: `0x01${'00000032'}${'00000006'}${'0000000000000000'}`,
      isPrague: true,
      members: { withdrawals: [] },
    },
    [
      deposit({ data: attributes, to: filled('42', 20), mint: 0n }, 0n, false),
      deposit({ data: '0x6001', to: null, mint: 77n }, 12n, false),
      ...users.map((user) => ({ ...user, receiptMembers: { ...user.receiptMembers, ...fees } })),
    ],
  )
}

/** Regolith: nodes return nonces of deposits that no root commits to. */
export async function earlyOpBlock(): Promise<RollupBlock> {
  const { chainId, baseFee } = opHeader
  const bedrock: Hex = `0x015d8eb9${[1n, 1n, 1_000_000_000n, 1n, 1n, 1n, 50n, 684_000n].map(word).join('')}`
  const user = await signed(chainId, 2, baseFee)
  const bytes = fromHex(user.raw)
  const gas = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 50n)
  const own = {
    l1GasPrice: '0x3b9aca00',
    l1FeeScalar: '0.684',
    l1GasUsed: quantity(gas),
    l1Fee: quantity((gas * 1_000_000_000n * 684_000n) / 1_000_000n),
  }
  return blockOf(
    {
      ...opHeader,
      number: 106_000_000n,
      timestamp: 1_690_000_000n,
      extraData: '0x',
      isPrague: false,
      members: {},
    },
    [
      deposit({ data: bedrock, to: filled('42', 20), mint: 0n }, 4_012_991n, true),
      deposit({ data: '0x6001', to: null, mint: 77n }, 12n, true),
      { ...user, receiptMembers: { ...user.receiptMembers, ...own } },
    ],
  )
}

/** An entry of Arbitrum: its fields with their JSON names. */
function nitro(type: number, fields: readonly NitroField[], members: Json): Draft {
  const items = fields.map(([, value]) =>
    typeof value === 'bigint' ? integer(value) : (value ?? '0x'),
  )
  const shown = fields.flatMap(([name, value]) =>
    value === null && name !== 'to'
      ? []
      : [[name, typeof value === 'bigint' ? quantity(value) : value] as const],
  )
  return {
    raw: typed(type, items),
    gasUsed: 1_000n,
    members: {
      gas: '0x0',
      nonce: '0x0',
      value: '0x0',
      input: '0x',
      gasPrice: '0x0',
      ...Object.fromEntries(shown),
      type: quantity(type),
      ...unsigned,
      ...members,
    },
  }
}

type NitroField = readonly [name: string, value: Hex | bigint | null]

const call: readonly NitroField[] = [
  ['gas', 90_000n],
  ['to', filled('44', 20)],
  ['value', 3n],
  ['input', '0xfeed'],
]

/** `collectsTips`: flag in mixHash since ArbOS 60. */
export async function nitroBlock(collectsTips: boolean): Promise<RollupBlock> {
  const chainId = 42_161n
  const baseFee = 10_000_000n
  const arbOs = `0x${'a4b05'.padStart(40, '0')}`
  const id = ['chainId', chainId] as const
  const from = ['from', filled('66', 20)] as const
  const request = ['requestId', filled('77', 32)] as const
  const user = await signed(chainId, 2, baseFee)
  const submit: Hex = `0xc9f95d32${'77'.repeat(32)}${[4n, 5n, 8n, 6n, 90_000n, 10n].map(word).join('')}${['bb', 'bc', '99'].map((byte) => byte.repeat(20).padStart(64, '0')).join('')}${word(0x160n)}${word(2n)}${'cafe'.padEnd(64, '0')}`
  const drafts: readonly Draft[] = [
    nitro(0x6a, [id, ['input', '0x6bf6a42d']], { from: arbOs, to: arbOs }),
    nitro(0x64, [id, request, from, ['to', filled('88', 20)], ['value', 9n]], {}),
    nitro(0x65, [id, from, ['nonce', 4n], ['gasPrice', 2n * baseFee], ...call], {}),
    nitro(
      0x66,
      [id, request, from, ['maxFeePerGas', 3n * baseFee], ...call.with(1, ['to', null])],
      {
        gasPrice: quantity(3n * baseFee),
      },
    ),
    nitro(
      0x68,
      [
        id,
        ['nonce', 1n],
        from,
        ['maxFeePerGas', baseFee],
        ...call,
        ['ticketId', filled('99', 32)],
        ['refundTo', filled('98', 20)],
        ['maxRefund', 11n],
        ['submissionFeeRefund', 12n],
      ],
      { gasPrice: quantity(baseFee) },
    ),
    nitro(
      0x69,
      [
        id,
        request,
        from,
        ['l1BaseFee', 4n],
        ['depositValue', 5n],
        ['maxFeePerGas', 6n],
        ['gas', 90_000n],
        ['retryTo', filled('99', 20)],
        ['retryValue', 8n],
        ['beneficiary', filled('bc', 20)],
        ['maxSubmissionFee', 10n],
        ['refundTo', filled('bb', 20)],
        ['retryData', '0xcafe'],
      ],
      { gasPrice: '0x6', to: `0x${'6e'.padStart(40, '0')}`, input: submit },
    ),
    user,
  ]
  const paid = (type: unknown): bigint => {
    if (!collectsTips) return baseFee
    if (type === '0x6a' || type === '0x64') return 0n
    return type === '0x2' ? baseFee + 1n : baseFee
  }
  return blockOf(
    {
      chainId,
      number: 400_000_000n,
      timestamp: 1_770_000_000n,
      baseFee,
      difficulty: 1n,
      extraData: filled('e0', 32),
      mixHash: `0x${word(5n).slice(-16)}${word(24_000_000n).slice(-16)}${word(60n).slice(-16)}00${collectsTips ? '01' : '00'}${'00'.repeat(6)}`,
      isPrague: false,
      members: {
        l1BlockNumber: quantity(24_000_000),
        sendCount: '0x5',
        sendRoot: filled('e0', 32),
      },
    },
    drafts.map((draft) => ({
      ...draft,
      receiptMembers: {
        effectiveGasPrice: quantity(paid(draft.members['type'])),
        l1BlockNumber: quantity(24_000_000),
        gasUsedForL1: '0x1f',
        timeboosted: false,
        ...(draft.members['type'] === '0x66' && { contractAddress: filled('c0', 20) }),
      },
    })),
  )
}

/** Madhugiri: the state sync transaction is the last one. */
export async function polygonBlock(): Promise<RollupBlock> {
  const zero = filled('00', 20)
  const row = [integer(3_000_000n), filled('1d', 20), '0x3078616263' as Hex, filled('1e', 32)]
  const sync: Draft = {
    raw: typed(0x7f, [row, row]),
    gasUsed: 0n,
    logs: [transfer],
    members: {
      type: '0x7f',
      from: zero,
      to: zero,
      value: '0x0',
      gas: '0x0',
      gasPrice: '0x0',
      nonce: '0x0',
      input: '0x',
      ...unsigned,
    },
    receiptMembers: { effectiveGasPrice: '0x0' },
  }
  return blockOf(
    {
      chainId: 137n,
      number: 85_000_000n,
      timestamp: 1_770_000_000n,
      baseFee: 30_000_000_000n,
      difficulty: 21n,
      extraData: filled('ee', 97),
      mixHash: filled('00', 32),
      isPrague: false,
      members: {},
    },
    [await signed(137n, 2, 30_000_000_000n), sync],
  )
}

/** Computes header and roots, and adds the members for the position in the block. */
export function blockOf(draft: HeaderDraft, drafts: readonly Draft[]): RollupBlock {
  let cumulative = 0n
  const sums = drafts.map(({ gasUsed }) => (cumulative += gasUsed))
  const rawReceipts = drafts.map((one, index) => receiptOf(one, sums[index] ?? 0n))
  const root = (entries: readonly Hex[]) => orderedRoot(entries.map(fromHex))
  const hash32 = (byte: string) => fromHex(filled(byte, 32))
  const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
  const rawTransactions = drafts.map(({ raw }) => raw)
  const bloom = orAll(drafts.map(bloomOf))
  const header = encodeHeader({
    parentHash: hash32('01'),
    unclesHash: fromHex(noUncles),
    miner: fromHex(filled('02', 20)),
    stateRoot: hash32('03'),
    transactionsRoot: root(rawTransactions),
    receiptsRoot: root(rawReceipts),
    logsBloom: bloom,
    difficulty: draft.difficulty,
    number: draft.number,
    gasLimit: 60_000_000n,
    gasUsed: cumulative,
    timestamp: draft.timestamp,
    extraData: fromHex(draft.extraData),
    mixHash: fromHex(draft.mixHash),
    nonce: new Uint8Array(8),
    baseFeePerGas: draft.baseFee,
    ...(draft.isPrague && {
      withdrawalsRoot: hash32('16'),
      blobGasUsed: 40_000n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: hash32('04'),
      requestsHash: hash32('e3'),
    }),
  })
  const hash = keccak256(header)
  const position = {
    blockHash: hash,
    blockNumber: quantity(draft.number),
    blockTimestamp: quantity(draft.timestamp),
  }
  const transactions = drafts.map(({ raw, members }, index) => ({
    ...members,
    ...position,
    hash: hashOf(raw),
    transactionIndex: quantity(index),
  }))
  let logIndex = 0
  const receipts = drafts.map((one, index): Json => {
    const { type, from, to } = one.members
    const at = { transactionHash: hashOf(one.raw), transactionIndex: quantity(index) }
    const { blockTimestamp: _, ...where } = position
    return {
      ...where,
      ...at,
      type,
      from,
      to,
      status: '0x1',
      cumulativeGasUsed: quantity(sums[index] ?? 0n),
      gasUsed: quantity(one.gasUsed),
      contractAddress: null,
      logsBloom: toHex(bloomOf(one)),
      logs: (one.logs ?? []).map((log) => ({
        ...log,
        ...position,
        ...at,
        logIndex: quantity(logIndex++),
        removed: false,
      })),
      ...one.receiptMembers,
    }
  })
  const json = {
    hash,
    parentHash: filled('01', 32),
    sha3Uncles: noUncles,
    miner: filled('02', 20),
    stateRoot: filled('03', 32),
    transactionsRoot: toHex(root(rawTransactions)),
    receiptsRoot: toHex(root(rawReceipts)),
    logsBloom: toHex(bloom),
    difficulty: quantity(draft.difficulty),
    number: quantity(draft.number),
    gasLimit: quantity(60_000_000),
    gasUsed: quantity(cumulative),
    timestamp: quantity(draft.timestamp),
    extraData: draft.extraData,
    mixHash: draft.mixHash,
    nonce: filled('00', 8),
    baseFeePerGas: quantity(draft.baseFee),
    ...(draft.isPrague && {
      withdrawalsRoot: filled('16', 32),
      blobGasUsed: quantity(40_000),
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: filled('04', 32),
      requestsHash: filled('e3', 32),
    }),
    size: '0x1',
    uncles: [],
    transactions,
    ...draft.members,
  }
  const { chainId } = draft
  return { chainId, hash, header, rawTransactions, rawReceipts, json, receipts }
}

/** bor hashes the state sync struct, which has one field: the list of rows. */
function hashOf(raw: Hex): Hex {
  if (!raw.startsWith('0x7f')) return keccak256(raw)
  const rows = fromRlp(`0x${raw.slice(4)}`)
  return keccak256(typed(0x7f, [rows]))
}

/** `[header, transactions, uncles, withdrawals?]`. */
export function rawBlock({ header, rawTransactions, json }: RollupBlock): Hex {
  const list = encodeEntries(rawTransactions.map(fromHex))
  const tail = 'withdrawals' in json ? 'c0c0' : 'c0'
  const body = `${toHex(header).slice(2)}${toHex(list).slice(2)}${tail}`
  const size = body.length / 2
  const length = size.toString(16).padStart(Math.ceil(size.toString(16).length / 2) * 2, '0')
  return `0x${(0xf7 + length.length / 2).toString(16)}${length}${body}`
}

function receiptOf({ raw, logs = [], receiptFields = [], ...draft }: Draft, sum: bigint): Hex {
  const items = [
    '0x01' as Hex,
    integer(sum),
    toHex(bloomOf({ raw, logs, ...draft })) as Hex,
    logs.map(({ address, topics, data }) => [address, [...topics], data]),
    ...receiptFields,
  ]
  const type = Number(raw.slice(0, 4))
  return type >= 0xc0 ? toRlp(items) : typed(type, items)
}

function bloomOf({ logs = [] }: Draft): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    for (const bit of bloomBits(fromHex(value))) {
      const at = 255 - (bit >> 3)
      bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
    }
  }
  return bloom
}

function orAll(blooms: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(256).map((_, at) => blooms.reduce((sum, one) => sum | (one[at] ?? 0), 0))
}

/** The same block with another number. */
export function renumbered(block: RollupBlock, number: bigint): RollupBlock {
  const header = encodeHeader({ ...decodeHeader(block.header), number })
  const hash = keccak256(header)
  const position = { blockHash: hash, blockNumber: quantity(number) }
  const transactions = block.json.transactions.map((one) => ({ ...one, ...position }))
  const receipts = block.receipts.map((one) => ({
    ...one,
    ...position,
    logs: (one['logs'] as readonly Json[]).map((log) => ({ ...log, ...position })),
  }))
  const json = { ...block.json, hash, number: quantity(number), transactions }
  return { ...block, header, hash, json, receipts }
}
