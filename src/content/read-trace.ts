// Who wants to know what a read took: told of each step as it begins and as it ends. A watch takes no part in what is
// read, and reads that nobody watches pay nothing for it.
// Tested by src/content/obtain.test.ts

/** `store`: looked for here. `source`: somebody was asked for it. `verify`: what came was hashed. */
export type ReadStep = 'store' | 'source' | 'verify'

/** Call it when the step has ended, with one word for what came of it; only the first call counts. */
export type EndOfStep = (outcome: string) => void

/** A step begins. `name`: who is asked; empty where nobody is. Must not throw. */
export type ReadTrace = (step: ReadStep, name: string) => EndOfStep

/** The same for all who wait and want to know. */
export function watchAll(
  waiting: readonly { readonly watch?: ReadTrace }[],
  step: ReadStep,
  name: string,
): EndOfStep {
  if (!waiting.some(({ watch }) => watch !== undefined)) return nobodyWatches
  // One reader may wait twice for the same bytes.
  const watches = new Set(waiting.flatMap(({ watch }) => watch ?? []))
  let ends = [...watches].map((watch) => watch(step, name))
  return (outcome) => {
    for (const end of ends) end(outcome)
    ends = []
  }
}

const nobodyWatches: EndOfStep = () => {}
