// Settings of an ApiKey. Null means no limit, an empty list allows all. Stored as JSON in api_key.settings.

import type { Provide } from '../../base/provide.ts'
import type { ImportProfileName } from '../../codec/ipld/import-profile.ts'

export type KeySettings = {
  /** JSON-RPC calls must carry the secret. */
  readonly secretRequired: boolean
  /** JSON-RPC calls must carry a JWT that one of the key's public keys has signed. */
  readonly jwtRequired: boolean
  /** Accepted audiences of JWTs; empty: `infura.io` and the hosts of this server. */
  readonly jwtAudiences: readonly string[]
  /** Names of the networks that the key may use; null = all. */
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
  /** Body bytes of IPFS API replies per calendar month (UTC). */
  readonly filesDownloadBytesPerMonth: number | null
  /** Maximum bytes that the account may store when this key adds more. */
  readonly filesStoredBytes: number | null
  /** Maximum size of one request body. */
  readonly filesBodyBytes: number | null
  /** Maximum concurrent uploads of more than 128 KiB; null = the server's default. */
  readonly filesUploads: number | null
  /** Defaults of `add` for options that the request omits; null = the server's default. */
  readonly importProfile: ImportProfileName | null
  /** The gateway serves only the account's pinned content to clients with this key. */
  readonly gatewayPinnedOnly: boolean
  /** Restricts the account's setting for pins that the key creates. */
  readonly provide: Provide
  /** Contracts: a call may concern only these accounts. `0x` and 40 hex digits. */
  readonly allowAddresses: readonly string[]
  /** JSON-RPC methods and paths of IPFS commands. */
  readonly allowMethods: readonly string[]
  readonly allowOrigins: readonly string[]
  /** Parts of a User-Agent. */
  readonly allowUserAgents: readonly string[]
  /** IP addresses and CIDR ranges. */
  readonly allowIps: readonly string[]
  /** The allowlists do not apply to requests that carry the secret. */
  readonly overrideWithSecret: boolean
  /** Records the last requests in memory, visible to members of the account. */
  readonly inspect: boolean
  /** Records params and results; else only their sizes. */
  readonly inspectBodies: boolean
  /** Records the client address of each request. */
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

/** Settings of a whole account. Stored as JSON in account.settings. */
export type AccountSettings = Pick<
  KeySettings,
  'filesUploadBytesPerMonth' | 'filesDownloadBytesPerMonth' | 'filesStoredBytes'
> & {
  /** Which pins are public and announced; set by owners. The other settings are limits, null = none, set by the operator. */
  readonly provide: Provide
}

export const defaultAccountSettings: AccountSettings = {
  provide: 'none',
  filesUploadBytesPerMonth: null,
  filesDownloadBytesPerMonth: null,
  filesStoredBytes: null,
}
