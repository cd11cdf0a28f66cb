// Counters that change too often for the metrics library: plain numbers, read at a scrape.
// Tested by src/metrics/metrics.test.ts
import type { ObtainEvent } from '../content/obtain-limits.ts'

export type Counters = {
  /** As `ObtainParts.count`. */
  readonly countContent: (event: ObtainEvent, source: string | null) => void
  /** Counts one JSON-RPC request by its weakest level; null: it had no answer with a level. */
  readonly countAnswer: (verified: string) => void
  /** Counts a failure of work outside of requests. */
  readonly countBackgroundFailure: () => void
  /** Returns the counts since the start or the last `take` and resets them; another process adds them to its own. */
  take(): Counts
  /** Adds the counts of another process. */
  add(counts: Counts): void
  readonly backgroundFailures: number
  readonly content: ContentCounts
  /** Label -> requests. */
  readonly answers: ReadonlyMap<string, number>
}

export type Counts = Pick<Counters, 'backgroundFailures' | 'content' | 'answers'>

export type ContentCounts = {
  readonly remembered: number
  readonly held: number
  readonly misreads: number
  readonly badCopies: number
  readonly notKept: number
  /** Source name -> outcome -> count. */
  readonly sources: ReadonlyMap<string, ReadonlyMap<ObtainEvent, number>>
}

/** Limit of names of upstreams and gateways since the start; further ones count as `other`. */
const sourcesMax = 200

export function createCounters(): Counters {
  let content = noContent()
  let sources = new Map<string, Map<ObtainEvent, number>>()
  let answers = new Map<string, number>()
  let backgroundFailures = 0

  function countSource(name: string, event: ObtainEvent, times = 1): void {
    const shown = sources.has(name) || sources.size < sourcesMax ? name : 'other'
    let results = sources.get(shown)
    if (results === undefined) sources.set(shown, (results = new Map()))
    results.set(event, (results.get(event) ?? 0) + times)
  }

  function countAnswer(verified: string, times = 1): void {
    answers.set(verified, (answers.get(verified) ?? 0) + times)
  }

  return {
    countContent(event, source) {
      if (event === 'remembered') content.remembered++
      else if (event === 'held') content.held++
      else if (event === 'misread') content.misreads++
      else if (event === 'bad_copy') content.badCopies++
      else if (event === 'not_kept') content.notKept++
      else if (source !== null) countSource(source, event)
    },
    countAnswer: (verified) => countAnswer(verified),
    countBackgroundFailure: () => void backgroundFailures++,
    take() {
      const counts = { content: { ...content, sources }, answers, backgroundFailures }
      content = noContent()
      sources = new Map()
      answers = new Map()
      backgroundFailures = 0
      return counts
    },
    add(counts) {
      for (const name of contentNames) content[name] += counts.content[name]
      for (const [name, results] of counts.content.sources) {
        for (const [event, times] of results) countSource(name, event, times)
      }
      for (const [verified, times] of counts.answers) countAnswer(verified, times)
      backgroundFailures += counts.backgroundFailures
    },
    get backgroundFailures() {
      return backgroundFailures
    },
    get content() {
      return { ...content, sources }
    },
    get answers() {
      return answers
    },
  }
}

const contentNames = ['remembered', 'held', 'misreads', 'badCopies', 'notKept'] as const

function noContent(): Record<(typeof contentNames)[number], number> {
  return { remembered: 0, held: 0, misreads: 0, badCopies: 0, notKept: 0 }
}
