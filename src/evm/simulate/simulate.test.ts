import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { Fault } from '../../base/fault.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { contractAddress } from '../../codec/ethereum/sender.ts'
import type { RequestedBlock, CallRequest, SimulatedBlock } from '../../chain/computation.ts'
import { renderSimulatedBlock } from '../../chain/simulated-block-object.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import { devAccounts } from '../../devchain/dev-accounts.ts'
import { findStart } from '../../devchain/start-point.ts'
import { defaultTimeSliceLimits } from '../time-slice.ts'
import type { TimeSliceLimits } from '../time-slice.ts'

const alice = fromHex(devAccounts[0]?.address.toLowerCase() ?? '')
const stranger = fromHex(`0x${'ab'.repeat(20)}`)
const contract = fromHex(`0x${'cc'.repeat(20)}`)
const bare = (bytes: Uint8Array) => toHex(bytes).slice(2)
const word = (value: bigint) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const number = (bytes: Uint8Array | undefined) => BigInt(toHex(bytes ?? word(0n)))
/** Code at `contract`. */
const code = (text: string) => [{ address: contract, code: fromHex(`0x${text}`) }]
/** Returns the word that `text` leaves on the stack. */
const returning = (text: string) => code(`${text}5f5260205ff3`)
const toContract = { from: alice, to: contract }

type Asked = {
  readonly block?: RequestedBlock['block']
  readonly state?: RequestedBlock['state']
  readonly calls?: readonly CallRequest[]
}

async function open(t: TestContext, limits?: TimeSliceLimits) {
  const { store, index, log } = openChainDatabase(t)
  const genesis = defaultGenesis
  const { hash } = await findStart({ network: 'test', genesis, store, index, log })
  const { run } = createChainCalls({ genesis, store, index }, limits)
  const simulate = async (
    blocks: readonly Asked[],
    { traceTransfers = false, validation = false } = {},
  ) => {
    const requested = blocks.map((one) => ({ block: {}, state: [], calls: [], ...one }))
    const simulation = { blocks: requested, traceTransfers, validation }
    const task = { kind: 'simulate', blockHash: hash, simulation } as const
    return (await run(task)) as readonly SimulatedBlock[]
  }
  return { store, hash, simulate }
}

const header = (block: SimulatedBlock | undefined) =>
  decodeHeader(block?.header ?? new Uint8Array(0))

const fails = (code: Fault['code'], text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error))
  assert.equal(error.code, code)
  assert.match(error.message, text)
  return true
}

test('state is carried from call to call and from block to block, and none of it is kept', async (t) => {
  const { simulate, store, hash } = await open(t)
  // Adds one to slot 0 and returns it.
  const state = returning('5f5460010180' + '5f55')
  const [first, second] = await simulate([
    { state, calls: [toContract, toContract] },
    { calls: [toContract] },
  ])
  assert.deepEqual(
    [...(first?.calls ?? []), ...(second?.calls ?? [])].map((it) => number(it.returnData)),
    [1n, 2n, 3n],
  )
  assert.equal(header(first).number, 1n)
  assert.deepEqual(header(first).parentHash, hash)
  assert.deepEqual(header(second).parentHash, keccak256(first?.header ?? hash))
  assert.equal(header(second).timestamp - header(first).timestamp, 12n)
  assert.deepEqual(
    first?.transactions.map(({ transaction }) => transaction.nonce),
    [0n, 1n],
  )
  assert.equal(second?.transactions[0]?.transaction.nonce, 2n)
  assert.equal(store.peek({ kind: 'trie-node', hash: header(first).stateRoot }), null)
  const again = await simulate([{ state, calls: [toContract] }])
  assert.equal(number(again[0]?.calls[0]?.returnData), 1n)
})

