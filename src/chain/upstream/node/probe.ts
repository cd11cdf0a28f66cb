// Finds out what an upstream is and what it has: chain, client, head, which methods, how far back it serves and proves.
// Nothing of it is believed but for choosing whom to ask; `cairn doctor` prints it.
import type { Clock } from '../../../base/clock.ts'
import { toQuantity } from '../../../base/hex.ts'
import { createProbeQuestions, type ProbedBlock, quantityOf } from './probe-questions.ts'
import { probeHistory } from './probe-history.ts'
import {
  historyKinds,
  type HistoryDepth,
  type HistoryKind,
  type HistoryDepths,
} from './history-depth.ts'
import { UpstreamError } from './upstream-error.ts'
import type { Upstream } from './upstream.ts'

export type ProbeReport = {
  readonly upstream: string
  /** Why nothing more is known, without secrets; null when it answered. */
  readonly failure: string | null
  readonly chainId: bigint | null
  readonly client: string | null
  /** `ageSeconds`: between the block's time and now; negative when the block says it is from the future. */
  readonly head: (ProbedBlock & { readonly ageSeconds: number }) | null
  /** Does it take a block by hash (EIP-1898) and mean that block? Null when it could not be seen. */
  readonly takesBlockHash: boolean | null
  /** Those that could not be found out now are as they were known before. */
  readonly reach: HistoryDepths
  /** Of the methods Cairn asks for, those it does not know. */
  readonly lacks: readonly string[]
}

export type ProbeOptions = {
  readonly clock: Clock
  /** Whose state is asked for: 20 bytes. Any account does; its absence is proved too. */
  readonly account?: Uint8Array
}

/** Asked for by number at the head, to see whether they are there. */
const methodsAsked: readonly string[] = [
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'eth_getBlockReceipts',
]
const textLengthMax = 200

/**
 * Tells the upstream what was found: chain, reach. Some fifty calls, one after the other. Throws only `signal.reason`;
 * what cannot be found out is null, and `failure` says why nothing could be.
 */
export async function probeUpstream(
  upstream: Upstream,
  { clock, account = new Uint8Array(20) }: ProbeOptions,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const questions = createProbeQuestions(upstream, account, signal)
  const report: { -readonly [Name in keyof ProbeReport]: ProbeReport[Name] } = {
    upstream: upstream.name,
    failure: null,
    chainId: null,
    client: null,
    head: null,
    takesBlockHash: null,
    reach: upstream.status().reach,
    lacks: [],
  }
  try {
    report.chainId = quantityOf(await questions.ask('eth_chainId', []))
    if (report.chainId !== null) upstream.tellChain(report.chainId)
    const client = await questions.find('web3_clientVersion', [])
    report.client =
      typeof client === 'string' ? upstream.redact(client).slice(0, textLengthMax) : null
    const newest = await questions.newestBlock()
    if (newest !== null) {
      const { number } = newest
      const ageSeconds = Math.round(clock.now() / 1000) - newest.timestamp
      report.head = { ...newest, ageSeconds }
      for (const method of methodsAsked) await questions.find(method, [toQuantity(number)])
      report.takesBlockHash = await questions.takesHash(number)
      const found: Partial<Record<HistoryKind, HistoryDepth>> = {}
      for (const kind of historyKinds) {
        const reach = await probeHistory(kind, number, questions.holds)
        if (reach !== undefined) found[kind] = reach
      }
      upstream.tellReach(found)
      report.reach = upstream.status().reach
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    report.failure = error.message
  }
  report.lacks = [...questions.lacking]
  return report
}
