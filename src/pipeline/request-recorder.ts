// Events of a request that an API reports to the inspector.
import type { Fault } from '../base/fault.ts'
import type { ReadTrace } from '../content/ref.ts'
import type { RequestTimeline } from './inspector/request-timeline.ts'

/** A call as the client sent it. For a command of the IPFS API, `params` holds its arguments and options. */
export type RecordedCall = { readonly method: string; readonly params: readonly unknown[] }

/** `text`: the result as JSON text. */
export type RecordedOutcome =
  | { readonly result: unknown }
  | { readonly text: string }
  | { readonly fault: Fault }

/** Values of the `x-cairn-*` headers; null = header absent. */
export type AnswerLabels = {
  readonly verified: string
  readonly head: string | null
  readonly block: Uint8Array | null
  readonly blockNumber: bigint | null
  readonly units: number
}

/** Receives the progress of a request that is inspected or traced (inspector/inspection.ts). */
export interface RequestRecorder {
  /** Traces the reads of the request. */
  readonly watch: ReadTrace
  readonly timeline: Pick<RequestTimeline, 'reached' | 'recordCached'>
  /** The calls of the request, before they run. */
  recordCalls(items: readonly (RecordedCall | Fault)[], batch: boolean): void
  /** In the order of the calls. `priced`: cost of each call if it succeeds. */
  answers(
    priced: readonly { readonly units: number }[],
    outcomes: readonly RecordedOutcome[],
    labels: AnswerLabels,
  ): void
}
