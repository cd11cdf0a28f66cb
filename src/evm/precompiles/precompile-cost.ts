// Cost of a run of a precompiled contract, computed from its input before the run: milliseconds and minimum gas. The libraries
// run each contract in one uninterruptible step, and some take seconds for the gas of one call.
import type { Common } from '@ethereumjs/common'

/** `ms`: on one core of a common server of 2026. `gas`: lower bound of the price; with less gas it fails immediately. */
export type PrecompileCost = { readonly ms: number; readonly gas: number }

type CostOf = (data: Uint8Array, common: Common) => PrecompileCost

/** EIP-2537: the largest discount for many points, as the remaining share of the gas. */
const leastDiscount = { g1: 0.519, g2: 0.524 }

/** By address. Other contracts take microseconds per kilobyte of input. */
const costs: ReadonlyMap<bigint, CostOf> = new Map<bigint, CostOf>([
  [0x01n, fixed(0.4, 3_000)],
  [0x02n, (data) => ({ ms: data.length * 5e-6, gas: data.length * 0.37 })],
  [0x03n, (data) => ({ ms: data.length * 2e-5, gas: data.length * 3.7 })],
  [0x05n, modexpCost],
  [0x06n, fixed(0.05, 0)],
  [0x07n, fixed(4, 6_000)],
  [0x08n, bn254PairingCost],
  [0x09n, (data) => ({ ms: readNumber(data, 0, 4) * 5e-4, gas: readNumber(data, 0, 4) })],
  [0x0an, fixed(6, 50_000)],
  [0x0bn, fixed(3, 375)],
  [0x0cn, (data) => perItem(data, 160, { ms: 5, gas: 12_000 * leastDiscount.g1 })],
  [0x0dn, fixed(6, 600)],
  [0x0en, (data) => perItem(data, 288, { ms: 15, gas: 22_500 * leastDiscount.g2 })],
  [0x0fn, (data) => perItem(data, 384, { ms: 14, gas: 32_600 })],
  [0x10n, fixed(3, 5_500)],
  [0x11n, fixed(7, 23_800)],
  [0x100n, fixed(3, 3_450)],
])

/** `address`: 40 hex digits, of an active precompiled contract. */
export function precompileCost(address: string, data: Uint8Array, common: Common): PrecompileCost {
  return costs.get(BigInt(`0x${address}`))?.(data, common) ?? { ms: data.length * 5e-6, gas: 0 }
}

function fixed(ms: number, gas: number): CostOf {
  return () => ({ ms, gas })
}

function perItem(data: Uint8Array, bytes: number, each: PrecompileCost): PrecompileCost {
  const items = Math.floor(data.length / bytes)
  return { ms: items * each.ms, gas: items * each.gas }
}

/** EIP-197, repriced by EIP-1108. */
function bn254PairingCost(data: Uint8Array, common: Common): PrecompileCost {
  const pairs = Math.floor(data.length / 192)
  const base = Number(common.param('bn254PairingGas'))
  const each = Number(common.param('bn254PairingWordGas'))
  return { ms: pairs === 0 ? 0.1 : 15 + pairs * 11, gas: base + pairs * each }
}

/** EIP-198, repriced by EIP-2565. The library squares once for each bit, and shifts the whole exponent each time. */
function modexpCost(data: Uint8Array, common: Common): PrecompileCost {
  const base = readNumber(data, 0, 32)
  const exponent = readNumber(data, 32, 32)
  const modulus = readNumber(data, 64, 32)
  const longest = Math.max(base, modulus)
  if (longest === 0) return { ms: 0.01, gas: 0 }
  // EIP-7823: fails immediately.
  if (common.isActivatedEIP(7823) && Math.max(longest, exponent) > 1024) return { ms: 0, gas: 0 }
  const words = Math.ceil(longest / 8)
  const bits = Math.max(1, exponentBits(data, base, exponent))
  const ms = bits * (2e-4 + words * 1.5e-6 + words * words * 2.2e-8 + (exponent / 8) * 3e-6)
  const rounds = Math.max(1, 8 * (exponent - 32))
  const isCheap = common.isActivatedEIP(2565)
  return { ms, gas: (words * words * rounds) / (isCheap ? 3 : 20) }
}

/** Bit length of the exponent, as far as its leading zeros are within its first 32 bytes. */
function exponentBits(data: Uint8Array, base: number, exponent: number): number {
  const start = 96 + base
  const first = data.subarray(start, start + Math.min(32, exponent))
  const at = first.findIndex((byte) => byte !== 0)
  // Bytes beyond the input count as zeros.
  if (at === -1 && (exponent <= 32 || start >= data.length)) return 0
  return 8 * (exponent - (at === -1 ? first.length : at))
}

/** Big-endian number, padded with zeros after the end of the data. Approximate above 2^53. */
function readNumber(data: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let index = at; index < at + length; index += 1) value = value * 256 + (data[index] ?? 0)
  return value
}
