// Sign-in by password. An unknown email, a wrong password and a disabled person get the same reply after the same work. Failures
// are rate-limited by address and by person before any work is done.
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import type { Rows } from '../../db/rows.ts'
import { findPassword, findPasswordByEmail } from '../../tables/people.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import type { KnownDevices } from './known-devices.ts'
import type { Passwords } from './passwords.ts'
import { noPerson } from './person.ts'
import type { SecondFactor } from './second-factor.ts'
import type { Session, Sessions } from './sessions.ts'

/** Origin of an attempt; `agent`: the browser's User-Agent; `device`: its device cookie, if it sent one. */
export type From = {
  readonly address: string
  readonly agent: string
  readonly device?: string | null
}

/**
 * Charges an attempt in advance; the returned function refunds it. Throws `over_rate`, or rejects with it if several nodes count.
 * `name`: the typed email in lower case. `trustedClient`: a known device or session; its attempts are counted separately.
 */
export type BeginAttempt = (
  address: string,
  name: string,
  trustedClient?: string | null,
) => (() => void) | Promise<() => void>

/** `address`: client address; null: addresses are not recorded. Must not throw. */
export type OnSignInRefused = (fault: Fault, address: string | null) => void

export type SignInAttempts = {
  /** Rejects with `over_rate`; resolves with the function that refunds the attempt. */
  begin(address: string, name: string, trustedClient?: string | null): Promise<() => void>
  /** Logs the Fault, for bans by address, and returns it. Never logs the email: people type passwords there. */
  refused(fault: Fault, from: Pick<From, 'address'>): Fault
}

export function createSignInAttempts(parts: {
  readonly beginTry: BeginAttempt
  readonly log: Log
  readonly keepAddresses: () => boolean
  readonly onRefused?: OnSignInRefused
}): SignInAttempts {
  const { beginTry, log, keepAddresses, onRefused } = parts

  function refused(fault: Fault, { address }: Pick<From, 'address'>): Fault {
    const recorded = keepAddresses()
    log('warn', 'sign_in_refused', { code: fault.code, ...(recorded ? { address } : {}) })
    onRefused?.(fault, recorded ? address : null)
    return fault
  }

  return {
    refused,
    async begin(address, name, trustedClient = null) {
      try {
        return await beginTry(address, name, trustedClient)
      } catch (error) {
        throw error instanceof Fault ? refused(error, { address }) : error
      }
    },
  }
}

export type SignIn = {
  /**
   * Opens a new session and ignores any earlier token. Throws `bad_sign_in`; `needs_code` if the password is right but a code of
   * the authenticator or a recovery code is missing; `not_allowed` if password sign-in is off; `over_rate`; `overloaded`.
   */
  signIn(
    order: { readonly email: string; readonly password: string; readonly code?: string },
    from: From,
  ): Promise<{ readonly personId: string; readonly token: string; readonly session: Session }>
  /** Opens a session for a person whom a link authenticated. */
  enter(
    personId: string,
    from: From,
  ): Promise<{ readonly token: string; readonly session: Session }>
  /**
   * Checks the password of the session's person, before a sensitive change. Attempts are counted by session, so failed sign-ins
   * elsewhere do not lock it out. Throws AccountsRefusal `wrong_password`; `over_rate`; `overloaded`.
   */
  confirm(
    person: { readonly id: string; readonly session: string },
    password: string,
    address: string,
  ): Promise<void>
  /** Consumes a code of the authenticator, or a recovery code, in this session. Throws `bad_sign_in`; `over_rate`. */
  showCode(
    person: { readonly id: string; readonly email: string; readonly session: string },
    code: string,
    from: Pick<From, 'address'>,
  ): Promise<void>
}

const emailMax = 254
/** How long a network has priority after a successful sign-in. */
const recentMs = 7 * 86_400_000
const recentMax = 10_000

export function createSignIn(parts: {
  readonly rows: Rows
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly secondFactor: SecondFactor
  readonly tries: SignInAttempts
  readonly devices: KnownDevices
  readonly clock: Clock
  /** Current setting: whether password sign-in is on. */
  readonly isOpen: () => boolean
}): SignIn {
  const { rows, passwords, sessions, secondFactor, tries, devices, clock, isOpen } = parts
  // Time of the last successful sign-in from each network.
  const recent = new Map<string, number>()

  function isRecent(network: string): boolean {
    const at = recent.get(network)
    return at !== undefined && clock.monotonic() - at < recentMs
  }

  return {
    async signIn({ email, password, code = '' }, from) {
      if (!isOpen()) throw passwordsClosed()
      const name = email.trim().toLowerCase().slice(0, emailMax)
      const row = await rows.first(findPasswordByEmail(name))
      const device = devices.idOf(from.device ?? null, row?.id ?? null)
      const network = networkOf(from.address)
      const refund = await tries.begin(
        from.address,
        name,
        device === null ? null : `device ${device}`,
      )
      const caller =
        device === null
          ? { caller: network, hasPriority: isRecent(network) }
          : { caller: `device ${device}`, hasPriority: true }
      const matches = await refundIfThrown(refund, () =>
        passwords.matches(password, row?.password ?? null, caller),
      )
      if (row === null || row.password === null || !matches || row.disabled !== null) {
        throw tries.refused(new Fault('bad_sign_in'), from)
      }
      if (row.has_totp === 1) {
        if (code === '') {
          refund()
          throw new Fault('needs_code')
        }
        if (!(await secondFactor.use(row.id, code))) {
          throw tries.refused(wrongCode(), from)
        }
      }
      refund()
      // No session is opened if the password has changed in the meantime, or an authenticator requires a code now.
      const checked = { password: row.password, hasCode: row.has_totp === 1 }
      const opened = await sessions.open(row.id, from, checked, checked.hasCode)
      if (opened === null) throw new Fault('bad_sign_in')
      setNewest(recent, network, clock.monotonic(), recentMax)
      return { personId: row.id, ...opened }
    },

    async enter(personId, from) {
      const opened = await sessions.open(personId, from, null)
      if (opened === null) throw noPerson()
      return opened
    },

    async confirm({ id: personId, session }, password, address) {
      if (!isOpen()) throw passwordsClosed()
      const row = await rows.first(findPassword(personId))
      if (row === null) throw noPerson()
      const trustedClient = `session ${session}`
      const refund = await tries.begin(address, row.email, trustedClient)
      const matches = await refundIfThrown(refund, () =>
        passwords.matches(password, row.password, { caller: trustedClient, hasPriority: true }),
      )
      if (!matches) throw new AccountsRefusal('wrong_password', 'this is not your password')
      refund()
    },

    async showCode({ id, email, session }, code, from) {
      const refund = await tries.begin(from.address, email, `session ${session}`)
      const isAccepted = await refundIfThrown(refund, () => secondFactor.use(id, code))
      if (!isAccepted) throw tries.refused(wrongCode(), from)
      refund()
    },
  }
}

function wrongCode(): Fault {
  return new Fault('bad_sign_in', { detail: 'this code is wrong, or was used already' })
}

/** The fault if `signIn.password` is false. */
export function passwordsClosed(): Fault {
  return new Fault('not_allowed', {
    detail: 'passwords are not accepted here: use OpenID or a passkey (setting signIn.password)',
    data: { setting: 'signIn.password' },
  })
}

/** Refunds the attempt if the server could not check the password. */
async function refundIfThrown<T>(refund: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    refund()
    throw error
  }
}
