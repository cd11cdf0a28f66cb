// Invalid replies of a source: one upstream is faulty and the next honest; then all are faulty. The answer is the honest one or an
// error, and no content with a wrong hash is stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testChain } from '../../../../test/fakes/chain-facts.ts'
import {
  openStubChain,
  type StubBlock,
  type StubChain,
} from '../../../../test/fakes/upstream/stub-chain.ts'
import type { StubCall, StubReply } from '../../../../test/fakes/upstream/stub-knobs.ts'
import {
  startStubUpstream,
  type StubUpstream,
} from '../../../../test/fakes/upstream/stub-upstream.ts'
import {
  openUpstreamContent,
  provedBlock,
} from '../../../../test/fakes/upstream/upstream-content.ts'
import { Fault } from '../../../base/fault.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { encodeEntries } from '../../../codec/ethereum/list.ts'
import { type RlpItem, decodeRlp, encodeRlp } from '../../../codec/ethereum/rlp.ts'
import { findHeader, readReceiptList, readTransactionList } from '../../blocks.ts'
import type { Network } from '../../network.ts'
import { findAccount, readCode, readStorage } from '../../state.ts'
import { completeRead } from '../../read.ts'

const chain: StubChain = await openStubChain()
const { signal } = new AbortController()

const stored = fromHex(testChain.stored)
const coded = fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
const absent = fromHex(`0x${'11'.repeat(20)}`)
const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const hex = (bytes: Uint8Array | null) => bytes && toHex(bytes)

/** A read and its correct result from another library. `block`: by number. */
type Read = {
  readonly block: number
  run(network: Network, block: StubBlock): Promise<string | null>
  readonly truth: (block: StubBlock) => string | null
}

const slotRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex(
      await completeRead(
        readStorage({ network, block: provedBlock(block), address: stored }, word(2)),
        signal,
      ),
    ),
  truth: () => toHex(word(2)),
}
const emptySlotRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex(
      await completeRead(
        readStorage({ network, block: provedBlock(block), address: stored }, word(9)),
        signal,
      ),
    ),
  truth: () => toHex(word(0)),
}
const absentRead: Read = {
  block: 54,
  run: async (network, block) =>
    (await completeRead(
      findAccount({ network, block: provedBlock(block), address: absent }),
      signal,
    )) === null
      ? null
      : 'there',
  truth: () => null,
}
const codeRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex(
      await completeRead(readCode({ network, block: provedBlock(block), address: coded }), signal),
    ),
  truth: () => codeTruth,
}
const headerRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex((await completeRead(findHeader(network, fromHex(block.hash)), signal))?.bytes ?? null),
  truth: (block) => toHex(block.parts.header),
}
const bodyRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex(await completeRead(readTransactionList(network, provedBlock(block)), signal)),
  truth: (block) => toHex(block.parts.transactions),
}
const receiptRead: Read = {
  block: 54,
  run: async (network, block) =>
    hex(await completeRead(readReceiptList(network, provedBlock(block)), signal)),
  truth: (block) => toHex(encodeEntries(block.receipts)),
}
let codeTruth = ''

type Value = Record<string, unknown>
/** Changes one method's honest result; `request` sends another request to an honest node. */
type Change = (
  result: Value,
  call: StubCall,
  request: (method: string, ...params: readonly unknown[]) => Promise<unknown>,
) => unknown

type Trap = {
  readonly name: string
  readonly read: Read
  readonly method: string
  readonly change: Change
  /** False: the reply is only incomplete, so no invalid reply is recorded. */
  readonly isLie: boolean
  /** The invalid part is next to a proof that may be valid: then the answer is the correct one. */
  readonly mayAnswer?: boolean
  /** The faulty node has no debug calls, so its JSON is invalid. */
  readonly jsonOnly?: boolean
}

const other = `0x${'22'.repeat(20)}`
const proofOf =
  (address: string, slots: readonly string[]): Change =>
  async (result, { params }, request) => ({
    ...((await request('eth_getProof', address, slots, params[2])) as Value),
    address: result['address'],
  })
