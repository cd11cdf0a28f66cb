// Sessions confirmed by password or passkey within the last five minutes. In memory only: after a restart the
// dashboard requests a new confirmation.
// Tested by src/access/people/confirmations.test.ts
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'

export type Confirmations = {
  /** Records that the person of this session has just shown a password or a passkey. */
  confirm(sessionId: string): void
  isConfirmed(sessionId: string): boolean
}

/** How long one confirmation is valid, in milliseconds. */
export const confirmedMs = 300_000
const sessionsMax = 10_000

/** `sessionsMax`: of more sessions, the one that confirmed longest ago has to confirm again. */
export function createConfirmations(parts: {
  readonly clock: Clock
  readonly sessionsMax?: number
}): Confirmations {
  const { clock } = parts
  const until = new Map<string, number>()
  return {
    confirm: (sessionId) =>
      setNewest(
        until,
        sessionId,
        clock.monotonic() + confirmedMs,
        parts.sessionsMax ?? sessionsMax,
      ),
    isConfirmed: (sessionId) => clock.monotonic() < (until.get(sessionId) ?? -Infinity),
  }
}
