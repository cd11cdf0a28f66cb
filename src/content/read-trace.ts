// Callback that traces the steps of a read, at their start and end. A trace does not affect the read, and untraced reads
// pay no cost for it.
// Tested by src/content/obtain.test.ts

/** `store`: local lookup. `source`: request to a source. `verify`: hashing of the reply. */
export type ReadStep = 'store' | 'source' | 'verify'

/** Call at the end of the step, with its outcome as one word; only the first call counts. */
export type EndOfStep = (outcome: string) => void

/** A step starts. `name`: the source; empty for local steps. Must not throw. */
export type ReadTrace = (step: ReadStep, name: string) => EndOfStep

/** The same for the traces of all waiting callers. */
export function watchAll(
  waiting: readonly { readonly watch?: ReadTrace }[],
  step: ReadStep,
  name: string,
): EndOfStep {
  if (!waiting.some(({ watch }) => watch !== undefined)) return untraced
  // One reader may wait twice for the same bytes.
  const watches = new Set(waiting.flatMap(({ watch }) => watch ?? []))
  let ends = [...watches].map((watch) => watch(step, name))
  return (outcome) => {
    for (const end of ends) end(outcome)
    ends = []
  }
}

const untraced: EndOfStep = () => {}
