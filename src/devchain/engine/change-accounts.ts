// Applies the account changes that a block records (codec/ethereum/state-change.ts) to the state, both when the block is made
// and when it is executed again.
// Tested by src/devchain/engine/dev-orders.test.ts
import type { TxReceipt } from '@ethereumjs/vm'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import { equalBytes, toHex } from '../../base/hex.ts'
import { emptyTrieRoot } from '../../codec/ethereum/account-state.ts'
import { type AccountChange, stateChangesOf } from '../../codec/ethereum/state-change.ts'
import { overrideAccount } from '../../evm/apply-overrides.ts'
import type { TrieStateVm } from './chain-vm.ts'

const bloomBytes = 256

/** Applies the changes in order. An account that becomes empty (no balance, nonce, code or storage) is deleted (EIP-161). */
export async function changeAccounts(
  { state }: TrieStateVm,
  changes: readonly AccountChange[],
): Promise<void> {
  for (const { words = [], ...change } of changes) {
    await overrideAccount(state, { ...change, stateDiff: words })
  }
  await state.flush()
  for (const { address: bytes } of changes) {
    const address = createAddressFromString(toHex(bytes))
    const account = await state.getAccount(address)
    if (account === undefined || !account.isEmpty()) continue
    if (equalBytes(account.storageRoot, emptyTrieRoot)) await state.deleteAccount(address)
  }
}

/** The changes that a transaction records; null for a transaction that the EVM runs. Throws `Malformed`. */
export function recordedChanges(transaction: TypedTransaction): readonly AccountChange[] | null {
  const { gasLimit: gas, to, data, r = 0n, s = 0n } = transaction
  return gas === 0n ? stateChangesOf({ gas, to: to?.bytes ?? null, data, r, s }) : null
}

/** Receipt of the transaction that records changes: successful, no gas. `gasUsed`: of the block before this transaction. */
export function receiptOfChange(gasUsed: bigint): TxReceipt {
  return {
    status: 1,
    cumulativeBlockGasUsed: gasUsed,
    bitvector: new Uint8Array(bloomBytes),
    logs: [],
  }
}
