// Refusal of a change to accounts or keys. The command line and the admin API show its message; the JSON-RPC and IPFS
// APIs never send it.

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
