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
])
const [one, two] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const
const [first, second] = [`0x11223344${'00'.repeat(31)}05`, '0x55667788'] as const
const both = [
  { target: one, callData: first, allowFailure: true, value: 0n },
  { target: two, callData: second, allowFailure: false, value: 64n },
]

function found(data: string): readonly (readonly [string, string])[] {
  return findCarriedCalls(fromHex(data)).map((call) => [toHex(call.to), toHex(call.data)])
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
  const [call] = [{ to: fromHex(one), data: fromHex(first) }]
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
