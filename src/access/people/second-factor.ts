// Authenticator app of a person. Enrolled in two steps, which prevents a lockout. Each code and each recovery code
// is accepted once, also under concurrent requests.
import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import { NothingChanged } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { hashCredential } from '../accounts/api-key.ts'
import { endPasskeys } from './passkeys.ts'
import { endCredentials } from './people.ts'
import { noPerson } from './person.ts'
import type { SecretEncryption } from './secret-encryption.ts'
import { createTotpSecret, findTotpStep, toBase32, totpAddress } from './totp.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Durable on return. Throws AccountsRefusal: `no_person`, `wrong_code`. */
export type SecondFactor = {
  /** Creates a secret, unused until `confirm`; an earlier one stays valid until then. Returned only by this call. */
  enrol(
    personId: string,
    issuer: string,
  ): Promise<{ readonly address: string; readonly secret: string }>
  /**
   * With a code of the new secret. Returns ten recovery codes, shown now and never again; all sessions but
   * `keepSession` are ended.
   */
  confirm(personId: string, code: string, keepSession: string | null): Promise<readonly string[]>
  /** Takes the authenticator and its recovery codes away. */
  remove(personId: string, keepSession: string | null): Promise<void>
  /** For a person who lost their credentials: also removes passkeys and ends all sessions. */
  reset(personId: string): Promise<void>
  /** Uses up a code of the authenticator or a recovery code. False: it is wrong, or counted already. */
  use(personId: string, code: string): Promise<boolean>
  /** Recovery codes that are left. */
  codesLeft(personId: string): number
}

const recoveryCodes = 10
const recoveryLetters = '23456789abcdefghjkmnpqrstuvwxyz'
const recoveryLength = 12

export function createSecondFactor(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly seal: SecretEncryption
}): SecondFactor {
  const { db, writer, clock, seal } = parts

  function getRow(personId: string) {
    const sql = 'SELECT email, totp, totp_new, totp_step FROM person WHERE id = ?'
    const row = db.get<{
      email: string
      totp: Uint8Array | null
      totp_new: Uint8Array | null
      totp_step: number
    }>(sql, [personId])
    if (row === null) throw noPerson()
    return row
  }

  async function changes(statement: Statement): Promise<boolean> {
    try {
      await writer.write([{ ...statement, require: 'change' }])
      return true
    } catch (error) {
      if (error instanceof NothingChanged) return false
      throw error
    }
  }

  return {
    async enrol(personId, issuer) {
      const { email } = getRow(personId)
      const secret = createTotpSecret()
      const sql = 'UPDATE person SET totp_new = ? WHERE id = ?'
      const parameters = [seal.close(secret, personId), personId]
      await conditionalWrite(writer, [{ sql, parameters, require: 'change' }], noPerson)
      return { address: totpAddress({ secret, issuer, label: email }), secret: toBase32(secret) }
    },

    async confirm(personId, code, keepSession) {
      const { totp_new: sealed } = getRow(personId)
      const secret = sealed === null ? null : seal.open(sealed, personId)
      const step = secret === null ? null : findTotpStep(secret, tidied(code), clock.now())
      if (sealed === null || step === null) throw wrongCode()
      const codes = Array.from({ length: recoveryCodes }, createRecoveryCode)
      const statements: readonly Statement[] = [
        {
          sql: `UPDATE person SET totp = totp_new, totp_new = NULL, totp_step = ?
            WHERE id = ? AND totp_new = ?`,
          parameters: [step, personId, sealed],
          require: 'change',
        },
        { sql: 'DELETE FROM recovery_code WHERE person_id = ?', parameters: [personId] },
        {
          sql: 'INSERT INTO recovery_code (person_id, code_hash) VALUES (?, ?)',
          parameters: [personId],
          rows: codes.map((one) => [hashCredential(tidied(one))]),
        },
        ...endCredentials(personId, keepSession),
      ]
      await conditionalWrite(writer, statements, wrongCode)
      return codes
    },

    async remove(personId, keepSession) {
      getRow(personId)
      await writer.write([...endTotp(personId), ...endCredentials(personId, keepSession)])
    },

    async reset(personId) {
      getRow(personId)
      await writer.write([...endTotp(personId), endPasskeys(personId), ...endCredentials(personId)])
    },

    async use(personId, code) {
      const { totp } = getRow(personId)
      const text = tidied(code)
      if (text.length === recoveryLength) {
        const sql = 'DELETE FROM recovery_code WHERE person_id = ? AND code_hash = ?'
        return await changes({ sql, parameters: [personId, hashCredential(text)] })
      }
      const secret = totp === null ? null : seal.open(totp, personId)
      const step = secret === null ? null : findTotpStep(secret, text, clock.now())
      if (step === null) return false
      // RFC 6238 5.2: a code is taken once. So is every one before it.
      const sql = 'UPDATE person SET totp_step = ?1 WHERE id = ?2 AND totp_step < ?1'
      return await changes({ sql, parameters: [step, personId] })
    },

    codesLeft: (personId) =>
      db.getValue<number>('SELECT count(*) FROM recovery_code WHERE person_id = ?', [personId]) ??
      0,
  }
}

function endTotp(personId: string): readonly Statement[] {
  const sql = 'UPDATE person SET totp = NULL, totp_new = NULL WHERE id = ?'
  return [
    { sql, parameters: [personId] },
    { sql: 'DELETE FROM recovery_code WHERE person_id = ?', parameters: [personId] },
  ]
}

/** As people type them: with spaces, dashes and capitals. */
function tidied(code: string): string {
  return code.slice(0, 64).replaceAll(/[\s-]/g, '').toLowerCase()
}

/** 59 random bits, without letters that look like others. */
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
