// Intrinsic gas of a transaction (Yellow Paper 6.2, EIP-2, 2028, 2930, 3860, 7702), and the minimum for its data (EIP-7623) from
// Prague on.
// Tested by src/devchain/engine/engine.test.ts
import { Hardfork } from '@ethereumjs/common'
import type { Common } from '@ethereumjs/common'

export type GasShape = {
  readonly data: Uint8Array
  readonly creates: boolean
  readonly accessList: readonly AccessListKeys[]
  readonly authorizations: number
}

type AccessListKeys = { readonly storageKeys: readonly Uint8Array[] }

export const plainTransferGas = 21_000n

/** By the rules of `common`. Access lists and authorizations cost the same before their forks, as in go-ethereum. */
export function intrinsicGas(
  { data, creates, accessList, authorizations }: GasShape,
  common: Common,
): bigint {
  const nonZero = nonZeroBytes(data)
  const byteGas = common.gteHardfork(Hardfork.Istanbul) ? 16 : 68
  const wordGas = common.isActivatedEIP(3860) ? 2 : 0
  const creationGas = common.gteHardfork(Hardfork.Homestead) ? 32_000 : 0
  return (
    plainTransferGas +
    BigInt(byteGas * nonZero + 4 * (data.length - nonZero)) +
    (creates ? BigInt(creationGas + wordGas * Math.ceil(data.length / 32)) : 0n) +
    accessListGas(accessList) +
    BigInt(25_000 * authorizations)
  )
}

export function accessListGas(accessList: readonly AccessListKeys[]): bigint {
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  return BigInt(2_400 * accessList.length + 1_900 * keys)
}

export function floorDataGas(data: Uint8Array): bigint {
  const nonZero = nonZeroBytes(data)
  return plainTransferGas + 10n * BigInt(4 * nonZero + (data.length - nonZero))
}

function nonZeroBytes(data: Uint8Array): number {
  let count = 0
  for (const byte of data) if (byte !== 0) count += 1
  return count
}
