// Runs impersonated transactions in the EVM: the sender is the one named in the transaction, and may be a contract.
// Tested by src/devchain/engine/dev-orders.test.ts
import { MerkleStateManager } from '@ethereumjs/statemanager'
import type { TypedTransaction } from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import { impersonatedSender } from '../codec/ethereum/impersonation.ts'

/** Sender of an impersonated transaction: EIP-3607, which refuses senders with code, does not apply to it. */
class UnsignedSender extends Address {}

/** EIP-7702: an account whose code starts with these bytes may send. */
const delegated = new Uint8Array([0xef, 0x01, 0x00])

/** A state in which an UnsignedSender has the code of a delegation (EIP-7702), so that runTx accepts it. */
export class SenderAwareState extends MerkleStateManager {
  override async getCode(address: Address): Promise<Uint8Array> {
    return address instanceof UnsignedSender ? delegated : super.getCode(address)
  }
}

/** `transaction`; if it is impersonated, a view of it with its sender. */
export function withSender<T extends TypedTransaction>(transaction: T): T {
  const { r = 0n, s = 0n } = transaction
  const bytes = impersonatedSender({ r, s })
  if (bytes === null) return transaction
  const sender = new UnsignedSender(bytes)
  return Object.create(transaction, { getSenderAddress: { value: () => sender } }) as T
}
