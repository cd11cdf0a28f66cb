// Tries to sign in, whatever with: held back before any work is done, and those that are refused are told to the log.
// Tested by src/accounts/people/sign-in.test.ts
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'

/** Where an attempt comes from; `agent`: what the browser calls itself. */
export type From = { readonly address: string; readonly agent: string }

/**
 * Takes a try in advance; what it returns gives it back. Throws `over_rate`. `name`: what is tried, an email as it was
 * typed in lower case.
 */
export type BeginTry = (address: string, name: string) => () => void

export type SignInTries = {
  /** Throws `over_rate`; returns what gives the try back. */
  begin(address: string, name: string): () => void
  /** The same Fault, for who bans addresses by the log. Never the email: people type passwords there. */
  refused(fault: Fault, from: Pick<From, 'address'>): Fault
}

export function createSignInTries(parts: {
  readonly beginTry: BeginTry
  readonly log: Log
  readonly keepAddresses: () => boolean
}): SignInTries {
  const { beginTry, log, keepAddresses } = parts

  function refused(fault: Fault, { address }: Pick<From, 'address'>): Fault {
    log('warn', 'sign_in_refused', { code: fault.code, ...(keepAddresses() ? { address } : {}) })
    return fault
  }

  return {
    refused,
    begin(address, name) {
      try {
        return beginTry(address, name)
      } catch (error) {
        throw error instanceof Fault ? refused(error, { address }) : error
      }
    },
  }
}
