// Recent invalid replies of upstreams that are not paused: the server continues without them, so only this check reports them.
// Tested by src/cli/doctor/doctor.test.ts
import { activeUpstreams } from '../../config/network-config.ts'
import type { Config } from '../../config/settings.ts'
import type { Rows } from '../../db/rows.ts'
import { countInvalidReplies } from '../../tables/invalid-replies.ts'
import { warning, type CommandLine, type Problem } from '../../server/network-checks/problem.ts'

const dayMs = 86_400_000

/** Counts the last 24 hours. `now`: milliseconds since 1970 UTC. */
export async function* checkInvalidReplies(
  rows: Pick<Rows, 'find'>,
  { networks }: Pick<Config, 'networks'>,
  parts: { readonly now: number; readonly command: CommandLine },
): AsyncGenerator<Problem> {
  const counts = await rows.find(countInvalidReplies(parts.now - dayMs))
  for (const network of networks ?? []) {
    if (network.embedded) continue
    for (const { name } of activeUpstreams(network)) {
      const found = counts.find((one) => one.network === network.name && one.upstream === name)
      if (found === undefined) continue
      const often = found.lies === 1 ? 'once' : `${found.lies} times`
      yield warning(
        'upstream_lied',
        `${network.name}/${name} sent invalid replies ${often} in the last day: Cairn sends it few requests`,
        `${parts.command('upstreams')} --evidence --json shows the replies; remove or pause the upstream until it is fixed`,
      )
    }
  }
}
