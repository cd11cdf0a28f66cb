// What the operations on denied content need.
import type { CID } from 'multiformats/cid'
import type { DenyDecision, OwnDenials } from '../../../ipfs-gateway/own-denials.ts'

export type DenialsView = OwnDenials & {
  /** The rule of an operator or of a deny list that decides; null: none is about the content. */
  decide(cid: CID, segments: readonly string[]): Promise<DenyDecision | null>
}