const entries = (result: Value) => result['storageProof'] as Value[]
const withEntry = (result: Value, part: Value) => ({
  ...result,
  storageProof: entries(result).map((entry) => ({ ...entry, ...part })),
})
const transactionsOf = (result: Value) => result['transactions'] as Value[]

const proof = { method: 'eth_getProof', read: slotRead, isLie: true } as const
const json = { method: 'eth_getBlockByHash', jsonOnly: true, isLie: true } as const
const traps: readonly Trap[] = [
  {
    ...proof,
    name: 'a proof of another address, echoed as that address',
    change: proofOf(toHex(coded), [toHex(word(2))]),
  },
  {
    ...proof,
    name: 'a proof that another address is absent',
    change: proofOf(other, [toHex(word(2))]),
  },
  {
    ...proof,
    name: 'a proof of another slot',
    change: proofOf(toHex(stored), [toHex(word(3))]),
  },
  {
    ...proof,
    name: 'a slot left out',
    change: (result) => ({ ...result, storageProof: [] }),
    isLie: false,
  },
  {
    ...proof,
    name: 'another value',
    mayAnswer: true,
    change: (result) => withEntry(result, { value: '0x7' }),
  },
  {
    ...proof,
    name: 'another balance',
    mayAnswer: true,
    change: (result) => ({ ...result, balance: '0x7' }),
  },
  {
    ...proof,
    name: 'another nonce',
    mayAnswer: true,
    change: (result) => ({ ...result, nonce: '0x7' }),
  },
  {
    ...proof,
    name: 'another code hash',
    mayAnswer: true,
    change: (result) => ({ ...result, codeHash: toHex(word(7)) }),
  },
  {
    ...proof,
    name: 'another storage root',
    mayAnswer: true,
    change: (result) => ({ ...result, storageHash: toHex(word(7)) }),
  },
  {
    ...proof,
    read: emptySlotRead,
    name: 'an empty slot without nodes',
    change: (result) => withEntry(result, { proof: [] }),
    isLie: false,
  },
  {
    ...proof,
    read: absentRead,
    name: 'an absent account without nodes',
    change: (result) => ({ ...result, accountProof: [] }),
    isLie: false,
  },
  {
    ...proof,
    name: 'a right proof of another block',
    change: (_, { params }, request) => request('eth_getProof', params[0], params[1], '0x20'),
  },
  {
    ...proof,
    name: 'a proof that is cut short',
    mayAnswer: true,
    change: (result) => ({
      ...result,
      accountProof: (result['accountProof'] as string[]).slice(0, -1),
    }),
    isLie: false,
  },
  {
    ...proof,
    name: 'ten thousand nodes more',
    mayAnswer: true,
    change: (result) => ({
      ...result,
      accountProof: [
        ...(result['accountProof'] as string[]),
        ...Array.from({ length: 10_000 }, (_, at) => toHex(word(at))),
      ],
    }),
  },
  {
    ...proof,
    name: 'a node of a megabyte',
    mayAnswer: true,
    change: (result) => ({
      ...result,
      accountProof: [...(result['accountProof'] as string[]), `0x${'00'.repeat(1_000_000)}`],
    }),
  },
  {
    ...proof,
    name: 'code offered as a node',
    change: async (result, { params }, request) => ({
      ...result,
      accountProof: [await request('eth_getCode', toHex(coded), params[2])],
    }),
  },
  {
    method: 'eth_getCode',
    read: codeRead,
    isLie: true,
    name: 'other code',
    change: () => '0x6000',
  },
  { method: 'eth_getCode', read: codeRead, isLie: true, name: 'no code', change: () => '0x' },
  {
    method: 'eth_getCode',
    read: codeRead,
    isLie: true,
    name: 'a node offered as code',
    change: async (_, { params }, request) => {
      const { accountProof } = (await request('eth_getProof', params[0], [], params[1])) as Value
      return (accountProof as string[])[0]
    },
  },
  {
    ...json,
    read: headerRead,
    name: 'null for a block that is there',
    change: () => null,
    isLie: false,
  },
  {
    ...json,
    read: headerRead,
    name: 'a known field changed',
    change: (result) => ({ ...result, gasUsed: '0x1' }),
  },
  {
    ...json,
    read: headerRead,
    name: 'an unknown field',
    change: (result) => ({ ...result, slotNumber: '0x1', blockAccessListHash: toHex(word(1)) }),
  },
  {
    method: 'debug_getRawHeader',
    read: headerRead,
    isLie: true,
    name: 'fields in another order',
    change: (result) => {
      const items = decodeRlp(fromHex(result as unknown as string)) as Uint8Array[]
      const [parentHash = word(0), unclesHash = word(0), ...rest] = items
      return toHex(encodeRlp([unclesHash, parentHash, ...rest]))
    },
  },
  {
    method: 'debug_getRawHeader',
    read: headerRead,
    isLie: true,
    name: 'no header at all',
    change: () => '0xc0',
  },
  {
    method: 'debug_getRawHeader',
    read: headerRead,
    isLie: true,
    name: 'the header of another block',
    change: (_result, _call, request) => request('debug_getRawHeader', '0x20'),
  },
  ...(
    [
      ['reordered', (list) => list.toReversed()],
      ['one dropped', (list) => list.slice(1)],
      ['one twice', (list) => [...list, ...list.slice(0, 1)]],
      ['a value changed', ([first, ...rest]) => [{ ...first, value: '0x1234' }, ...rest]],
      ['none', () => []],
    ] as readonly (readonly [string, (list: Value[]) => Value[]])[]
  ).map(([name, change]): Trap => ({
    ...json,
    read: bodyRead,
    name: `transactions, ${name}`,
    change: (result) => ({ ...result, transactions: change(transactionsOf(result)) }),
  })),
  {
    ...json,
    read: bodyRead,
    name: 'transactions of another block',
    change: async (result, _, request) => ({
      ...result,
      transactions: ((await request('eth_getBlockByNumber', '0x20', true)) as Value)[
        'transactions'
      ],
    }),
  },
  {
    method: 'debug_getRawBlock',
    read: bodyRead,
    isLie: true,
    name: 'the raw block of another',
    change: (_result, _call, request) => request('debug_getRawBlock', '0x20'),
  },
  {
    method: 'debug_getRawBlock',
    read: bodyRead,
    isLie: true,
    name: 'a raw block with the transactions of another',
    change: async (result, _, request) => {
      const items = decodeRlp(fromHex(result as unknown as string)) as Uint8Array[]
      const others = decodeRlp(
        fromHex(String(await request('debug_getRawBlock', '0x20'))),
      ) as Uint8Array[]
      return toHex(encodeRlp(items.with(1, others[1] ?? word(0))))
    },
  },
  {
    method: 'debug_getRawBlock',
    read: bodyRead,
    isLie: true,
    name: 'a raw block with other withdrawals beside its transactions',
    mayAnswer: true,
    change: (result) => {
      const items = decodeRlp(fromHex(result as unknown as string)) as RlpItem[]
      return toHex(
        encodeRlp(items.with(3, [[word(0).subarray(31), word(1), word(2).subarray(12), word(3)]])),
      )
    },
  },
  {
    method: 'debug_getRawBlock',
    read: bodyRead,
    isLie: true,
    name: 'a raw block that is none',
    change: () => '0x1234',
  },
  { ...json, read: bodyRead, name: 'null for a body', change: () => null, isLie: false },
  {
    ...json,
    method: 'eth_getBlockReceipts',
    read: receiptRead,
    name: 'receipts with another status',
    change: (result) => (result as unknown as Value[]).map((one) => ({ ...one, status: '0x0' })),
  },
  {
    ...json,
    method: 'eth_getBlockReceipts',
    read: receiptRead,
    name: 'receipts without logs',
    change: (result) =>
      (result as unknown as Value[]).map((one) => ({ ...one, logs: [], cumulativeGasUsed: '0x1' })),
  },
  {
    ...json,
    method: 'eth_getBlockReceipts',
    read: receiptRead,
    name: 'null for receipts',
    change: () => null,
    isLie: false,
  },
  ...['gasUsed', 'transactionIndex', 'blockNumber'].map((name): Trap => ({
    ...json,
    method: 'eth_getBlockReceipts',
    read: receiptRead,
    name: `another ${name} in receipts`,
    mayAnswer: true,
    change: (result) => (result as unknown as Value[]).map((one) => ({ ...one, [name]: '0x7777' })),
  })),
  {
    ...json,
    method: 'eth_getBlockReceipts',
    read: receiptRead,
    name: 'another index of a log',
    mayAnswer: true,
    change: (result) =>
      (result as unknown as Value[]).map((one) => ({
        ...one,
        logs: (one['logs'] as Value[]).map((log) => ({ ...log, logIndex: '0x7777' })),
      })),
  },
  {
    ...json,
    read: headerRead,
    name: 'another hash of a block',
    mayAnswer: true,
    change: (result) => ({ ...result, hash: toHex(word(5)) }),
  },
  {
    ...json,
    read: bodyRead,
    name: 'another miner beside the transactions',
    mayAnswer: true,
    change: (result) => ({ ...result, miner: other }),
  },
  {
    ...json,
    read: bodyRead,
    name: 'other senders',
    mayAnswer: true,
    change: (result) => ({
      ...result,
      transactions: transactionsOf(result).map((one) => ({ ...one, from: other })),
    }),
  },
  ...['hash', 'blockHash'].map((name): Trap => ({
    ...json,
    read: bodyRead,
    name: `another ${name} of a transaction`,
    mayAnswer: true,
    change: (result) => ({
      ...result,
      transactions: transactionsOf(result).map((one) => ({ ...one, [name]: toHex(word(5)) })),
    }),
  })),
  ...['transactionIndex', 'blockNumber'].map((name): Trap => ({
    ...json,
    read: bodyRead,
    name: `another ${name} of a transaction`,
    mayAnswer: true,
    change: (result) => ({
      ...result,
      transactions: transactionsOf(result).map((one) => ({ ...one, [name]: '0x7777' })),
    }),
  })),
  {
    method: 'debug_getRawReceipts',
    read: receiptRead,
    isLie: true,
    name: 'raw receipts, one dropped',
    change: (result) => (result as unknown as string[]).slice(1),
  },
]

