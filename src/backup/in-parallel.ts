// Runs one task for each item, a few at a time.
// Tested by src/backup/make-backup.test.ts

/**
 * Starts the items in their order. The first error aborts the signal of the tasks that are running, starts no more, and is
 * thrown when all have ended; so is `signal.reason`.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  count: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  async function lane(): Promise<void> {
    try {
      // The lanes share one iterator.
      for (const item of waiting) {
        either.throwIfAborted()
        await work(item, either)
      }
    } catch (error) {
      ending.abort(error)
    }
  }
  await Promise.all(Array.from({ length: count }, lane))
  either.throwIfAborted()
}
