// Queue of pushed values for one reader. Unread values wait in the queue; above the limit the oldest are dropped.

export type BoundedQueue<Value> = {
  push(value: Value): void
  /** Ends the queue; waiting values can still be read. */
  end(): void
  /** For one reader. `leave` is called once, when the queue ends or the reader leaves. */
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
