// Fields that Arbitrum Nitro encodes in a header (OffchainLabs/go-ethereum core/types/arb_types.go): extraData is the send root,
// mixHash has the send count, the block number of Ethereum, the version of ArbOS, and a flag for collected tips.
// Tested by src/chain/rollups/nitro-header.test.ts
import { toHex, toQuantity } from '../../base/hex.ts'
import type { Header } from '../../codec/ethereum/header.ts'

export type NitroHeader = {
  /** 32 bytes. */
  readonly sendRoot: Uint8Array
  readonly sendCount: bigint
  readonly l1BlockNumber: bigint
  /** False: senders pay the base fee without a tip. */
  readonly collectsTips: boolean
}

/** This version collected tips without setting the flag. */
const tipsVersion = 9n

/** Null for headers of other chains, none of which has this form with a difficulty of 1, and for the first block. */
export function nitroHeader(header: Header): NitroHeader | null {
  const { extraData, mixHash, difficulty, baseFeePerGas } = header
  if (difficulty !== 1n || baseFeePerGas === undefined || extraData.length !== 32) return null
  const version = uint64At(mixHash, 16)
  if (version === 0n) return null
  return {
    sendRoot: extraData,
    sendCount: uint64At(mixHash, 0),
    l1BlockNumber: uint64At(mixHash, 8),
    collectsTips: version === tipsVersion || ((mixHash[25] ?? 0) & 1) === 1,
  }
}

/** Additional block members of Arbitrum's nodes; empty for other chains. */
export function nitroMembers(header: Header): Readonly<Record<string, string>> {
  const nitro = nitroHeader(header)
  if (nitro === null) return {}
  return {
    l1BlockNumber: toQuantity(nitro.l1BlockNumber),
    sendCount: toQuantity(nitro.sendCount),
    sendRoot: toHex(nitro.sendRoot),
  }
}

function uint64At(bytes: Uint8Array, at: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(at)
}