async function request(
  stub: StubUpstream,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(stub.url, { method: 'POST', body })
  return ((await response.json()) as { result: unknown }).result
}

/** Makes a stub reply as the trap specifies; it queries `honest` if it needs another correct value. */
function mislead(
  stub: StubUpstream,
  honest: StubUpstream,
  { method, change, jsonOnly }: Trap,
): void {
  if (jsonOnly === true) stub.knobs.lacks = (name) => name.startsWith('debug_')
  stub.knobs.falsify = async (call, reply): Promise<StubReply | null> => {
    if (call.method !== method || !('result' in reply)) return null
    const result = await change(reply.result as Value, call, (name, ...params) =>
      request(honest, name, params),
    )
    return { result }
  }
}

for (const trap of traps) {
  test(trap.name, async (t) => {
    const [faulty, second, honest] = await Promise.all(
      [1, 2, 3].map(() => startStubUpstream(t, chain)),
    )
    assert.ok(faulty && second && honest)
    const block = chain.recorded[trap.read.block] ?? assert.fail()
    codeTruth = String(await request(honest, 'eth_getCode', [toHex(coded), block.hash]))
    const truth = trap.read.truth(block)
    mislead(faulty, honest, trap)

    const mixed = openUpstreamContent(t, [faulty, honest])
    assert.equal(await trap.read.run(mixed.network, block), truth)
    await mixed.idle()
    assert.deepEqual(
      mixed.invalidReplies.map(({ upstream, method }) => [upstream, method]),
      trap.isLie ? [[0, trap.method]] : [],
    )

    mislead(second, honest, trap)
    const alone = openUpstreamContent(t, [faulty, second])
    const answer = await trap.read.run(alone.network, block).catch((thrown: unknown) => {
      assert.ok(thrown instanceof Fault, String(thrown))
      assert.ok(['unverified', 'pruned'].includes(thrown.code), thrown.code)
      return 'an error'
    })
    const answers = trap.mayAnswer === true ? [truth] : []
    const isNull = trap.name.startsWith('null for a block') ? [null] : []
    assert.ok(['an error', ...answers, ...isNull].includes(answer), String(answer))
  })
}

