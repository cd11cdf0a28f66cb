// Settings for the selection of heads, as plain values.
// Tested by src/chain/upstream/head/head-follower.test.ts

export type HeadSettings = {
  /** Upstreams that must agree on a head that no trusted one reports; at most the number of upstreams. */
  readonly quorum: number
  /** Refuse tags and numbers while only one untrusted upstream reports the head. */
  readonly quorumRequired: boolean
  /** Refuse tags and numbers without a head of the light client. */
  readonly consensusRequired?: boolean
  readonly pollMs: number
  /** Maximum age of a head since its last confirmation. */
  readonly maxAgeMs: number
}
