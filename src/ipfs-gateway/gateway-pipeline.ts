// The IPFS gateway as its HTTP endpoint calls it: authentication and rules for `/ipfs/<cid>`.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Credential } from '../pipeline/authenticate-request.ts'
import type { IpfsGatewayRequest, PathRun } from './path-operation.ts'

/** The methods that requests to `/ipfs/<cid>` need. */
export interface GatewayPipeline {
  /**
   * Returns null if the request has no key and needs none. `local`: the request was made on this machine. Throws the faults of the
   * IPFS API.
   */
  authenticatePath(
    credential: Credential | null,
    operation: string,
    local: boolean,
  ): Promise<Caller | null>
  /** Counts a request that was refused after authentication and before it ran; null: it is not in any account's usage. */
  countPathRefusal(caller: Caller | null, operation: string, fault: Fault): void
  /**
   * Throws `bad_argument`, `over_rate`, `overloaded`, `denied`, `denied_legally`, `not_cached`, `not_found`, `no_credential` if the
   * request has no key and the content is not public, and the errors of the operation.
   */
  runPath(visit: IpfsGatewayRequest): Promise<PathRun>
}
