// Runs one task for each item, with limited concurrency.
// Tested by src/backup/make-backup.test.ts

/**
 * Starts the items in order. The first error aborts the signal of the running tasks and starts no more; it is thrown when all tasks
 * have ended. The same applies to `signal.reason`.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  count: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const remaining = items.values()
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  async function lane(): Promise<void> {
    try {
      // All workers share one iterator.
      for (const item of remaining) {
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
