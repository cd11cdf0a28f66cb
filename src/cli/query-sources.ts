// Asks each source of files for a block that every gateway has, without a server.
// Tested by src/cli/doctor/source-checks.test.ts
import { systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Config } from '../config/settings.ts'
import { createFileSource } from '../ipfs/sources/file-source.ts'

export type QueriedSource = {
  readonly name: string
  /** What is wrong with it; null: it gave the block. */
  readonly failure: string | null
  readonly ms: number
}

const askMs = 10_000

/** In the order of the settings, all at once. Never throws what a source brings about. */
export async function querySources({
  fileSources,
}: Pick<Config, 'fileSources'>): Promise<readonly QueriedSource[]> {
  using deadline = withDeadline(null, askMs, systemClock)
  return await Promise.all(
    fileSources.map(async (source) => {
      const gateway = createFileSource(source, systemClock)
      const began = systemClock.monotonic()
      try {
        const failure = await gateway.probe(deadline.signal).then(
          () => null,
          (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
        )
        return { name: source.name, failure, ms: Math.round(systemClock.monotonic() - began) }
      } finally {
        await gateway.close()
      }
    }),
  )
}
