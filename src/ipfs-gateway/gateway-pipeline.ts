// The IPFS gateway as its HTTP endpoint uses it: the rules behind `/ipfs/<cid>`.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Credential } from '../pipeline/credential.ts'
import type { IpfsGatewayRequest, PathRun } from './path-operation.ts'

/** What readers of `/ipfs/<cid>` need of it. */
export interface GatewayPipeline {
  /** Null: nobody showed a key, and not everybody has to. Throws the faults of the file face. */
  authenticatePath(credential: Credential | null, operation: string): Promise<Caller | null>
  /** A request refused after entering, before it ran, is counted; null: in nobody's usage. */
  countPathRefusal(caller: Caller | null, operation: string, fault: Fault): void
  /**
   * Throws `bad_argument`, `over_rate`, `overloaded`, `denied`, `not_cached`, `not_found`, `no_credential` where nobody
   * showed a key and the content is not open, and what the operation throws.
   */
  runPath(visit: IpfsGatewayRequest): Promise<PathRun>
}
