// Tries to sign in, whatever with: held back before any work is done, and those that are refused are told to the log.
// Tested by src/access/people/sign-in.test.ts
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'

/** Where an attempt comes from; `agent`: what the browser calls itself; `device`: its device cookie, if it sent one. */
export type From = {
  readonly address: string
  readonly agent: string
  readonly device?: string | null
}

/**
 * Takes a try in advance; what it returns gives it back. Throws `over_rate`. `name`: what is tried, an email as it was
 * typed in lower case. `own`: a known device or session; its tries are counted apart from all others.
 */
export type BeginAttempt = (address: string, name: string, own?: string | null) => () => void

export type SignInAttempts = {
  /** Throws `over_rate`; returns what gives the try back. */
  begin(address: string, name: string, own?: string | null): () => void
  /** The same Fault, for who bans addresses by the log. Never the email: people type passwords there. */
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