test('a gap is filled with empty blocks, and what is out of order or too far is refused', async (t) => {
  const { simulate } = await open(t)
  const filled = await simulate([{ block: { number: 4n } }, { block: { time: 1_900_000_000n } }])
  assert.deepEqual(
    filled.map((one) => header(one).number),
    [1n, 2n, 3n, 4n, 5n],
  )
  assert.equal(header(filled[4]).timestamp, 1_900_000_000n)
  await assert.rejects(
    simulate([{ block: { number: 2n } }, { block: { number: 2n } }]),
    fails('block_order', /^block numbers must be in order: 2 <= 2$/),
  )
  await assert.rejects(
    simulate([{ block: { time: 5n } }]),
    fails('time_order', /^block timestamps must be in order: 5 <= 1700000000$/),
  )
  assert.equal((await simulate([{ block: { number: 256n } }])).length, 256)
  await assert.rejects(
    simulate([{ block: { number: 257n } }]),
    fails('over_blocks', /^too many blocks$/),
  )
})

test('a call that fails says why, and the block goes on', async (t) => {
  const { simulate } = await open(t)
  const [block] = await simulate([
    {
      state: [...code('5f5ffd'), { address: stranger, code: fromHex('0x5f5fa0fe') }],
      calls: [toContract, { from: alice, to: stranger, gas: 50_000n }, { from: alice, to: alice }],
    },
  ])
  const reverted = { code: 3, message: 'execution reverted', data: '0x' }
  const broken = { code: -32015, message: 'invalid opcode: INVALID' }
  assert.deepEqual(
    block?.calls.map(({ status, error }) => ({ status, error })),
    [
      { status: false, error: reverted },
      { status: false, error: broken },
      { status: true, error: null },
    ],
  )
  assert.deepEqual(block?.calls[1]?.logs, [])
  assert.equal(block?.calls[1]?.gasUsed, 50_000n)
})

test('a transfer of ether is shown as a log, and no root of the block knows of it', async (t) => {
  const { simulate } = await open(t)
  // LOG0, then forwards the value to the stranger; the other one sends its whole balance to the contract.
  const forwards = code(`5f5fa05f5f5f5f3473${bare(stranger)}5af100`)
  const heir = fromHex(`0x${'dd'.repeat(20)}`)
  const leaves = { address: heir, code: fromHex(`0x73${bare(contract)}ff`), balance: 3n }
  // Forwards its value to `contract` and reverts.
  const failing = fromHex(`0x${'ee'.repeat(20)}`)
  const reverts = { address: failing, code: fromHex(`0x5f5f5f5f3473${bare(contract)}5af15f5ffd`) }
  const requested = [
    {
      state: [...forwards, leaves, reverts],
      calls: [
        { ...toContract, value: 7n },
        { from: alice, value: 5n, data: fromHex('0x00') },
        { from: alice, to: heir },
        { from: alice, to: failing, value: 9n },
      ],
    },
  ]
  const [traced] = await simulate(requested, { traceTransfers: true })
  const [plain] = await simulate(requested)
  const show = (block: SimulatedBlock | undefined) =>
    block?.calls.map(({ logs }) =>
      logs.map(({ topics, data }) => [
        ...topics.slice(1).map((it) => `0x${toHex(it).slice(26)}`),
        ...(data.length === 0 ? [] : [number(data)]),
      ]),
    )
  const created = contractAddress(alice, 1n)
  assert.deepEqual(show(traced), [
    [[toHex(alice), toHex(contract), 7n], [], [toHex(contract), toHex(stranger), 7n]],
    [[toHex(alice), toHex(created), 5n]],
    [[toHex(heir), toHex(contract), 3n]],
    [],
  ])
  assert.deepEqual(show(plain), [[[]], [], [], []])
  assert.deepEqual(traced?.header, plain?.header)
  assert.equal(toHex(traced?.calls[0]?.logs[0]?.address ?? alice), `0x${'ee'.repeat(20)}`)
  const { calls } = renderSimulatedBlock(traced as SimulatedBlock, false) as {
    calls: { logs: { logIndex: string; transactionIndex: string }[] }[]
  }
  assert.deepEqual(
    calls.flatMap(({ logs }) => logs.map(({ logIndex }) => logIndex)),
    ['0x0', '0x1', '0x2', '0x3', '0x4'],
  )
})

