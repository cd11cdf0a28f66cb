// Queue of pushed values for one reader. Unread values wait in the queue; above the limit the oldest are dropped.

export type BoundedQueue<Value> = {
  push(value: Value): void
  /** Ends the queue; waiting values can still be read. */
  end(): void
  /** For one reader. `onClose` is called once, when the queue ends or the reader leaves. */
  read(onClose: () => void): AsyncGenerator<Value, void, void>
}

/** `capacity`: values that wait for the reader. Ends when `signal` aborts. */
export function createBoundedQueue<Value>(
  capacity: number,
  signal: AbortSignal,
): BoundedQueue<Value> {
  const values: Value[] = []
  let isEnded = false
  let wake = (): void => {}

  function end(): void {
    isEnded = true
    wake()
  }

  return {
    push(value) {
      if (isEnded) return
      values.push(value)
      if (values.length > capacity) values.shift()
      wake()
    },
    end,
    async *read(onClose) {
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      try {
        while (true) {
          const value = values.shift()
          if (value !== undefined) yield value
          else if (isEnded) return
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        isEnded = true
        signal.removeEventListener('abort', end)
        onClose()
      }
    },
  }
}
