import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import type { TransactionRequest } from 'ethers'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { contractAddress } from '../../codec/ethereum/sender.ts'
import { noOverrides } from '../../chain/computation.ts'
import type { CallRequest, Overrides, TracerChoice } from '../../chain/computation.ts'
import { defaultGenesis, sampleContractAddress } from '../default-genesis.ts'
import { devAccounts } from '../dev-accounts.ts'
import { findStart } from '../start-point.ts'
import { Engine } from './engine.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const sample = fromHex(sampleContractAddress)
const caller = fromHex(`0x${'ca'.repeat(20)}`)
const callee = fromHex(`0x${'ce'.repeat(20)}`)

const struct = {
  kind: 'struct',
  disableStorage: false,
  disableStack: false,
  enableMemory: true,
  enableReturnData: true,
  limit: 0,
} as const
const calls = { kind: 'call', onlyTopCall: false, withLog: true } as const
const prestate = {
  kind: 'prestate',
  diffMode: false,
  disableCode: false,
  disableStorage: false,
  includeEmpty: false,
} as const

async function open(t: TestContext) {
  const { store, index, log } = openChainDatabase(t)
  const genesis = defaultGenesis
  const { hash } = await findStart({ network: 'test', genesis, store, index, log })
  const engine = await Engine.open({
    network: 'test',
    genesis,
    store,
    index,
    mining: 'auto',
    now: () => 1_800_000_000_000,
    onBlock: () => {},
    onPending: () => {},
    log: silentLog,
  })
  const { run } = createChainCalls({ genesis, store, index })
  const head = () => index.head()?.hash ?? hash
  const traceCall = (request: CallRequest, tracer: TracerChoice, overrides?: Partial<Overrides>) =>
    run({
      kind: 'trace-call',
      request,
      blockHash: head(),
      overrides: { ...noOverrides, ...overrides },
      tracer,
    })
  const traceBlock = async (tracer: TracerChoice, at: number | null = 0, blockHash = head()) => {
    const traces = await run({ kind: 'trace-block', block: blockHash, index: at, tracer })
    return traces as readonly { readonly hash: Uint8Array; readonly result: unknown }[]
  }
  const send = async (request: TransactionRequest) =>
    engine.send(
      fromHex(
        await alice.signTransaction({
          chainId: 1337,
          type: 2,
          gasLimit: 200_000,
          maxFeePerGas: 2_000_000_000n,
          maxPriorityFeePerGas: 1_000_000_000n,
          ...request,
        }),
      ),
    )
  return { genesis: hash, head, send, traceCall, traceBlock }
}

/** Calls `callee` with 1 wei and four bytes, then reverts with nothing if that failed. */
const calling = fromHex(
  `0x63aabbccdd5f5260205f6004601c600173${'ce'.repeat(20)}620186a0f1` +
    '156031575f5f00' +
    '5b5f5ffd',
)

test('the struct logger lists each instruction with gas, stack, memory and storage', async (t) => {
  const { traceCall } = await open(t)
  // PUSH1 7 PUSH1 1 SSTORE PUSH1 1 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const code = fromHex('0x60076001556001545f5260205ff3')
  const state = [{ address: callee, code, balance: 1n }]
  const trace = (await traceCall({ to: callee }, struct, { state })) as {
    structLogs: readonly Record<string, unknown>[]
  }
  assert.partialDeepStrictEqual(trace, { failed: false, returnValue: `0x${'7'.padStart(64, '0')}` })
  const ops = trace.structLogs.map(({ pc, op }) => `${String(pc)}:${String(op)}`)
  assert.equal(
    ops.join(' '),
    '0:PUSH1 2:PUSH1 4:SSTORE 5:PUSH1 7:SLOAD 8:PUSH0 9:MSTORE 10:PUSH1 12:PUSH0 13:RETURN',
  )
  const one = `0x${'1'.padStart(64, '0')}`
  const seven = `0x${'7'.padStart(64, '0')}`
  assert.partialDeepStrictEqual(trace.structLogs[2], {
    stack: ['0x7', '0x1'],
    gasCost: 22_100,
    depth: 1,
    storage: { [one]: seven },
  })
  assert.partialDeepStrictEqual(trace.structLogs[4], { gasCost: 100, storage: { [one]: seven } })
  assert.equal('memory' in (trace.structLogs[6] ?? {}), false)
  assert.deepEqual(trace.structLogs[7]?.['memory'], [seven])
  const gas = trace.structLogs.map((log) => Number(log['gas']))
  assert.equal((gas[0] ?? 0) - (gas[1] ?? 0), trace.structLogs[0]?.['gasCost'])
  const short = (await traceCall(
    { to: callee },
    { ...struct, limit: 200 },
    { state },
  )) as typeof trace
  // As in go-ethereum, a log that begins before this many characters of JSON is still listed.
  const length = (count: number) => JSON.stringify(trace.structLogs.slice(0, count)).length
  assert.ok(length(short.structLogs.length) > 200)
  assert.ok(length(short.structLogs.length - 1) <= 202)
})