test('with validation calls are judged as transactions are', async (t) => {
  const { simulate } = await open(t)
  const priced = { from: alice, to: stranger, maxFeePerGas: 10n ** 9n, gas: 21_000n }
  const refused = (call: CallRequest, code: Fault['code'], text: RegExp) =>
    assert.rejects(simulate([{ calls: [call] }], { validation: true }), fails(code, text))
  const [block] = await simulate([{ calls: [priced] }], { validation: true })
  assert.equal(block?.calls[0]?.status, true)
  assert.equal(header(block).baseFeePerGas, 875_000_000n)
  await refused(
    { ...priced, nonce: 1n },
    'nonce_too_high',
    /^err: nonce too high: address 0x.*, tx: 1 state: 0 \(supplied gas 21000\)$/,
  )
  const state = [{ address: alice, nonce: 5n }]
  await assert.rejects(
    simulate([{ state, calls: [{ ...priced, nonce: 1n }] }], { validation: true }),
    fails('nonce_too_low', /nonce too low: address 0x.*, tx: 1 state: 5/),
  )
  await assert.rejects(
    simulate([{ state: [{ address: alice, nonce: 2n ** 64n - 1n }], calls: [priced] }], {
      validation: true,
    }),
    fails('not_simulated', /nonce has max value/),
  )
  await refused(
    { from: alice, to: stranger },
    'fee_too_low',
    /maxFeePerGas: 0, baseFee: 875000000 \(supplied gas 50000000\)$/,
  )
  await refused(
    { ...priced, maxPriorityFeePerGas: 10n ** 10n },
    'bad_params',
    /max priority fee per gas higher than/,
  )
  await refused({ ...priced, from: stranger }, 'no_funds', /have 0 want 21000000000000 /)
  await refused({ ...priced, gas: 20_999n }, 'gas_too_low', /have 20999, want 21000/)
  await refused(
    { ...priced, gas: 24_000n, data: new Uint8Array(100).fill(1) },
    'not_simulated',
    /floor data gas cost: have 24000, want 25000/,
  )
  const long = {
    from: alice,
    gas: 10n ** 7n,
    maxFeePerGas: 10n ** 9n,
    data: new Uint8Array(49_153),
  }
  await refused(long, 'init_code_too_large', /code size 49153 limit 49152/)
  await refused({ ...priced, gas: 60_000_001n }, 'block_gas_spent', /block gas limit reached/)
})

test('without validation only money, gas and a named fee are looked at', async (t) => {
  const { simulate } = await open(t)
  const one = (call: CallRequest, block = {}) => simulate([{ block, calls: [call] }])
  assert.equal((await one({ from: alice, to: stranger, nonce: 77n }))[0]?.calls[0]?.status, true)
  const [free] = await simulate([
    {
      block: { baseFeePerGas: 10n },
      state: returning('48'),
      calls: [{ from: stranger, to: contract }],
    },
  ])
  assert.equal(number(free?.calls[0]?.returnData), 10n)
  assert.equal(header(free).baseFeePerGas, 10n)
  await assert.rejects(
    one({ from: alice, to: stranger, maxFeePerGas: 9n }, { baseFeePerGas: 10n }),
    fails('fee_too_low', /maxFeePerGas: 9, baseFee: 10/),
  )
  await assert.rejects(
    one({ from: stranger, to: alice, value: 1n }),
    fails(
      'no_funds',
      /^err: insufficient funds for gas \* price \+ value: address 0xABaB\w+ have 0 want 1 \(supplied gas 50000000\)$/,
    ),
  )
  // Contracts can send, and the nonce wraps.
  const last = 2n ** 64n - 1n
  const [, spoken] = await simulate([
    {
      state: [{ address: contract, nonce: last, code: fromHex('0x00') }],
      calls: [{ from: contract, to: alice }],
    },
    { calls: [{ from: contract, to: alice }] },
  ])
  assert.equal(spoken?.transactions[0]?.transaction.nonce, 0n)
})

