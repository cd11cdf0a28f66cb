import assert from 'node:assert/strict'
import test from 'node:test'
import { encodeFunctionData, parseAbi } from 'viem'
import { fromHex, toHex, toLatin1 } from '../base/hex.ts'
import { findCarriedCalls, splitReads } from './carried-calls.ts'
import type { ProvedState } from './proved-state.ts'

const abi = parseAbi([
  'function aggregate((address target, bytes callData)[])',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[])',
  'function aggregate3((address target, bool allowFailure, bytes callData)[])',
  'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[])',
  'function execute(address to, uint256 value, bytes data)',
  'function transfer(address to, uint256 value)',
  'function write(bytes data, bytes more)',
  'function multicall(bytes[] data)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function multicall(bytes32 previousBlockhash, bytes[] data)',
  'function swap(bytes[] data)',
])
const [one, two] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const
const [first, second] = [`0x11223344${'00'.repeat(31)}05`, '0x55667788'] as const
const both = [
  { target: one, callData: first, allowFailure: true, value: 0n },
  { target: two, callData: second, allowFailure: false, value: 64n },
]

function found(data: string): readonly (readonly [string, string])[] {
  return findCarriedCalls(fromHex(data), undefined).map(({ isDelegate, ...call }) => {
    assert.equal(isDelegate, false)
    return [toHex(call.to), toHex(call.data)]
  })
}

/** Carried by a call to `one`. */
function foundItems(data: string): readonly string[] {
  return findCarriedCalls(fromHex(data), fromHex(one)).map((call) => {
    assert.deepEqual([toHex(call.to), call.isDelegate], [one, true])
    return toHex(call.data)
  })
}

test('the calls of each form of a multicall are found', () => {
  const forms = [
    encodeFunctionData({ abi, functionName: 'aggregate', args: [both] }),
    encodeFunctionData({ abi, functionName: 'tryAggregate', args: [false, both] }),
    encodeFunctionData({ abi, functionName: 'aggregate3', args: [both] }),
    encodeFunctionData({ abi, functionName: 'aggregate3Value', args: [both] }),
  ]
  const calls = [
    [one, first],
    [two, second],
  ]
  for (const form of forms) assert.deepEqual(found(form), calls)
})

test('the call of a smart account is found', () => {
  const data = encodeFunctionData({ abi, functionName: 'execute', args: [one, 32n, first] })
  assert.deepEqual(found(data), [[one, first]])
})

test('the calls of a contract to itself are found in each form of multicall(bytes[])', () => {
  const forms = [
    encodeFunctionData({ abi, functionName: 'multicall', args: [[first, second]] }),
    encodeFunctionData({ abi, functionName: 'multicall', args: [7n, [first, second]] }),
    encodeFunctionData({
      abi,
      functionName: 'multicall',
      args: [`0x${'07'.repeat(32)}`, [first, second]],
    }),
  ]
  for (const form of forms) {
    assert.deepEqual(foundItems(form), [first, second])
    for (let end = 10; end < form.length; end += 2) {
      assert.ok(foundItems(form.slice(0, end)).length <= 2)
    }
  }
  const many = Array.from({ length: 300 }, () => first)
  const list = encodeFunctionData({ abi, functionName: 'multicall', args: [many] })
  assert.equal(foundItems(list).length, 256)
  const lists = encodeFunctionData({ abi, functionName: 'swap', args: [[first, second]] })
  assert.deepEqual(found(lists), [])
  const creation = encodeFunctionData({ abi, functionName: 'multicall', args: [[first]] })
  assert.deepEqual(found(creation), [])
})

test('calldata of other functions carries no calls', () => {
  const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [one, 64n] })
  const write = encodeFunctionData({ abi, functionName: 'write', args: [first, second] })
  for (const data of ['0x', '0x12345678', transfer, write]) assert.deepEqual(found(data), [])
})

test('calldata that was cut, or is random, is read without an error', () => {
  const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [both] })
  for (let end = 2; end < data.length; end += 2) {
    const calls = found(data.slice(0, end))
    assert.ok(calls.length <= 2)
  }
})

test('at most 256 calls are found', () => {
  const many = Array.from({ length: 300 }, () => ({ target: one, callData: first }))
  const data = encodeFunctionData({ abi, functionName: 'aggregate', args: [many] })
  assert.equal(found(data).length, 256)
})

const state: ProvedState = {
  account: () => null,
  slot: () => new Uint8Array(32),
  code: () => new Uint8Array(0),
  hashOf: () => new Uint8Array(32),
  nodes: () => Promise.resolve([]),
}
const to = (address: string, data: string, delegatecall = false) => ({
  to: { bytes: fromHex(address) },
  data: fromHex(data),
  delegatecall,
})

test('reads belong to the carried call that runs, also those of the contracts that it calls', () => {
  const [call] = [{ to: fromHex(one), data: fromHex(first), isDelegate: false }]
  const split = splitReads(state, [call])
  const read = (address: string, slot: number) => {
    void split.state.account(fromHex(address))
    void split.state.slot(fromHex(address), new Uint8Array(32), new Uint8Array(32).fill(slot))
  }
  const slots = (...numbers: readonly number[]) =>
    new Set(numbers.map((slot) => toLatin1(new Uint8Array(32).fill(slot))))
  const [carrier, inner] = [`0x${'cc'.repeat(20)}`, `0x${'dd'.repeat(20)}`]
  split.begin(to(carrier, '0x12'))
  read(carrier, 1)
  // The carrier looks at the account that it calls.
  void split.state.account(fromHex(one))
  split.begin(to(one, first))
  read(one, 2)
  split.begin(to(inner, first))
  read(inner, 3)
  split.end()
  read(one, 4)
  split.end()
  // Code of the other, in the name of the carrier.
  split.begin(to(one, first, true))
  read(carrier, 5)
  split.end()
  split.end()
  assert.deepEqual(split.ownReads(), new Map([[toLatin1(fromHex(carrier)), slots(1, 5)]]))
  assert.deepEqual(split.carried(), [
    {
      call,
      reads: new Map([
        [toLatin1(fromHex(one)), slots(2, 4)],
        [toLatin1(fromHex(inner)), slots(3)],
      ]),
    },
  ])
})

test('reads of a contract that calls itself by delegatecall belong to the carried call', () => {
  const call = { to: fromHex(one), data: fromHex(first), isDelegate: true }
  const split = splitReads(state, [call])
  const read = (slot: number) =>
    void split.state.slot(fromHex(one), new Uint8Array(32), new Uint8Array(32).fill(slot))
  const slots = (...numbers: readonly number[]) =>
    new Map([
      [
        toLatin1(fromHex(one)),
        new Set(numbers.map((slot) => toLatin1(new Uint8Array(32).fill(slot)))),
      ],
    ])
  // The contract is a proxy: its code passes all calldata on.
  const beginProxied = (data: string, isInner: boolean) => {
    split.begin(to(one, data, isInner))
    split.begin(to(one, data, true))
  }
  beginProxied('0xac9650d8', false)
  read(1)
  // A plain call with the same data has another sender.
  split.begin(to(one, first))
  read(2)
  split.end()
  beginProxied(first, true)
  read(3)
  split.end()
  read(4)
  split.end()
  read(5)
  split.end()
  split.end()
  assert.deepEqual(split.ownReads(), slots(1, 2, 5))
  assert.deepEqual(split.carried(), [{ call, reads: slots(3, 4) }])
})