test('code that ends without STOP ends with a STOP of its own', async (t) => {
  const { traceCall } = await open(t)
  const last = async (code: string) => {
    const stateDiff = [{ slot: new Uint8Array(32), word: new Uint8Array(32).fill(1) }]
    const state = [{ address: callee, code: fromHex(code), stateDiff }]
    const trace = (await traceCall({ to: callee }, struct, { state })) as {
      structLogs: readonly Record<string, unknown>[]
    }
    return trace.structLogs.slice(-2)
  }
  // PUSH1 0 PUSH1 0 SSTORE: both logs include the refund for clearing a slot.
  const [clears, stop] = await last('0x6000600055')
  assert.partialDeepStrictEqual(clears, { pc: 4, op: 'SSTORE', gasCost: 5_000, refund: 4_800 })
  const gas = Number(clears?.['gas']) - 5_000
  assert.deepEqual(stop, { pc: 5, op: 'STOP', gas, gasCost: 0, depth: 1, stack: [], refund: 4_800 })
  const [push, cut] = await last('0x6001616b')
  assert.partialDeepStrictEqual(push, { pc: 2, op: 'PUSH2' })
  assert.partialDeepStrictEqual(cut, { pc: 5, op: 'STOP', stack: ['0x1', '0x6b00'] })
  const named = (logs: readonly Record<string, unknown>[]) => logs.map(({ op }) => op)
  assert.deepEqual(named(await last('0x600100')), ['PUSH1', 'STOP'])
  assert.deepEqual(named(await last('0x5f5ff3')), ['PUSH0', 'RETURN'])
  assert.deepEqual(named(await last('0x5fff')), ['PUSH0', 'SELFDESTRUCT'])
})

test('an instruction that cannot run is the last of its frame and says why', async (t) => {
  const { traceCall } = await open(t)
  const fails = async (code: string) => {
    const request = { data: fromHex(code), gas: 100_000n }
    const trace = (await traceCall(request, struct)) as {
      failed: boolean
      structLogs: readonly Record<string, unknown>[]
    }
    assert.equal(trace.failed, true)
    return trace.structLogs.at(-1)
  }
  const names = (log: Readonly<Record<string, unknown>> | undefined) => [
    log?.['op'],
    log?.['error'],
  ]
  // An instruction that fails during execution is listed first without an error: only the frame has the error.
  assert.deepEqual(names(await fails('0xfe')), ['INVALID', undefined])
  assert.deepEqual(names(await fails('0x5b600c565b0c')), ['JUMP', undefined])
  assert.deepEqual(names(await fails('0x6005560000')), ['JUMP', undefined])
  assert.deepEqual(names(await fails('0x600456fe5b0c')), ['opcode 0xc not defined', undefined])
  assert.deepEqual(names(await fails('0x5f01')), ['ADD', 'stack underflow (1 <=> 2)'])
  assert.partialDeepStrictEqual(await fails('0x5f62ffffff52'), {
    op: 'MSTORE',
    error: 'out of gas',
  })
})

test('the call tracer gives the tree of calls with logs, values and what went wrong', async (t) => {
  const { traceCall } = await open(t)
  // LOG1 with topic 5 and one byte of data, then STOP.
  const logging = { address: callee, code: fromHex('0x600560015fa100') }
  const state = [{ address: caller, code: calling, balance: 10n }, logging]
  const good = await traceCall({ to: caller }, calls, { state })
  assert.partialDeepStrictEqual(good, {
    type: 'CALL',
    to: toHex(caller),
    gas: '0x2faf080',
    calls: [
      {
        type: 'CALL',
        from: toHex(caller),
        to: toHex(callee),
        value: '0x1',
        input: '0xaabbccdd',
        logs: [{ address: toHex(callee), topics: [`0x${'5'.padStart(64, '0')}`], data: '0x00' }],
      },
    ],
  })
  const reverting = { address: callee, code: fromHex('0x600560015fa15f5ffd') }
  const bad = (await traceCall({ to: caller }, calls, {
    state: [state[0], reverting] as never,
  })) as {
    calls: readonly object[]
  }
  assert.partialDeepStrictEqual(bad, { error: 'execution reverted' })
  assert.partialDeepStrictEqual(bad.calls[0], { error: 'execution reverted' })
  assert.equal('logs' in (bad.calls[0] ?? {}), false)
  const top = await traceCall({ to: caller }, { ...calls, onlyTopCall: true }, { state })
  assert.equal('calls' in (top as object), false)
})

