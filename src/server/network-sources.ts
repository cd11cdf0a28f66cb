// Where the store looks up who may have what it lacks: the sources of each network, which change while the server runs.
// Tested by test/reload.test.ts
import type { FetchContext } from '../content/ref.ts'
import type { Source } from '../content/source.ts'

export type NetworkSources = {
  readonly of: (hint: FetchContext) => readonly Source[]
  /** Asked in this order; none: the network is gone. */
  set(network: string, sources: readonly Source[]): void
}

/** Sources by network name: a hint without one, or of a chain of our own, has none. */
export function createNetworkSources(): NetworkSources {
  const sources = new Map<string, readonly Source[]>()
  const none: readonly Source[] = []
  return {
    of: ({ network }) => (network === undefined ? none : (sources.get(network) ?? none)),
    set(network, found) {
      if (found.length === 0) sources.delete(network)
      else sources.set(network, found)
    },
  }
}
