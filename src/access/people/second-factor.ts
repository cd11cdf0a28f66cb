// Authenticator app of a person. Enrolled in two steps, which prevents a lockout. Each code and each recovery code is accepted
// once, also under concurrent requests.
import { Secret, TOTP } from 'otpauth'
import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { deletePasskeys } from '../../tables/passkeys.ts'
import {
  type AuthenticatorRow,
  clearAuthenticator,
  confirmAuthenticator,
  findAuthenticator,
  setNewAuthenticator,
  useAuthenticatorStep,
} from '../../tables/people.ts'
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
  insertRecoveryCodes,
  useRecoveryCode,
} from '../../tables/recovery-codes.ts'
import { endCredentials } from '../../tables/sessions.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { hashCredential } from '../accounts/api-key.ts'
import { noPerson } from './person.ts'
import type { SecretEncryption } from './secret-encryption.ts'
import { conditionalWrite } from './conditional-write.ts'

const period = 30
const window = 1
const secretBytes = 20

/** 20 random bytes, as RFC 4226 section 4 recommends. */
function createTotpSecret(): Uint8Array {
  return new Uint8Array(new Secret({ size: secretBytes }).bytes)
}

/** The secret as text for manual input: base32 (RFC 4648). */
function toBase32(secret: Uint8Array): string {
  return secretOf(secret).base32
}

/** The `otpauth://` URI for a QR code. `issuer`: this server's name; `label`: the person's email. */
function totpAddress(order: {
  readonly secret: Uint8Array
  readonly issuer: string
  readonly label: string
}): string {
  const { secret, issuer, label } = order
  return new TOTP({ secret: secretOf(secret), issuer, label, period }).toString()
}

/** The step (30 seconds since 1970) of this code; null: no step near `now`, in milliseconds, has it. */
export function findTotpStep(secret: Uint8Array, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const totp = { secret: secretOf(secret), token: code, period, window, timestamp: now }
  const delta = TOTP.validate(totp)
  return delta === null ? null : Math.floor(now / 1000 / period) + delta
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer })
}

/** Durable on return. Throws AccountsRefusal: `no_person`, `wrong_code`. */
export type SecondFactor = {
  /** Creates a secret, unused until `confirm`; an earlier one stays valid until then. Returned only by this call. */
  enrol(
    personId: string,
    issuer: string,
  ): Promise<{ readonly address: string; readonly secret: string }>
  /**
   * Takes a code of the new secret. Returns ten recovery codes, shown only now, and ends all sessions except `keepSession`.
   */
  confirm(personId: string, code: string, keepSession: string | null): Promise<readonly string[]>
  /** Removes the authenticator and its recovery codes. */
  remove(personId: string, keepSession: string | null): Promise<void>
  /** For a person who lost their credentials: also removes passkeys and ends all sessions. */
  reset(personId: string): Promise<void>
  /** Consumes a code of the authenticator or a recovery code. False: wrong, or already used. */
  use(personId: string, code: string): Promise<boolean>
  /** Remaining recovery codes. */
  codesLeft(personId: string): Promise<number>
}

const recoveryCodes = 10
const recoveryLetters = '23456789abcdefghjkmnpqrstuvwxyz'
const recoveryLength = 12

export function createSecondFactor(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly seal: SecretEncryption
}): SecondFactor {
  const { rows, clock, seal } = parts

  async function getRow(personId: string): Promise<AuthenticatorRow> {
    const row = await rows.first(findAuthenticator(personId))
    if (row === null) throw noPerson()
    return row
  }

  async function changes(statement: Statement): Promise<boolean> {
    try {
      await rows.write([statement])
      return true
    } catch (error) {
      if (error instanceof NothingChanged) return false
      throw error
    }
  }

  return {
    async enrol(personId, issuer) {
      const { email } = await getRow(personId)
      const secret = createTotpSecret()
      const sealed = seal.close(secret, personId)
      await conditionalWrite(rows, [setNewAuthenticator(personId, sealed)], noPerson)
      return { address: totpAddress({ secret, issuer, label: email }), secret: toBase32(secret) }
    },

    async confirm(personId, code, keepSession) {
      const { totp_new: sealed } = await getRow(personId)
      const secret = sealed === null ? null : seal.open(sealed, personId)
      const step = secret === null ? null : findTotpStep(secret, tidied(code), clock.now())
      if (sealed === null || step === null) throw wrongCode()
      const codes = Array.from({ length: recoveryCodes }, createRecoveryCode)
      const hashes = codes.map((one) => hashCredential(tidied(one)))
      const statements: readonly Statement[] = [
        confirmAuthenticator(personId, sealed, step),
        deleteRecoveryCodes(personId),
        insertRecoveryCodes(personId, hashes),
        ...endCredentials(personId, keepSession),
      ]
      await conditionalWrite(rows, statements, wrongCode)
      return codes
    },

    async remove(personId, keepSession) {
      await getRow(personId)
      await rows.write([...endTotp(personId), ...endCredentials(personId, keepSession)])
    },

    async reset(personId) {
      await getRow(personId)
      await rows.write([
        ...endTotp(personId),
        deletePasskeys(personId),
        ...endCredentials(personId),
      ])
    },

    async use(personId, code) {
      const { totp } = await getRow(personId)
      const text = tidied(code)
      if (text.length === recoveryLength) {
        return await changes(useRecoveryCode(personId, hashCredential(text)))
      }
      const secret = totp === null ? null : seal.open(totp, personId)
      const step = secret === null ? null : findTotpStep(secret, text, clock.now())
      if (totp === null || step === null) return false
      return await changes(useAuthenticatorStep(personId, totp, step))
    },

    async codesLeft(personId) {
      return (await rows.first(countRecoveryCodes(personId)))?.count ?? 0
    },
  }
}

function endTotp(personId: string): readonly Statement[] {
  return [clearAuthenticator(personId), deleteRecoveryCodes(personId)]
}

/** Normalises typed codes: spaces, dashes and capitals. */
function tidied(code: string): string {
  return code.slice(0, 64).replaceAll(/[\s-]/g, '').toLowerCase()
}

/** 59 random bits, without letters that look alike. */
function createRecoveryCode(): string {
  const letters = Array.from({ length: recoveryLength }, () =>
    recoveryLetters.charAt(randomInt(recoveryLetters.length)),
  ).join('')
  return letters.replaceAll(/(.{4})(?=.)/g, '$1-')
}

function wrongCode(): AccountsRefusal {
  return new AccountsRefusal(
    'wrong_code',
    'this code is not one of now: enter the one that the authenticator shows',
  )
}
