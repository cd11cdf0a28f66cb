// The accounts that calls touch, for a key with an address list.
// Tested by test/api/golden-started.test.ts
import type { CallRequest, StateOverride } from '../../chain/computation.ts'
import type { CallInput } from './call-input.ts'

/** Accounts of one call. Empty: it could reach any account. */
export function calledAddresses({
  request,
  overrides,
}: Pick<CallInput, 'request' | 'overrides'>): readonly Uint8Array[] {
  return addressesOfCalls([request], overrides.state)
}

/** The called contracts. Empty if a creation, code overrides or storage overrides could reach any account. */
export function addressesOfCalls(
  requests: readonly CallRequest[],
  overrides: readonly StateOverride[],
): readonly Uint8Array[] {
  if (overrides.some(isAltered)) return []
  const called: Uint8Array[] = []
  for (const { to, authorizationList = [] } of requests) {
    if (to === undefined) return []
    // Under EIP-7702 a call may run the code of another account.
    called.push(to, ...authorizationList.map(({ address }) => address))
  }
  return called
}

function isAltered({ code, state, stateDiff, movePrecompileTo }: StateOverride): boolean {
  return (code ?? state ?? stateDiff ?? movePrecompileTo) !== undefined
}
