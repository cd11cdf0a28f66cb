// An authenticated caller: the account, the key, and the permissions of the key.
import type { Allowlists } from './allowlists.ts'
import type { AccountSettings, KeySettings } from './key-settings.ts'

export type Caller = {
  readonly accountId: string
  readonly accountName: string
  /** Id of the ApiKey row; never the key itself. */
  readonly keyId: string
  readonly hasCard: boolean
  readonly settings: KeySettings
  /** Limits of all keys of the account together. */
  readonly quotas: AccountSettings
  /** The secret was sent and right. */
  readonly withSecret: boolean
  /** A JWT was sent and right; `bringsLists`: its own lists hold in place of the key's. */
  readonly jwt?: { readonly bringsLists: boolean }
  /** The lists that hold for this caller; null: there are none, or the secret or a JWT overrides them. */
  readonly allowlists: Allowlists | null
}