test('selectors are counted, and the tracer that says nothing says nothing', async (t) => {
  const { traceCall } = await open(t)
  const state = [{ address: caller, code: calling, balance: 10n }]
  const request = { to: caller, data: fromHex('0x11223344ffff') }
  assert.deepEqual(await traceCall(request, { kind: '4byte' }, { state }), {
    '0x11223344-2': 1,
    '0xaabbccdd-0': 1,
  })
  const poor = [{ address: caller, code: calling }]
  assert.deepEqual(
    await traceCall(request, { kind: '4byte' }, { state: poor }),
    { '0x11223344-2': 1, '0xaabbccdd-0': 1 },
    'a call without the money it was to bring counts too',
  )
  assert.deepEqual(await traceCall(request, { kind: 'noop' }, { state }), {})
})

test('a transaction of the chain is traced on the state it met, others of its block before it', async (t) => {
  const { genesis, head, send, traceBlock } = await open(t)
  // Constructor: SSTORE 9 at 0, returns code that sets slot 0 to 10.
  const creates = '0x60095f5566600a5f550000005f5260076019f3'
  const hash = await send({ nonce: 0, data: creates })
  const contract = toHex(contractAddress(fromHex(alice.address), 0n))
  const [created] = await traceBlock(calls)
  assert.deepEqual(created?.hash, hash)
  assert.partialDeepStrictEqual(created?.result, { type: 'CREATE', to: contract })
  const block = head()
  await send({ nonce: 1, to: contract, value: 0 })
  const slot = `0x${'0'.repeat(64)}`
  const nine = `0x${'9'.padStart(64, '0')}`
  const ten = `0x${'a'.padStart(64, '0')}`
  const [before] = await traceBlock(prestate)
  const accounts = before?.result as Record<string, { nonce?: number; storage?: object }>
  assert.deepEqual(accounts[contract]?.storage, { [slot]: nine })
  assert.equal(accounts[alice.address.toLowerCase()]?.nonce, 1)
  const [change] = await traceBlock({ ...prestate, diffMode: true })
  assert.partialDeepStrictEqual(change?.result, {
    pre: { [contract]: { storage: { [slot]: nine } } },
    post: { [contract]: { storage: { [slot]: ten } }, [alice.address.toLowerCase()]: { nonce: 2 } },
  })
  // Trace the earlier block again, after the head has moved: it still runs on its own parent's state.
  const [again] = await traceBlock({ ...prestate, diffMode: true }, null, block)
  assert.partialDeepStrictEqual(again?.result, {
    post: { [contract]: { nonce: 1, code: '0x600a5f55000000', storage: { [slot]: nine } } },
  })
  const { pre } = (again ?? assert.fail()).result as { pre: object }
  assert.equal(contract in pre, false)
  await assert.rejects(traceBlock(calls, null, genesis), { message: 'genesis is not traceable' })
  assert.deepEqual(await traceBlock(calls, 5), [])
})

test('a traced call shows what it would change, code hashes included', async (t) => {
  const { traceCall } = await open(t)
  // SSTORE 7 at 1, then CREATE of a contract without code.
  const state = [{ address: callee, code: fromHex('0x60076001555f5f5ff0') }]
  const changed = (await traceCall({ to: callee }, { ...prestate, diffMode: true }, { state })) as {
    pre: Readonly<Record<string, object>>
    post: Readonly<Record<string, object>>
  }
  const slot = `0x${'1'.padStart(64, '0')}`
  const seven = `0x${'7'.padStart(64, '0')}`
  assert.partialDeepStrictEqual(changed.post[toHex(callee)], {
    nonce: 1,
    storage: { [slot]: seven },
  })
  const made = toHex(contractAddress(callee, 0n))
  assert.deepEqual(changed.post[made], { nonce: 1 })
  assert.equal(made in changed.pre, false)
  const hash = toHex(keccak256(state[0]?.code ?? assert.fail()))
  assert.deepEqual(changed.pre[toHex(callee)], {
    balance: '0x0',
    code: toHex(state[0]?.code ?? assert.fail()),
    codeHash: hash,
  })
  const before = await traceCall({ to: callee }, { ...prestate, disableCode: true }, { state })
  assert.deepEqual((before as Record<string, unknown>)[toHex(callee)], {
    balance: '0x0',
    codeHash: hash,
    storage: { [slot]: `0x${'0'.repeat(64)}` },
  })
  assert.equal(made in (before as object), false)
  const all = await traceCall({ to: callee }, { ...prestate, includeEmpty: true }, { state })
  assert.deepEqual((all as Record<string, unknown>)[made], { balance: '0x0' })
})

