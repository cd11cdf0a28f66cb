// The sources of blocks that are not stored: the gateways of the settings, which may change while the server runs, then the IPFS
// network. A gateway that stays unchanged keeps its connections and statistics.
// Tested by test/files/sources.test.ts
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { FetchContext } from '../../content/ref.ts'
import type { Source } from '../../content/source.ts'
import { createFileSource, type FileSource, type FileSourceConfig } from './file-source.ts'
import { createGatewaySource } from './gateway-source.ts'

export type BlockSources = {
  /** The current sources: none, or one that uses all gateways. */
  now(): readonly Source[]
  /** The sources of a read: includes the network only if the read has a session. */
  of(context: FetchContext): readonly Source[]
  /** Sets the network as a source of reads with a session; null removes it. */
  useNetwork(network: Source | null): void
  /** Replaces the gateways. Pending requests of removed gateways fail. */
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
