// Attempts to sign in, with any credential: rate-limited before any work is done, and logged if refused.
// Tested by src/access/people/sign-in.test.ts
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'

/** Origin of an attempt; `agent`: the browser's User-Agent; `device`: its device cookie, if it sent one. */
export type From = {
  readonly address: string
  readonly agent: string
  readonly device?: string | null
}

/**
 * Charges an attempt in advance; the returned function refunds it. Throws `over_rate`. `name`: the tried email as
 * typed, in lower case. `own`: a known device or session; its attempts are counted separately from all others.
 */
export type BeginAttempt = (address: string, name: string, own?: string | null) => () => void

export type SignInAttempts = {
  /** Throws `over_rate`; returns the function that refunds the attempt. */
  begin(address: string, name: string, own?: string | null): () => void
  /** Returns the same Fault and logs it, for bans by address. Never logs the email: people type passwords there. */
  refused(fault: Fault, from: Pick<From, 'address'>): Fault
}

export function createSignInAttempts(parts: {
  readonly beginTry: BeginAttempt
  readonly log: Log
  readonly keepAddresses: () => boolean
}): SignInAttempts {
  const { beginTry, log, keepAddresses } = parts

  function refused(fault: Fault, { address }: Pick<From, 'address'>): Fault {
    log('warn', 'sign_in_refused', { code: fault.code, ...(keepAddresses() ? { address } : {}) })
    return fault
  }

  return {
    refused,
    begin(address, name, own = null) {
      try {
        return beginTry(address, name, own)
      } catch (error) {
        throw error instanceof Fault ? refused(error, { address }) : error
      }
    },
  }
}
