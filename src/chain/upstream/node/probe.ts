// Probes an upstream: chain, client, head, methods, and the history that it serves and proves. The result only affects the
// selection of upstreams; `cairn doctor` prints it.
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
  /** Reason of a failed probe, without secrets; null if the upstream answered. */
  readonly failure: string | null
  readonly chainId: bigint | null
  readonly client: string | null
  /** `ageSeconds`: between the block's time and now; negative if the block's time is in the future. */
  readonly head: (ProbedBlock & { readonly ageSeconds: number }) | null
  /** Whether it accepts a block hash (EIP-1898) and uses that block. Null if unknown. */
  readonly acceptsBlockHash: boolean | null
  /** Values that this probe could not determine are taken from the last one. */
  readonly reach: HistoryDepths
  /** Methods that Cairn calls and the upstream does not know. */
  readonly lacks: readonly string[]
}

export type ProbeOptions = {
  readonly clock: Clock
  /** 20 bytes, the account of the state requests. Any account works, because absence is proved too. */
  readonly account?: Uint8Array
}

/** Called with the head's block number, to find out whether the upstream supports them. */
const probedMethods: readonly string[] = [
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'eth_getBlockReceipts',
]
const textLengthMax = 200

/**
 * Updates the upstream's chain and history depth with about 50 sequential calls. Throws only `signal.reason`; values that it cannot
 * determine are null, and `failure` is the reason if there are none.
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
    acceptsBlockHash: null,
    reach: upstream.status().reach,
    lacks: [],
  }
  try {
    report.chainId = quantityOf(await questions.call('eth_chainId', []))
    if (report.chainId !== null) upstream.setChainId(report.chainId)
    const client = await questions.find('web3_clientVersion', [])
    report.client =
      typeof client === 'string' ? upstream.redact(client).slice(0, textLengthMax) : null
    const newest = await questions.newestBlock()
    if (newest !== null) {
      const { number } = newest
      const ageSeconds = Math.round(clock.now() / 1000) - newest.timestamp
      report.head = { ...newest, ageSeconds }
      for (const method of probedMethods) await questions.find(method, [toQuantity(number)])
      report.acceptsBlockHash = await questions.acceptsBlockHash(number)
      const found: Partial<Record<HistoryKind, HistoryDepth>> = {}
      for (const kind of historyKinds) {
        const reach = await probeHistory(kind, number, questions.hasData)
        if (reach !== undefined) found[kind] = reach
      }
      upstream.setHistoryDepths(found)
      report.reach = upstream.status().reach
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    report.failure = error.message
  }
  report.lacks = [...questions.lacking]
  return report
}
