// Problems of the sources of files: unreachable sources, and secrets sent without encryption.
import { isLoopback } from '../../base/addresses.ts'
import type { Config } from '../../config/settings.ts'
import type { QueriedSource } from '../query-sources.ts'
import { warning, problem, type Problem } from '../../server/network-checks/problem.ts'

export function* checkSources(
  { fileSources }: Pick<Config, 'fileSources'>,
  queried: readonly QueriedSource[],
): Generator<Problem> {
  for (const [index, { name, url, speaks, headers }] of fileSources.entries()) {
    const failure = queried[index]?.failure ?? null
    if (failure !== null) {
      yield problem(
        'source_silent',
        `file source ${name} supplies no blocks: ${failure}`,
        `correct its url and headers in files.sources, or remove it; it must reply to ${speaks === 'kubo' ? 'POST /api/v0/version' : 'GET /ipfs/bafkqaaa?format=raw'}`,
      )
    }
    const { protocol, hostname, username, password } = new URL(url)
    const isSecret = username !== '' || password !== '' || 'authorization' in headers
    if (isSecret && protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
      yield warning(
        'source_in_clear',
        `the credentials for file source ${name} are sent unencrypted`,
        `url: https://…`,
      )
    }
  }
}
