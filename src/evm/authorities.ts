// Recovers the signers of a transaction's authorizations (EIP-7702): they are touched before any code runs.
// Tested by src/devchain/engine/trace.test.ts, test/calls/hostile-calls.test.ts
import { isEOACode7702Tx } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import { eoaCode7702RecoverAuthority } from '@ethereumjs/util'
import type { Address } from '@ethereumjs/util'
import type { CallRequest } from '../chain/computation.ts'
import type { TimeSlice } from './time-slice.ts'

/** Milliseconds to recover one signer. The EVM recovers all of them in one step. */
const recoveryMs = 1.25

/** Call before a run of the request. Throws as `TimeSlice.step` if the authorizations take too long. */
export function stepAuthorities(
  { authorizationList = [] }: CallRequest,
  slice: TimeSlice,
): Promise<void> | null {
  const { length } = authorizationList
  return length === 0 ? null : slice.step(length * recoveryMs, `${length} authorizations`)
}

/** Signers of the valid authorizations; invalid signatures are skipped. */
export function authoritiesOf(transaction: TypedTransaction): readonly Address[] {
  if (!isEOACode7702Tx(transaction)) return []
  return transaction.authorizationList.flatMap((authorization) => {
    try {
      return [eoaCode7702RecoverAuthority(authorization)]
    } catch {
      return []
    }
  })
}
