// Fee arithmetic of EIP-1559 and EIP-4844. Pure; amounts in wei, all bigint.
import { type AnyTransaction, isSystem } from '../codec/ethereum/system-transaction.ts'

const elasticity = 2n
const baseFeeChangeDenominator = 8n
/** EIP-4844: MIN_BASE_FEE_PER_BLOB_GAS. */
const blobBaseFeeMin = 1n
/** EIP-4844: gas of one blob. */
export const gasPerBlob = 131_072n

/**
 * The sender's price per gas in a block with `baseFee`: min(tip + baseFee, cap) for dynamic fees. Types 0 and 1 and transactions
 * without a signature state the price. `baseFee` null (a pending transaction): the cap.
 */
export function effectiveGasPrice(transaction: AnyTransaction, baseFee: bigint | null): bigint {
  if (isSystem(transaction)) return transaction.gasPrice
  if (transaction.type === 0 || transaction.type === 1) return transaction.gasPrice
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  if (baseFee === null) return maxFeePerGas
  const uncapped = maxPriorityFeePerGas + baseFee
  return uncapped < maxFeePerGas ? uncapped : maxFeePerGas
}

/** The base fee of the block after one with these header fields (EIP-1559). */
export function nextBaseFee(header: {
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
}): bigint {
  const { baseFeePerGas, gasUsed } = header
  const target = header.gasLimit / elasticity
  if (gasUsed === target || target === 0n) return baseFeePerGas
  if (gasUsed > target) {
    const rise = (baseFeePerGas * (gasUsed - target)) / target / baseFeeChangeDenominator
    return baseFeePerGas + (rise > 1n ? rise : 1n)
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / baseFeeChangeDenominator
}

/** EIP-4844 get_base_fee_per_blob_gas. `fraction`: the fork's base fee update fraction, positive. */
export function blobBaseFee(excessBlobGas: bigint, fraction: bigint): bigint {
  // fake_exponential: the Taylor series of factor * e ** (numerator / denominator), in integers.
  let output = 0n
  let term = blobBaseFeeMin * fraction
  for (let i = 1n; term > 0n; i += 1n) {
    output += term
    term = (term * excessBlobGas) / (fraction * i)
  }
  return output / fraction
}
