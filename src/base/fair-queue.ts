// Fair queue for expensive work of unauthenticated callers: a fixed number runs in parallel, the rest waits in one lane
// per caller, served round-robin. Known callers have priority over unknown ones.
// Tested by src/base/fair-queue.test.ts

/** `lane`: the caller; `known`: the caller has priority. */
export type Place = { readonly lane: string; readonly known: boolean }

export type FairQueue = {
  /** Runs `work` when it is its turn. Null immediately if the lane, or the line of known or unknown callers, is full. */
  run<T>(place: Place, work: () => Promise<T>): Promise<T> | null
}

/** `perLane` and `waitingMax` limit the waiting work; `waitingMax` applies to known and unknown callers separately. */
export function createFairQueue(limits: {
  readonly atOnce: number
  readonly perLane: number
  readonly waitingMax: number
}): FairQueue {
  const { atOnce, perLane, waitingMax } = limits
  const lines = { known: createLine(), unknown: createLine() }
  let running = 0

  function leave(): void {
    const next = lines.known.shift() ?? lines.unknown.shift()
    if (next === null) running--
    else next()
  }

  async function runAfter<T>(entered: Promise<void>, work: () => Promise<T>): Promise<T> {
    await entered
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    run({ lane, known }, work) {
      if (running < atOnce) {
        running++
        return runAfter(Promise.resolve(), work)
      }
      const line = known ? lines.known : lines.unknown
      if (line.waiting >= waitingMax || line.waitingIn(lane) >= perLane) return null
      return runAfter(new Promise((admit) => line.push(lane, admit)), work)
    },
  }
}

type Admit = () => void

/** Lanes in round-robin order. */
function createLine() {
  const lanes = new Map<string, Admit[]>()
  let waiting = 0
  return {
    get waiting() {
      return waiting
    },
    waitingIn: (lane: string) => lanes.get(lane)?.length ?? 0,
    push(lane: string, admit: Admit): void {
      waiting++
      const others = lanes.get(lane)
      if (others === undefined) lanes.set(lane, [admit])
      else others.push(admit)
    },
    /** Removes the first entry of the next lane, and moves that lane to the end. */
    shift(): Admit | null {
      for (const [lane, [admit, ...rest]] of lanes) {
        lanes.delete(lane)
        if (rest.length > 0) lanes.set(lane, rest)
        if (admit === undefined) continue
        waiting--
        return admit
      }
      return null
    },
  }
}