/** The reads of a node, and the encoding of the reply: raw or JSON. */
const reads: readonly (readonly [name: string, read: Read, jsonOnly: boolean])[] = [
  ['a slot', slotRead, false],
  ['an empty slot', emptySlotRead, false],
  ['an absent account', absentRead, false],
  ['code', codeRead, false],
  ['a raw header', headerRead, false],
  ['a header', headerRead, true],
  ['a raw block', bodyRead, false],
  ['a block', bodyRead, true],
  ['raw receipts', receiptRead, false],
  ['receipts', receiptRead, true],
]

/** All positions of hex digits in a reply, as paths to texts. */
function textsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return value.length > 2 ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]))
}

/** The same reply with one digit of one text changed, by `chances` between 0 and 1. */
function changeDigit(value: unknown, chances: readonly [number, number, number]): unknown {
  const paths = textsIn(value)
  const path = paths[Math.floor(chances[0] * paths.length)]
  if (path === undefined) return value
  const change = (at: unknown, rest: readonly string[]): unknown => {
    const [name, ...more] = rest
    if (name === undefined) {
      const text = at as string
      const place = 2 + Math.floor(chances[1] * (text.length - 2))
      const digit = (Number.parseInt(text[place] ?? '0', 16) + 1 + Math.floor(chances[2] * 15)) % 16
      return text.slice(0, place) + digit.toString(16) + text.slice(place + 1)
    }
    const member = change((at as Value)[name], more)
    return Array.isArray(at) ? at.with(Number(name), member) : { ...(at as Value), [name]: member }
  }
  return change(value, path)
}

