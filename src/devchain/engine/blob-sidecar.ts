// A transaction of type 3 is sent with its blobs (EIP-4844, and EIP-7594 with cell proofs), but a block contains it without
// them. This module checks the proofs once and discards the sidecar.
// Tested by src/devchain/engine/engine.test.ts
import { createBlob4844TxFromSerializedNetworkWrapper } from '@ethereumjs/tx'
import type { Common } from '@ethereumjs/common'
import { Fault } from '../../base/fault.ts'
import { splitList } from '../../codec/ethereum/rlp.ts'

/** The transaction as a block contains it. Throws `pool_refused` for a missing or invalid sidecar. */
export function stripSidecar(wrapped: Uint8Array, common: Common): Uint8Array {
  const payload = splitList(wrapped.subarray(1))[0]
  if (payload === undefined || (payload[0] ?? 0) < 0xc0) {
    throw new Fault('pool_refused', { detail: 'missing sidecar in blob transaction' })
  }
  try {
    createBlob4844TxFromSerializedNetworkWrapper(wrapped, { common })
  } catch (cause) {
    // The library's message names its own functions and may change between versions.
    const detail = 'invalid blob sidecar: blobs, commitments and proofs do not fit each other'
    throw new Fault('pool_refused', { detail, cause })
  }
  const stripped = new Uint8Array(1 + payload.length)
  stripped[0] = 3
  stripped.set(payload, 1)
  return stripped
}
