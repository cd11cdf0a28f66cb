// Looks up the sources for missing content of each network. They change while the server runs.
// Tested by test/reload.test.ts
import type { FetchContext } from '../content/ref.ts'
import type { Source } from '../content/source.ts'

export type NetworkSources = {
  readonly of: (hint: FetchContext) => readonly Source[]
  /** Queried in this order; empty: the network was removed. */
  set(network: string, sources: readonly Source[]): void
}

/** Sources by network name; none for a context without a network or of the embedded chain. */
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
