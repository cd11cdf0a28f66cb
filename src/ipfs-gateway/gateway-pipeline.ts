// The IPFS gateway as its HTTP endpoint uses it: the rules behind `/ipfs/<cid>`.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Credential } from '../pipeline/authenticate-request.ts'
import type { IpfsGatewayRequest, PathRun } from './path-operation.ts'

/** What readers of `/ipfs/<cid>` need of it. */
export interface GatewayPipeline {
  /**
   * Null: the request has no key and needs none. `local`: a person at this machine reads. Throws the faults of the IPFS
   * API.
   */
  authenticatePath(
    credential: Credential | null,
    operation: string,
    local: boolean,
  ): Promise<Caller | null>
  /** A request refused after entering, before it ran, is counted; null: in no account's usage. */
  countPathRefusal(caller: Caller | null, operation: string, fault: Fault): void
  /**
   * Throws `bad_argument`, `over_rate`, `overloaded`, `denied`, `denied_legally`, `not_cached`, `not_found`, `no_credential` if the request
   * has no key and the content is not public, and what the operation throws.
   */
  runPath(visit: IpfsGatewayRequest): Promise<PathRun>
}
