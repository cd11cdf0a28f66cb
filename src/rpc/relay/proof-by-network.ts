// The label of each method on each kind of network, according to its declaration and the rules of replies/.
// Tested by test/upstream/rollups.test.ts
import type { NetworkFamily } from '../../base/known-network.ts'
import type { Level } from '../../chain/level.ts'
import type { ServingPolicy } from './serving-policy.ts'

/** A network without a row in the table of known networks is `other`. */
export type NetworkKind = NetworkFamily | 'other'

/** `unproved`: the label of an answer that an upstream gives. `own`: Cairn answers, and no block is involved. */
export type LabelOnNetwork = Extract<Level, 'proof' | 'block'> | 'unproved' | 'own'

/** Assumes a block whose lists follow the rules of the network. Null if networks behind upstreams do not offer the method. */
export function labelOn(policy: ServingPolicy, kind: NetworkKind): LabelOnNetwork | null {
  switch (policy.serve) {
    case 'never':
      return null
    case 'self':
      return 'own'
    case 'relay':
      return 'unproved'
    case 'prove':
      // The rules of other chains are unknown, or Cairn's EVM does not implement them.
      if (policy.data === 'call') {
        return kind === 'ethereum' || kind === 'op' ? 'proof' : 'unproved'
      }
      if (policy.data === 'fees' || policy.data === 'simulation') {
        return kind === 'ethereum' ? 'proof' : 'unproved'
      }
      // No root contains Arbitrum's fee for its parent chain. For a chain without a row, no rule is known.
      return policy.shows === 'receipts' && kind === 'nitro' ? 'block' : 'proof'
  }
}
