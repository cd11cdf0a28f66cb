// Recovers the signers of a transaction's authorizations (EIP-7702): they are touched before any code runs.
// Tested by src/devchain/engine/trace.test.ts
import { isEOACode7702Tx } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import { eoaCode7702RecoverAuthority } from '@ethereumjs/util'
import type { Address } from '@ethereumjs/util'

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
