// The label of each method on the kinds of networks, as its declaration and the rules of replies/ give it.
// Tested by test/upstream/rollups.test.ts
import type { NetworkFamily } from '../../base/known-network.ts'
import type { Level } from '../../chain/level.ts'
import type { ServingPolicy } from './serving-policy.ts'

/** A network without a row in the table of known networks is `other`. */
export type NetworkKind = NetworkFamily | 'other'

/** `unproved`: the label of an answer that an upstream gives. `own`: Cairn answers, and no block is involved. */
export type LabelOnNetwork = Extract<Level, 'proof' | 'block'> | 'unproved' | 'own'

/** Of a block whose lists the network's row covers; null where networks behind upstreams do not have the method. */
export function labelOn(policy: ServingPolicy, kind: NetworkKind): LabelOnNetwork | null {
  switch (policy.serve) {
    case 'never':
      return null
    case 'self':
      return 'own'
    case 'relay':
      return 'unproved'
    case 'prove':
      // The rules of other chains are not known, or not those of our EVM.
      if (policy.data === 'call') {
        return kind === 'ethereum' || kind === 'op' ? 'proof' : 'unproved'
      }
      if (policy.data === 'fees' || policy.data === 'simulation') {
        return kind === 'ethereum' ? 'proof' : 'unproved'
      }
      // What Arbitrum charges for the layer below is in no root, and no rule is known for a chain without a row.
      return policy.shows === 'receipts' && kind === 'nitro' ? 'block' : 'proof'
  }
}
