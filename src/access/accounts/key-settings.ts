// Settings of an ApiKey. Null means no limit, an empty list allows all. Stored as JSON in
// api_key.settings.

import type { Provide } from '../../base/provide.ts'
import type { ImportProfileName } from '../../codec/ipld/import-profile.ts'

export type KeySettings = {
  /** JSON-RPC calls must carry the secret. */
  readonly secretRequired: boolean
  /** JSON-RPC calls must carry a JWT that one of the key's public keys has signed. */
  readonly jwtRequired: boolean
  /** Accepted audiences of JWTs; empty: `infura.io` and the hosts of this server. */
  readonly jwtAudiences: readonly string[]
  /** Names of the networks the key may use; null = all. */
  readonly networks: readonly string[] | null
  /** JSON-RPC calls may change the embedded chain as development tools do: state, time, mining, snapshots. */
  readonly devMethods: boolean
  /** Enables the IPFS API for the key. */
  readonly files: boolean
  readonly unitsPerSecond: number | null
  readonly unitsPerDay: number | null
  readonly filesReadsPerSecond: number | null
  readonly filesWritesPerSecond: number | null
  /** Body bytes of IPFS API requests per calendar month (UTC). */
  readonly filesUploadBytesPerMonth: number | null
  /** Body bytes of answers there. */
  readonly filesDownloadBytesPerMonth: number | null
  /** Most bytes that the account may keep when this key adds more. */
  readonly filesStoredBytes: number | null
  /** One request body. */
  readonly filesBodyBytes: number | null
  /** Uploads of more than 128 KiB at a time; null = as the server is set. */
  readonly filesUploads: number | null
  /** Defaults of `add` where the request has no option; null = the server's default. */
  readonly importProfile: ImportProfileName | null
  /** The gateway serves only the account's pinned content to clients with this key. */
  readonly gatewayPinnedOnly: boolean
  /** Narrows the account's setting for pins that the key makes. */
  readonly provide: Provide
  /** Contracts: every account that a call is about must be one of them. `0x` and 40 hex digits. */
  readonly allowAddresses: readonly string[]
  /** JSON-RPC methods and paths of file commands. */
  readonly allowMethods: readonly string[]
  readonly allowOrigins: readonly string[]
  /** Parts of a User-Agent. */
  readonly allowUserAgents: readonly string[]
  /** Addresses and blocks of addresses. */
  readonly allowIps: readonly string[]
  /** The allowlists do not apply to requests that carry the secret. */
  readonly overrideWithSecret: boolean
  /** Stores the last requests in memory, visible to members of the account. */
  readonly inspect: boolean
  /** With params and results; else their sizes alone. */
  readonly inspectBodies: boolean
  /** With the address each came from. */
  readonly inspectAddresses: boolean
}

export const defaultKeySettings: KeySettings = {
  secretRequired: false,
  jwtRequired: false,
  jwtAudiences: [],
  networks: null,
  devMethods: false,
  files: true,
  unitsPerSecond: null,
  unitsPerDay: null,
  filesReadsPerSecond: null,
  filesWritesPerSecond: null,
  filesUploadBytesPerMonth: null,
  filesDownloadBytesPerMonth: null,
  filesStoredBytes: null,
  filesBodyBytes: null,
  filesUploads: null,
  importProfile: null,
  gatewayPinnedOnly: false,
  provide: 'all',
  allowAddresses: [],
  allowMethods: [],
  allowOrigins: [],
  allowUserAgents: [],
  allowIps: [],
  overrideWithSecret: false,
  inspect: false,
  inspectBodies: false,
  inspectAddresses: false,
}

/** Of an account as a whole. Stored as JSON in account.settings. */
export type AccountSettings = Pick<
  KeySettings,
  'filesUploadBytesPerMonth' | 'filesDownloadBytesPerMonth' | 'filesStoredBytes'
> & {
  /** Which of its pins are public and announced; set by its owners. The others are limits, null = none, set by the operator. */
  readonly provide: Provide
}

export const defaultAccountSettings: AccountSettings = {
  provide: 'none',
  filesUploadBytesPerMonth: null,
  filesDownloadBytesPerMonth: null,
  filesStoredBytes: null,
}
