// What is wrong with the sources of files: who cannot be asked, and secrets that go over the wire in clear.
import { isLoopback } from '../../base/loopback.ts'
import type { Config } from '../../config/settings.ts'
import type { QueriedSource } from '../query-sources.ts'
import { advice, problem, type Problem } from './problem.ts'

export function* checkSources(
  { fileSources }: Pick<Config, 'fileSources'>,
  asked: readonly QueriedSource[],
): Generator<Problem> {
  for (const [index, { name, url, headers }] of fileSources.entries()) {
    const failure = asked[index]?.failure ?? null
    if (failure !== null) {
      yield problem(
        'source_silent',
        `the source of files ${name} gives no blocks: ${failure}`,
        `files: sources: its url and headers, or take it out; it must answer GET /ipfs/bafkqaaa?format=raw`,
      )
    }
    const { protocol, hostname, username, password } = new URL(url)
    const isSecret = username !== '' || password !== '' || 'authorization' in headers
    if (isSecret && protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
      yield advice(
        'source_in_clear',
        `the credentials for the source of files ${name} cross the network in clear`,
        `url: https://…`,
      )
    }
  }
}
