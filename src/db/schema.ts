// The tables of `cairn.db` as Kysely sees them. Content tables (content, body, staged_content) belong to
// content/sqlite-store.ts, those of the segments (block, staged) to content/segments/: both use prepared
// statements only.
import type { Generated } from 'kysely'

/** Times are milliseconds since 1970 UTC. Booleans are 0 or 1. Hashes and CIDs are BLOBs. */
export type Schema = {
  account: {
    id: string
    name: string
    created: number
    /** The IPFS API is enabled: `card_marked`, or a row of `card` with a payment method. */
    card: number
    /** The operator's mark that there is a card. */
    card_marked: Generated<number>
    /** JSON of AccountSettings (access/accounts/key-settings.ts). */
    settings: Generated<string>
  }
  api_key: {
    id: string
    account_id: string
    name: string
    /** First 8 characters of the key, to recognise it by. */
    prefix: string
    /** sha256 of the key, 32 bytes; unique. */
    key_hash: Uint8Array
    /** sha256 of the secret, 32 bytes. */
    secret_hash: Uint8Array
    created: number
    expires: number | null
    revoked: number | null
    last_used_day: string | null
    /** JSON of KeySettings (access/accounts/key-settings.ts). */
    settings: string
    /** Id of the key that this one replaces, or null. */
    rotated_from: string | null
    /** sha256 of the secret before the last rotation, and when it ends; both null when it was never rotated. */
    earlier_secret_hash: Uint8Array | null
    earlier_secret_expires: number | null
  }
  /** Public keys that the JWTs of an ApiKey are checked with; a successor of the key has the same, ids too. */
  public_key: {
    key_id: string
    /** What a JWT names as its `kid`. */
    id: string
    name: string
    algorithm: 'RS256' | 'ES256'
    /** DER of the SubjectPublicKeyInfo. */
    spki: Uint8Array
    created: number
  }
  /** What the biller keeps for an account, see tables/cards.ts. */
  card: {
    account_id: string
    customer: string | null
    generation: Generated<number>
    payment_method: string | null
    brand: string | null
    last4: string | null
    expiry_month: number | null
    expiry_year: number | null
    /** Seconds since 1970. */
    newest: Generated<number>
    as_of: Generated<number>
  }
  card_attempt: { account_id: string; attempt: string; created: number }
  card_notice: { id: string; received: number }
  pin: {
    account_id: string
    /** Full CID bytes: a v0 and a v1 CID of one block are two pins. */
    cid: Uint8Array
    mode: 'recursive' | 'direct'
    name: string
    created: number
  }
  usage: {
    /** A key's id, `@` and an account's id, or `*`: the same calls are in the rows of all three. */
    holder: string
    /** Minutes: 1, 60 or 1440. The same calls are in all three. */
    span: number
    /** Of the span, UTC, milliseconds since 1970. */
    start: number
    face: 'rpc' | 'files'
    network: string
    method: string
    /** `ok` or the Fault code. */
    outcome: string
    /** What of the key's settings refused, or empty. */
    reason: string
    /** HTTP status that the outcome has by itself. */
    status: number
    requests: number
    units: number
    bytes_in: number
    bytes_out: number
  }
  chain_block: { network: string; number: number; hash: Uint8Array }
  chain_transaction: { network: string; hash: Uint8Array; block_hash: Uint8Array; position: number }
  /** One row per network: the block that `latest` names. */
  chain_head: { network: string; number: number; hash: Uint8Array }
  /** What upstreams were caught in, by chain/upstream/pool/invalid-reply-log.ts; the newest thousand. */
  lie: {
    id: Generated<number>
    time: number
    network: string
    upstream: string
    method: string
    /** JSON texts, cut. */
    params: string
    response: string
    expected: string
    computed: string
    /** Hash of the block as hex, or null. */
    block: string | null
  }
  /** How upstreams stand, by chain/upstream/pool/status-rows.ts; only while a server runs. `status`: JSON. */
  upstream_status: { network: string; upstream: string; time: number; status: string }
  /** A person who signs in. `disabled`: since when, or null. */
  person: {
    id: string
    /** Lower case; unique. */
    email: string
    name: string
    /** PHC string. */
    password: string
    operator: Generated<number>
    created: number
    disabled: number | null
    /** Sealed secret of the authenticator; of one that is not confirmed yet. */
    totp: Uint8Array | null
    totp_new: Uint8Array | null
    /** Step of the last code that counted, RFC 6238. */
    totp_step: Generated<number>
  }
  membership: { account_id: string; person_id: string; role: 'owner' | 'member'; created: number }
  /** sha256 of a recovery code, which replaces a code once. */
  recovery_code: { person_id: string; code_hash: Uint8Array }
  passkey: {
    id: string
    person_id: string
    /** As the authenticator named it; unique. */
    credential_id: Uint8Array
    /** Host name that it was made for. */
    rp_id: string
    /** COSE key, RFC 9052 section 7. */
    public_key: Uint8Array
    sign_count: number
    transports: string
    name: string
    created: number
    last_used: number | null
  }
  session: {
    id: string
    person_id: string
    /** sha256 of the token in the cookie; unique. */
    token_hash: Uint8Array
    created: number
    last_seen: number
    expires: number
    agent: string
    address: string | null
  }
  invitation: {
    id: string
    token_hash: Uint8Array
    role: 'operator' | 'owner' | 'member'
    account_id: string | null
    /** Of an account that is made when the invitation is taken. */
    account_name: string | null
    email: string | null
    /** ID of the person who invited; null: the owner of the data folder. */
    invited_by: string | null
    created: number
    expires: number
    used: number | null
    /** 1: the first-run link. */
    first: Generated<number>
  }
  token: {
    id: string
    person_id: string
    token_hash: Uint8Array
    name: string
    prefix: string
    role: 'operator' | 'owner' | 'member'
    created: number
    expires: number | null
    revoked: number | null
    last_used_day: string | null
  }
  audit: {
    id: Generated<number>
    time: number
    actor: string
    actor_name: string
    account_id: string | null
    action: string
    target: string | null
    /** JSON, without secrets. */
    changes: string
  }
  /**
   * `accounts`: incremented by triggers at each change of account, api_key or public_key; `people`: at each change of
   * rights (db/people-tables.ts).
   */
  revision: { name: string; number: Generated<number> }
}
