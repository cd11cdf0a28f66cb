// The gas that a transaction costs before its first instruction (Yellow Paper 6.2, EIP-2028, 2930, 3860, 7702)
// and the least it pays for its data (EIP-7623), from Prague on.
// Tested by src/ethereum/embedded/vm/engine.test.ts

export type GasShape = {
  readonly data: Uint8Array
  readonly creates: boolean
  readonly accessList: readonly { readonly storageKeys: readonly Uint8Array[] }[]
  readonly authorizations: number
}

export const plainTransferGas = 21_000n

export function intrinsicGas({ data, creates, accessList, authorizations }: GasShape): bigint {
  const nonZero = nonZeroBytes(data)
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const words = Math.ceil(data.length / 32)
  return (
    plainTransferGas +
    BigInt(16 * nonZero + 4 * (data.length - nonZero)) +
    (creates ? 32_000n + BigInt(2 * words) : 0n) +
    BigInt(2_400 * accessList.length + 1_900 * keys + 25_000 * authorizations)
  )
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