test('an account that is gone after a call stands in its prestate alone', async (t) => {
  const { traceCall } = await open(t)
  // CREATE2 of a contract with 3 wei that destroys itself immediately, for itself.
  const code = fromHex('0x61 30ff 5f52 5f 6002 601e 6003 f5'.replaceAll(' ', ''))
  const state = [{ address: callee, code, balance: 5n }]
  const changed = (await traceCall({ to: callee }, { ...prestate, diffMode: true }, { state })) as {
    pre: Readonly<Record<string, object>>
    post: Readonly<Record<string, object>>
  }
  assert.deepEqual(changed.post[toHex(callee)], { balance: '0x2', nonce: 1 })
  assert.deepEqual(changed.pre[toHex(callee)], {
    balance: '0x5',
    code: toHex(code),
    codeHash: toHex(keccak256(code)),
  })
  assert.equal(Object.keys(changed.post).length, 2)
})

test('what stood in the way of a new contract is among what was before', async (t) => {
  const { send, traceBlock } = await open(t)
  // Every call creates a contract without code at the same address (CREATE2).
  await send({ nonce: 0, data: '0x655f5f5f5ff5005f526006601af3' })
  const factory = toHex(contractAddress(fromHex(alice.address), 0n))
  await send({ nonce: 1, to: factory })
  const [made] = await traceBlock({ ...calls, withLog: false })
  const { calls: inner } = (made ?? assert.fail()).result as { calls: readonly { to: string }[] }
  const twin = inner[0]?.to ?? assert.fail()
  await send({ nonce: 2, to: factory })
  const [before] = await traceBlock(prestate)
  const accounts = before?.result as Record<string, unknown>
  assert.deepEqual(accounts[twin], { balance: '0x0', nonce: 1 })
})

test('who lets an account speak for it is among what was before, and so is the code it then runs', async (t) => {
  const { send, traceBlock } = await open(t)
  const [, bob] = devAccounts
  const authority = new Wallet(bob?.privateKey ?? '')
  const address = sampleContractAddress
  const authorization = await authority.authorize({ chainId: 1337, address, nonce: 0 })
  const to = toHex(caller)
  await send({ nonce: 0, type: 4, to, authorizationList: [authorization] })
  const name = authority.address.toLowerCase()
  const [change] = await traceBlock({ ...prestate, diffMode: true })
  assert.partialDeepStrictEqual(change?.result, {
    post: { [name]: { nonce: 1, code: `0xef0100${address.slice(2)}` } },
  })
  await send({ nonce: 1, to: name })
  const [before] = await traceBlock(prestate)
  assert.partialDeepStrictEqual(before?.result, { [address]: { code: '0x5f545f5260205ff3' } })
})

test('a trace that grows too large is refused', async (t) => {
  const { traceCall } = await open(t)
  // Leaves a word on the stack in each round, and every log lists the whole stack.
  await assert.rejects(traceCall({ data: fromHex('0x5b5f5f56') }, struct), {
    code: 'response_too_large',
  })
  assert.ok(await traceCall({ to: sample }, struct))
})

test('a call that fails before it begins is a frame with its reason', async (t) => {
  const { traceCall } = await open(t)
  // CALL and CREATE with a value above the balance, then DELEGATECALL, which needs none.
  const poor = `5f5f60025f600a73${toHex(callee).slice(2)}61ffff f15060015f6009f0505f5f5f5f73${toHex(callee).slice(2)}5af4`
  const code = fromHex(`0x${poor.replace(' ', '')}`)
  const state = [{ address: caller, code }]
  const trace = (await traceCall({ to: caller, gas: 500_000n }, calls, { state })) as {
    calls: readonly Record<string, string>[]
  }
  const from = toHex(caller)
  const error = 'insufficient balance for transfer'
  assert.deepEqual(trace.calls[0], {
    from,
    // The requested gas, and the stipend of a call with a value.
    gas: '0x108fb',
    gasUsed: '0x0',
    to: toHex(callee),
    input: '0x0000',
    error,
    value: '0xa',
    type: 'CALL',
  })
  assert.partialDeepStrictEqual(trace.calls[1], {
    from,
    error,
    value: '0x9',
    input: '0x00',
    type: 'CREATE',
  })
  assert.equal('to' in (trace.calls[1] ?? {}), false)
  assert.equal(trace.calls[2]?.['type'], 'DELEGATECALL')
  assert.equal(trace.calls.length, 3)
})
