// Does one thing over the wire until it is done: what may pass is tried again a few times, and who asks us to wait is
// waited for.
// Tested by test/cli/import-pins.test.ts
import type { Clock } from '../../base/clock.ts'
import { HttpTrouble } from '../../ipfs/sources/http-client.ts'
import { Refused } from './api-reply.ts'
import { pause } from './pause.ts'

/** How often one thing is tried in one run; who is asked to come later has not been tried. */
const triesMax = 3
const waitsMax = 20
const waitMs = 250
const waitMsMax = 60_000

/**
 * What `attempt` returns. Throws what it threw last, or the reason of `signal`. Tried again: a Refused that may pass,
 * HttpTrouble, and what `isBroken` says of the rest.
 */
export async function tryUntilDone<T>(
  attempt: () => Promise<T>,
  {
    clock,
    isBroken = () => false,
  }: { readonly clock: Clock; readonly isBroken?: (thrown: unknown) => boolean },
  signal: AbortSignal,
): Promise<T> {
  let waits = 0
  for (let tries = 1; ;) {
    try {
      return await attempt()
    } catch (thrown) {
      signal.throwIfAborted()
      const isBusy = thrown instanceof Refused && thrown.mayPass
      if (!isBusy && !(thrown instanceof HttpTrouble) && !isBroken(thrown)) throw thrown
      const asked = thrown instanceof Refused ? thrown.retryAfterMs : null
      if (asked === null ? ++tries > triesMax : ++waits > waitsMax) throw thrown
      await pause(Math.min(asked ?? waitMs * 2 ** tries, waitMsMax), clock, signal)
    }
  }
}
