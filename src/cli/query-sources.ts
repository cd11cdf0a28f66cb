// Requests a well-known block from each source of files, without a server.
// Tested by src/cli/doctor/source-checks.test.ts
import { systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Config } from '../config/settings.ts'
import { createFileSource } from '../ipfs/sources/file-source.ts'

export type QueriedSource = {
  readonly name: string
  /** The problem of the source; null: it returned the block. */
  readonly failure: string | null
  readonly ms: number
}

const askMs = 10_000

/** In the order of the settings; queries run in parallel. Errors of a source are part of the result, not thrown. */
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
