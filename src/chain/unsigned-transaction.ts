// The transaction of a call request, for simulated blocks and eth_fillTransaction. It has the lowest type that contains all its
// members, with dynamic fees unless a gas price is given, and a signature of zeros.
// Tested by src/evm/simulate/simulate.test.ts, test/api/fill-and-sync-started.test.ts
import type { Transaction } from '../codec/ethereum/transaction.ts'
import type { CallRequest } from './computation.ts'

export function unsignedTransaction(
  request: CallRequest,
  {
    chainId,
    nonce,
    gas,
  }: { readonly chainId: bigint; readonly nonce: bigint; readonly gas: bigint },
): Transaction {
  const { gasPrice, authorizationList, blobVersionedHashes } = request
  const to = request.to ?? null
  const base = {
    nonce,
    gas,
    to,
    value: request.value ?? 0n,
    data: request.data ?? new Uint8Array(0),
    v: 0n,
    yParity: 0 as const,
    r: 0n,
    s: 0n,
  }
  if (gasPrice !== undefined) return { type: 0, ...base, chainId: null, gasPrice }
  const dynamic = {
    ...base,
    chainId,
    maxFeePerGas: request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? 0n,
    accessList: request.accessList ?? [],
  }
  if (to !== null && authorizationList !== undefined) {
    const list = authorizationList.map((it) => ({ ...it, yParity: Number(it.yParity) }))
    return { type: 4, ...dynamic, to, authorizationList: list }
  }
  if (to !== null && blobVersionedHashes !== undefined) {
    const { maxFeePerBlobGas = 0n } = request
    return { type: 3, ...dynamic, to, maxFeePerBlobGas, blobVersionedHashes }
  }
  return { type: 2, ...dynamic }
}
