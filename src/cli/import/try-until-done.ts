// Repeats a request until it succeeds: retries failures that may pass a few times, and honours Retry-After.
// Tested by test/cli/import-pins.test.ts
import type { Clock } from '../../base/clock.ts'
import { HttpTrouble } from '../../ipfs/sources/http-client.ts'
import { Refused } from './api-reply.ts'
import { pause } from './pause.ts'

/** Maximum number of attempts; replies with Retry-After are counted separately, by `pausesMax`. */
const triesMax = 3
const pausesMax = 20
const waitMs = 250
const waitMsMax = 60_000

/**
 * Returns the result of `attempt`. Retries a Refused that may pass, HttpTrouble, and errors for which `isBroken` is true. Throws
 * the last error, or the reason of `signal`.
 */
export async function tryUntilDone<T>(
  attempt: () => Promise<T>,
  {
    clock,
    isBroken = () => false,
  }: { readonly clock: Clock; readonly isBroken?: (thrown: unknown) => boolean },
  signal: AbortSignal,
): Promise<T> {
  let pauses = 0
  for (let tries = 1; ;) {
    try {
      return await attempt()
    } catch (thrown) {
      signal.throwIfAborted()
      const isBusy = thrown instanceof Refused && thrown.mayPass
      if (!isBusy && !(thrown instanceof HttpTrouble) && !isBroken(thrown)) throw thrown
      const requestedMs = thrown instanceof Refused ? thrown.retryAfterMs : null
      if (requestedMs === null ? ++tries > triesMax : ++pauses > pausesMax) throw thrown
      await pause(Math.min(requestedMs ?? waitMs * 2 ** tries, waitMsMax), clock, signal)
    }
  }
}
