// Values that come by themselves, for one reader. What it has not read yet waits, bounded; beyond that the oldest go.

export type BoundedQueue<Value> = {
  push(value: Value): void
  /** What waits is still read, then it is over. */
  end(): void
  /** For one reader. `leave` is called once, when it is over or the reader has left. */
  read(leave: () => void): AsyncGenerator<Value, void, void>
}

/** `waitingMax`: values that wait for the reader. Ends when `signal` aborts. */
export function createBoundedQueue<Value>(
  waitingMax: number,
  signal: AbortSignal,
): BoundedQueue<Value> {
  const waiting: Value[] = []
  let isOver = false
  let wake = (): void => {}

  function end(): void {
    isOver = true
    wake()
  }

  return {
    push(value) {
      if (isOver) return
      waiting.push(value)
      if (waiting.length > waitingMax) waiting.shift()
      wake()
    },
    end,
    async *read(leave) {
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      try {
        while (true) {
          const value = waiting.shift()
          if (value !== undefined) yield value
          else if (isOver) return
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        isOver = true
        signal.removeEventListener('abort', end)
        leave()
      }
    },
  }
}
