// Reasons to refuse a change to accounts or keys, with messages that the command line and the admin API show.
// Tested by src/access/accounts/accounts.test.ts
import { checkApiKey, checkApiSecret } from './api-key.ts'

export type RefusalReason =
  | 'bad_name'
  | 'name_taken'
  | 'no_account'
  | 'bad_key'
  | 'key_taken'
  | 'no_key'
  | 'bad_setting'
  | 'bad_public_key'
  | 'no_public_key'
  | 'bad_email'
  | 'email_taken'
  | 'bad_password'
  | 'wrong_password'
  | 'wrong_code'
  | 'bad_passkey'
  | 'challenge_over'
  | 'no_passkey'
  | 'passkey_taken'
  | 'no_person'
  | 'no_session'
  | 'no_token'
  | 'no_invitation'
  | 'no_member'
  | 'bad_role'
  | 'last_owner'
  | 'last_operator'
  | 'link_over'
  | 'bad_identity'
  | 'identity_taken'
  | 'no_identity'
  | 'too_many'

export class AccountsRefusal extends Error {
  override readonly name = 'AccountsRefusal'
  readonly reason: RefusalReason
  /** The invalid member of the input, e.g. `settings.allowIps`; null if the reason names it or none applies. */
  readonly field: string | null

  constructor(
    reason: RefusalReason,
    message: string,
    options: { readonly cause?: unknown; readonly field?: string } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.field = options.field ?? null
  }
}

const accountName = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
const keyNameMax = 64

/** Throws AccountsRefusal `bad_name`. */
export function checkAccountName(name: string): void {
  if (accountName.test(name)) return
  throw new AccountsRefusal(
    'bad_name',
    `an account name has 1 to 64 of the characters A-Z a-z 0-9 . _ @ - and starts with a letter or digit, not ${quote(name)}`,
  )
}

/** Throws AccountsRefusal `bad_name`. */
export function checkKeyName(name: string): void {
  if (name.length <= keyNameMax && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return
  throw new AccountsRefusal(
    'bad_name',
    `a key name has at most ${keyNameMax} characters on one line`,
  )
}

/** Throws AccountsRefusal `bad_key`. Messages never contain the input: it may be a secret in the wrong place. */
export function checkNewKey(key: string, secret: string): void {
  if (!checkApiKey(key)) {
    throw new AccountsRefusal(
      'bad_key',
      'a key has 8 to 128 of the characters A-Z a-z 0-9 _ -, and one of Cairn its right checksum',
      { field: 'imported.apiKey' },
    )
  }
  if (!checkApiSecret(secret)) {
    throw new AccountsRefusal(
      'bad_key',
      'a secret has 8 to 128 of the characters A-Z a-z 0-9 _ -, and one of Cairn its right checksum',
      { field: 'imported.apiKeySecret' },
    )
  }
}

/** `now`: milliseconds since 1970. */
export function whyNoRotation(
  key: { readonly id: string; readonly revoked: number | null; readonly expires: number | null },
  now: number,
): string {
  const { id, revoked, expires } = key
  const named = `the key with the id ${quote(id)}`
  if (revoked !== null) return `${named} is revoked: make another with keys create`
  if (expires !== null && expires <= now) {
    return `${named} has expired: make another with keys create`
  }
  return `${named} has a successor already: rotate that one`
}

/** Truncates a value to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
