// Receipt members of the OP Stack that no root commits to: the fees for the L1. They are computed from the L1 attributes (the
// first transaction of the block) and the rule of the fork (specs.optimism.io: Bedrock, Ecotone, Fjord, Isthmus, Jovian).
// Tested by src/chain/rollups/op-fees.test.ts
import { toQuantity } from '../../base/hex.ts'
import type { KnownNetwork } from '../../base/known-network.ts'
import { isForkActive } from '../../base/known-networks.ts'
import { decodeSystemTransaction } from '../../codec/ethereum/system-transaction.ts'
import { fastLzLength } from './fast-lz.ts'

/** `members`: the same in every receipt of a block; `cost`: for one transaction, from its raw entry. */
type FeeRule = {
  readonly members: Readonly<Record<string, string>>
  cost(raw: Uint8Array): Readonly<Record<string, string>>
}

/** Names of the members of all forks. */
export const feeMembers = [
  'l1GasPrice',
  'l1GasUsed',
  'l1Fee',
  'l1FeeScalar',
  'l1BlobBaseFee',
  'l1BaseFeeScalar',
  'l1BlobBaseFeeScalar',
  'operatorFeeScalar',
  'operatorFeeConstant',
  'daFootprintGasScalar',
  'blobGasUsed',
] as const
export type FeeMember = (typeof feeMembers)[number]

/** Returns the fee members of a signed transaction from its raw entry. */
export type FeeMembers = (raw: Uint8Array) => Readonly<Record<string, string>>

/**
 * `first`: the raw entry of the first transaction of a block at `timestamp` (seconds). Null: the rule is unknown, because the
 * network has no row in the table or a later fork may have changed it.
 */
export function opFeeMembers(
  first: Uint8Array,
  timestamp: bigint,
  known: KnownNetwork | undefined,
): FeeMembers | null {
  if (known?.family !== 'op') return null
  if (known.rulesUntil !== undefined && timestamp >= known.rulesUntil) return null
  const { data } = decodeSystemTransaction(first)
  const isFjord = isForkActive(known.forks, 'fjord', timestamp)
  const isJovian = isForkActive(known.forks, 'jovian', timestamp)
  const rule = ruleOf(data, { isFjord, isJovian })
  if (rule === null) return null
  return (raw) => ({ ...rule.members, ...rule.cost(raw) })
}

type Forks = { readonly isFjord: boolean; readonly isJovian: boolean }

/** By the selector of the attributes, because the first block of a fork has the attributes of the previous fork. */
function ruleOf(data: Uint8Array, { isFjord, isJovian }: Forks): FeeRule | null {
  switch (integerAt(data, 0, 4)) {
    // setL1BlockValues, setL1BlockValuesEcotone, setL1BlockValuesIsthmus, setL1BlockValuesJovian
    case 0x015d8eb9n:
      return data.length < 260 ? null : bedrockRule(data)
    case 0x440a5e20n:
      if (data.length !== 164 || isJovian) return null
      return isFjord ? fjordRule(data, null) : ecotoneRule(data)
    case 0x098999ben:
      return data.length < 176 || !isFjord || isJovian ? null : fjordRule(data, null)
    case 0x3db6be2bn:
      return data.length < 178 || !isJovian ? null : fjordRule(data, integerAt(data, 176, 2))
    default:
      return null
  }
}

/** Since Regolith. `l1FeeScalar` is a decimal in op-geth's format. */
function bedrockRule(data: Uint8Array): FeeRule | null {
  const [price, overhead, scalar] = [2, 6, 7].map((word) => integerAt(data, 4 + word * 32, 32))
  if (price === undefined || overhead === undefined || scalar === undefined) return null
  const text = millionthsText(scalar)
  if (text === null) return null
  return {
    members: { l1GasPrice: toQuantity(price), l1FeeScalar: text },
    cost(raw) {
      const gas = calldataGas(raw) + overhead
      return fee(gas, (gas * price * scalar) / 1_000_000n)
    },
  }
}

function ecotoneRule(data: Uint8Array): FeeRule {
  const { members, scaled } = ecotoneTerms(data)
  return {
    members,
    cost(raw) {
      const gas = calldataGas(raw)
      return fee(gas, (gas * scaled) / 16_000_000n)
    },
  }
}

/** `footprint`: gas per byte since Jovian; null before. */
function fjordRule(data: Uint8Array, footprint: bigint | null): FeeRule {
  const { members, scaled } = ecotoneTerms(data)
  const [scalar, constant] = [integerAt(data, 164, 4), integerAt(data, 168, 8)]
  const hasOperatorFee = data.length >= 176 && (scalar !== 0n || constant !== 0n)
  return {
    members: {
      ...members,
      ...(hasOperatorFee && {
        operatorFeeScalar: toQuantity(scalar),
        operatorFeeConstant: toQuantity(constant),
      }),
      ...(footprint !== null && { daFootprintGasScalar: toQuantity(footprint) }),
    },
    cost(raw) {
      const size = compressedMillionths(raw)
      return {
        ...fee((size * 16n) / 1_000_000n, (size * scaled) / 1_000_000_000_000n),
        ...(footprint !== null && { blobGasUsed: toQuantity(footprint * (size / 1_000_000n)) }),
      }
    },
  }
}

/** `scaled`: the price per byte, times a million. */
function ecotoneTerms(data: Uint8Array) {
  const [baseScalar, blobScalar] = [integerAt(data, 4, 4), integerAt(data, 8, 4)]
  const [price, blobPrice] = [integerAt(data, 36, 32), integerAt(data, 68, 32)]
  return {
    members: {
      l1GasPrice: toQuantity(price),
      l1BlobBaseFee: toQuantity(blobPrice),
      l1BaseFeeScalar: toQuantity(baseScalar),
      l1BlobBaseFeeScalar: toQuantity(blobScalar),
    },
    scaled: price * 16n * baseScalar + blobPrice * blobScalar,
  }
}

function fee(gas: bigint, wei: bigint): Readonly<Record<string, string>> {
  return { l1GasUsed: toQuantity(gas), l1Fee: toQuantity(wei) }
}

/** 4 for a zero byte, 16 for any other (EIP-2028). */
function calldataGas(raw: Uint8Array): bigint {
  let gas = 0
  for (const byte of raw) gas += byte === 0 ? 4 : 16
  return BigInt(gas)
}

/** Estimated size in the batch, in millionths of a byte: a linear function of the size under FastLZ, at least 100 bytes. */
function compressedMillionths(raw: Uint8Array): bigint {
  const estimate = 836_500n * BigInt(fastLzLength(raw)) - 42_585_600n
  return estimate < 100_000_000n ? 100_000_000n : estimate
}

/** Null for a number that op-geth prints with an exponent or rounds to 10 digits. */
function millionthsText(value: bigint): string | null {
  const whole = value / 1_000_000n
  const fraction = String(value % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const text = fraction === '' ? String(whole) : `${whole}.${fraction}`
  const isSmall = whole === 0n && fraction.startsWith('0000')
  return text.replace('.', '').length > 10 || isSmall ? null : text
}

function integerAt(bytes: Uint8Array, at: number, length: number): bigint {
  let value = 0n
  for (const byte of bytes.subarray(at, at + length)) value = value * 256n + BigInt(byte)
  return value
}
