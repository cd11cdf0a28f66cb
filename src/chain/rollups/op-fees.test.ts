import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findKnownNetwork } from '../../base/known-networks.ts'
import { fromHex } from '../../base/hex.ts'
import { encodeRlp } from '../../codec/ethereum/rlp.ts'
import { fastLzLength } from './fast-lz.ts'
import { opFeeMembers } from './op-fees.ts'

const optimism = findKnownNetwork(10n) ?? assert.fail('OP Mainnet is known')
const none = new Uint8Array(0)

/** A deposit with these L1 attributes. */
function deposit(data: string): Uint8Array {
  const items = [new Uint8Array(32), new Uint8Array(20), new Uint8Array(20), none, none, none, none]
  return Uint8Array.of(0x7e, ...encodeRlp([...items, fromHex(data)]))
}

/** op-geth's emptyTx (core/types/transaction_test.go). */
const emptyTransaction = encodeRlp([
  none,
  none,
  none,
  fromHex('0x095e7baea6a6c7c4c2dfeb977efac326af552d87'),
  none,
  none,
  none,
  none,
  none,
])

const word = (value: bigint) => value.toString(16).padStart(64, '0')
const ecotoneWords = `${'00000002'}${'00000003'}${'00000000000004d2'.repeat(3)}${word(1_000_000_000n)}${word(10_000_000n)}${word(1234n)}${word(1234n)}`
/** ethereum-optimism/op-geth core/types/receipt_opstack_test.go. */
const bedrock = `0x015d8eb9${[1234n, 1234n, 1_000_000_000n, 1234n, 1234n, 1234n, 50n, 7_000_000n].map(word).join('')}`
const ecotone = `0x440a5e20${ecotoneWords}`
const isthmus = `0x098999be${ecotoneWords}55c6fb7c116fb15b44847d04`
const jovian = `0x3db6be2b${ecotoneWords}55c6fb7c116fb15b44847d040190`

const times = {
  regolith: 1_690_000_000n,
  ecotone: 1_710_374_401n,
  fjord: 1_720_627_201n,
  isthmus: 1_746_806_401n,
  jovian: 1_764_691_201n,
}

function membersOf(data: string, timestamp: bigint, raw = emptyTransaction, known = optimism) {
  return opFeeMembers(deposit(data), timestamp, known)?.(raw) ?? null
}

const blobMembers = {
  l1GasPrice: '0x3b9aca00',
  l1BlobBaseFee: '0x989680',
  l1BaseFeeScalar: '0x2',
  l1BlobBaseFeeScalar: '0x3',
}
const fjordFee = { l1GasUsed: '0x640', l1Fee: `0x${(3_203_000).toString(16)}` }
const operatorFee = {
  operatorFeeScalar: `0x${(1_439_103_868).toString(16)}`,
  operatorFeeConstant: `0x${1_256_417_826_609_331_460n.toString(16)}`,
}

// The fees that op-geth expects (core/types/rollup_cost_test.go).
test('fees are those of op-geth, by the rule of the fork', () => {
  const bedrockMembers = {
    l1GasPrice: '0x3b9aca00',
    l1FeeScalar: '7',
    l1GasUsed: '0x212',
    l1Fee: `0x${3_710_000_000_000n.toString(16)}`,
  }
  assert.deepEqual(membersOf(bedrock, times.regolith), bedrockMembers)
  // The first block of Ecotone.
  assert.deepEqual(membersOf(bedrock, times.ecotone), bedrockMembers)
  assert.deepEqual(membersOf(ecotone, times.ecotone), {
    ...blobMembers,
    l1GasUsed: '0x1e0',
    l1Fee: `0x${(960_900).toString(16)}`,
  })
  assert.deepEqual(membersOf(ecotone, times.fjord), { ...blobMembers, ...fjordFee })
  // The first block of Isthmus.
  assert.deepEqual(membersOf(ecotone, times.isthmus), { ...blobMembers, ...fjordFee })
  assert.deepEqual(membersOf(isthmus, times.isthmus), {
    ...blobMembers,
    ...operatorFee,
    ...fjordFee,
  })
  assert.deepEqual(membersOf(`${isthmus.slice(0, -24)}${'00'.repeat(12)}`, times.isthmus), {
    ...blobMembers,
    ...fjordFee,
  })
  assert.deepEqual(membersOf(jovian, times.jovian), {
    ...blobMembers,
    ...operatorFee,
    daFootprintGasScalar: '0x190',
    ...fjordFee,
    blobGasUsed: `0x${(400 * 100).toString(16)}`,
  })
})

test('a rule that is not known gives no members', () => {
  assert.equal(membersOf(jovian, times.isthmus), null)
  assert.equal(membersOf(isthmus, times.jovian), null)
  assert.equal(membersOf(isthmus, times.ecotone), null)
  assert.equal(membersOf(`0xdeadbeef${ecotoneWords}`, times.jovian), null)
  assert.equal(membersOf('0x', times.jovian), null)
  assert.equal(membersOf(bedrock.slice(0, -2), times.regolith), null)
  assert.equal(membersOf(`${ecotone}00`, times.ecotone), null)
  const base = findKnownNetwork(8453n) ?? assert.fail('Base is known')
  assert.notEqual(membersOf(jovian, times.jovian, emptyTransaction, base), null)
  assert.equal(membersOf(jovian, base.rulesUntil ?? 0n, emptyTransaction, base), null)
  assert.equal(opFeeMembers(deposit(jovian), times.jovian, undefined), null)
  const mainnet = findKnownNetwork(1n) ?? assert.fail('mainnet is known')
  assert.equal(membersOf(jovian, times.jovian, emptyTransaction, mainnet), null)
})

test('the fee scalar is a decimal as op-geth prints it', () => {
  const scalarOf = (value: bigint) =>
    membersOf(`${bedrock.slice(0, -64)}${word(value)}`, times.regolith)?.['l1FeeScalar']
  assert.equal(scalarOf(684_000n), '0.684')
  assert.equal(scalarOf(1_500_000n), '1.5')
  assert.equal(scalarOf(10_000_000n), '10')
  assert.equal(scalarOf(1n), undefined)
  assert.equal(scalarOf(12_345_678_901_000_000n), undefined)
})

// Inputs and lengths of op-geth's TestFlzCompressLen.
test('lengths under FastLZ are those of op-geth', () => {
  const call =
    '02f901550a758302df1483be21b88304743f94f80e51afb613d764fa61751affd3313c190a86bb870151bd62fd12adb8' +
    'e41ef24f3f000000000000000000000000000000000000000000000000000000000000006e0000000000000000000000' +
    '00af88d065e77c8cc2239327c5edb3a432268e5831000000000000000000000000000000000000000000000000000000' +
    '000003c1e500000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
    '0000000000000000000000000000000000000000a0000000000000000000000000000000000000000000000000000000' +
    '00000000148c89ed219d02f1a5be012c689b4f5b731827bebe000000000000000000000000c001a033fd89cb37c31b2c' +
    'ba46b6466e040c61fc9b2a3675a7f5f493ebd5ad77c497f8a07cdf65680e238392693019b4092f610222e71b7cec0644' +
    '9cb922b93b6a12744e'
  assert.equal(fastLzLength(none), 0)
  assert.equal(fastLzLength(new Uint8Array(1000).fill(1)), 21)
  assert.equal(fastLzLength(new Uint8Array(1000)), 21)
  assert.equal(fastLzLength(emptyTransaction), 31)
  assert.equal(fastLzLength(fromHex(`0x${call}`)), 202)
})
