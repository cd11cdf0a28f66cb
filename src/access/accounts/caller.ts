// An authenticated caller: the account, the key, and the permissions of the key.
import type { Allowlists } from './allowlists.ts'
import type { AccountSettings, KeySettings } from './key-settings.ts'

export type Caller = {
  readonly accountId: string
  readonly accountName: string
  /** ID of the ApiKey row; never the key itself. */
  readonly keyId: string
  readonly hasCard: boolean
  readonly settings: KeySettings
  /** Limits that all keys of the account share. */
  readonly quotas: AccountSettings
  /** The request carried the correct secret. */
  readonly withSecret: boolean
  /** The request carried a valid JWT; `bringsLists`: the token's allowlists replace those of the key. */
  readonly jwt?: { readonly bringsLists: boolean }
  /** The allowlists that apply to this caller; null: none, or the secret or a JWT overrides them. */
  readonly allowlists: Allowlists | null
}
