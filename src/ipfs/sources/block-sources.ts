// The sources of blocks that are not stored: the gateways of the settings, which may change while the server
// runs, then the IPFS network. A gateway that stays as it is keeps its connections and what is known of it.
// Tested by test/files/sources.test.ts
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { FetchContext } from '../../content/ref.ts'
import type { Source } from '../../content/source.ts'
import { createFileSource, type FileSource, type FileSourceConfig } from './file-source.ts'
import { createGatewaySource } from './gateway-source.ts'

export type BlockSources = {
  /** None or one, which asks all gateways. */
  now(): readonly Source[]
  /** Those of a read: the network only for one that has a session. */
  of(context: FetchContext): readonly Source[]
  /** From now on, reads with a session search the network too. Null: no longer. */
  useNetwork(network: Source | null): void
  /** From now on exactly these. What a gateway that goes has under way ends as failed. */
  replace(configs: readonly FileSourceConfig[]): Promise<void>
  close(): Promise<void>
}

type Open = { readonly config: FileSourceConfig; readonly gateway: FileSource }

export function createBlockSources(parts: {
  readonly clock: Clock
  readonly log: Log
}): BlockSources {
  let open: readonly Open[] = []
  let sources: readonly Source[] = []
  let network: Source | null = null

  async function replace(configs: readonly FileSourceConfig[]): Promise<void> {
    const before = open
    open = configs.map(
      (config) =>
        before.find((one) => isDeepStrictEqual(one.config, config)) ?? {
          config,
          gateway: createFileSource(config, parts.clock),
        },
    )
    const gateways = open.map(({ gateway }) => gateway)
    sources = gateways.length === 0 ? [] : [createGatewaySource(gateways, parts)]
    const gone = before.filter((one) => !open.includes(one))
    await Promise.all(gone.map(({ gateway }) => gateway.close()))
  }

  return {
    now: () => sources,
    of: ({ session }) =>
      network === null || session === undefined ? sources : [...sources, network],
    useNetwork: (source) => (network = source),
    replace,
    close: () => replace([]),
  }
}