test('a block sees the hashes before it, its withdrawals, and precompiled contracts that moved', async (t) => {
  const { simulate, hash } = await open(t)
  const address = fromHex('0x0000000000000000000000000000000000000004')
  const data = fromHex('0x1234')
  const withdrawals = [{ index: 1n, validatorIndex: 2n, address: stranger, amount: 3n }]
  const balance = [{ address: contract, code: fromHex(`0x73${bare(stranger)}315f5260205ff3`) }]
  const [first, second, third] = await simulate([
    { state: returning('6001430340'), block: { withdrawals }, calls: [toContract] },
    { calls: [toContract] },
    {
      state: [...balance, { address, movePrecompileTo: alice }],
      calls: [toContract, { to: alice, data }, { to: address, data }],
    },
  ])
  assert.deepEqual(first?.calls[0]?.returnData, hash)
  assert.deepEqual(second?.calls[0]?.returnData, keccak256(first?.header ?? hash))
  assert.equal(number(third?.calls[0]?.returnData), 3_000_000_000n)
  assert.deepEqual(
    third?.calls.slice(1).map(({ returnData }) => toHex(returnData)),
    ['0x1234', '0x'],
  )
  const move = (to: Uint8Array) => simulate([{ state: [{ address, movePrecompileTo: to }] }])
  await assert.rejects(move(address), /is already overridden/)
  await assert.rejects(
    simulate([{ state: [{ address: alice, movePrecompileTo: contract }] }]),
    /is not a precompile/,
  )
})

test('transactions stand in the block unsigned, each of the type its call asks for', async (t) => {
  const { simulate } = await open(t)
  const blob = { from: alice, to: stranger, maxFeePerBlobGas: 10n, blobVersionedHashes: [word(1n)] }
  blob.blobVersionedHashes[0]?.set([1], 0)
  const [block] = await simulate([{ calls: [toContract, { ...toContract, gasPrice: 2n }, blob] }])
  assert.deepEqual(
    block?.transactions.map(({ transaction }) => transaction.type),
    [2, 0, 3],
  )
  assert.equal(header(block).blobGasUsed, 131_072n)
  const { transactions } = renderSimulatedBlock(block as SimulatedBlock, true) as {
    transactions: Record<string, unknown>[]
  }
  assert.partialDeepStrictEqual(transactions[0], {
    from: toHex(alice),
    to: toHex(contract),
    type: '0x2',
    nonce: '0x0',
    gas: '0x2faf080',
    v: '0x0',
    blockNumber: '0x1',
  })
})

test('gas, time and the answer are bounded for the whole request', async (t) => {
  const { simulate } = await open(t)
  const [block] = await simulate([{ calls: [{ from: alice, to: alice }, toContract] }])
  assert.equal(block?.transactions[1]?.transaction.gas, 50_000_000n - 21_000n)
  // A megabyte each.
  const long = Array.from({ length: 17 }, () => toContract)
  await assert.rejects(
    simulate([{ state: code('621000005ff3'), calls: long }]),
    fails('response_too_large', /^response too large$/),
  )
  const hasty = await open(t, { ...defaultTimeSliceLimits, sliceMs: 1, runMs: 20 })
  const endless = Array.from({ length: 1_000 }, () => ({
    state: code('5b5f56'),
    calls: [toContract],
  }))
  await assert.rejects(
    hasty.simulate(endless.slice(0, 100)),
    fails('execution_failed', /^execution aborted \(timeout = 1s\)$/),
  )
})

test('what is no transaction is refused in words of its own', async (t) => {
  const { simulate } = await open(t)
  const hash = word(0n)
  hash[0] = 1
  const refused = (call: CallRequest, text: RegExp) =>
    assert.rejects(simulate([{ calls: [{ from: alice, ...call }] }]), fails('not_simulated', text))
  await refused({ blobVersionedHashes: [hash] }, /blob transaction of type create/)
  const blobs = (...blobVersionedHashes: Uint8Array[]) => ({ to: contract, blobVersionedHashes })
  await refused(blobs(), /missing blob hashes/)
  await refused(blobs(hash, word(0n)), /blob 1 has invalid hash version/)
  await refused(blobs(...Array.from({ length: 7 }, () => hash)), /too many blobs: have 7, max 6/)
  await refused({ to: contract, authorizationList: [] }, /with empty auth list \(sender 0x/)
  await refused({ authorizationList: [] }, /cannot be used to create contract/)
  await assert.rejects(
    simulate([{ block: { time: 2n ** 64n - 1n } }, {}]),
    fails('time_order', /^block timestamp past 18446744073709551615/),
  )
})
