// Interface of the operations on denied content.
import type { CID } from 'multiformats/cid'
import type { DenyDecision, OwnDenials } from '../../../ipfs-gateway/own-denials.ts'

export type DenialsView = OwnDenials & {
  /** The deciding rule of an operator or of a deny list; null: no rule matches the content. */
  decide(cid: CID, segments: readonly string[]): Promise<DenyDecision | null>
}