for (const [name, read, jsonOnly] of reads) {
  test(`no digit changed in a reply gives another answer: ${name}`, async (t) => {
    const [faulty, honest] = await Promise.all([1, 2].map(() => startStubUpstream(t, chain)))
    assert.ok(faulty && honest)
    if (jsonOnly) faulty.knobs.lacks = (method) => method.startsWith('debug_')
    const block = chain.recorded[read.block] ?? assert.fail()
    codeTruth = String(await request(honest, 'eth_getCode', [toHex(coded), block.hash]))
    const truth = read.truth(block)
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    await fc.assert(
      fc.asyncProperty(fc.tuple(chance, chance, chance), async (chances) => {
        faulty.knobs.falsify = (_, reply) =>
          'result' in reply ? { result: changeDigit(reply.result, chances) } : null
        const alone = openUpstreamContent(t, [faulty])
        try {
          assert.equal(await read.run(alone.network, block), truth)
        } catch (thrown) {
          assert.ok(thrown instanceof Fault, String(thrown))
          // An unknown type of transaction may be a valid one.
          assert.ok(['unverified', 'unprovable'].includes(thrown.code), thrown.code)
        }
        const mixed = openUpstreamContent(t, [faulty, honest])
        assert.equal(await read.run(mixed.network, block), truth)
        await Promise.all([alone, mixed].map((one) => one.pool.close()))
      }),
      { numRuns: 15 },
    )
  })
}
