// A Network whose reads report their steps to a trace. Reads from memory are traced by this wrapper, without a promise: their
// step includes the verification of a stored copy.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import type { ReadTrace } from '../content/ref.ts'
import type { Network } from './network.ts'

/** For one request: reads like the network it wraps. */
export function watchReads(network: Network, watch: ReadTrace): Network {
  function looked<Found>(find: () => Found | null): Found | null {
    const end = watch('store', '')
    const found = find()
    end(found === null ? 'absent' : 'held')
    return found
  }
  return {
    ...network,
    hint: { ...network.hint, watch },
    peek: (ref) => looked(() => network.peek(ref)),
    peekNode: (from, at) => looked(() => network.peekNode(from, at)),
  }
}
