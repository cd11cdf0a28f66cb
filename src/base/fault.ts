// The error class and the table of all errors that clients receive. Any other exception is a bug, and a client receives only
// `internal`.
// long: one row for each error.

type Retry = 'later' | 'tomorrow' | 'never'

/**
 * Wire form of a fault per API. `{name}` in a message is filled from the fault's `data`.
 * `status`: HTTP status of the JSON-RPC API, and of the IPFS API unless `files` overrides it.
 * `paths`: HTTP status of the gateway (`/ipfs/<cid>`), if it differs from that of the IPFS API.
 * `rpc`: JSON-RPC error code. `kubo`: `Code` of the IPFS API's JSON error body.
 * `bare`: the JSON-RPC error has no `data` (equal to a node's error, byte for byte).
 */
export type FaultRow = {
  readonly status: number
  readonly rpc: number
  readonly kubo: 0 | 1 | 2 | 3 | 4
  readonly retry: Retry
  readonly message: string
  readonly bare?: true
  readonly files?: { readonly status?: number; readonly message?: string; readonly text?: true }
  readonly paths?: number
}

/** Codes are never reused. docs/reference/errors.md is generated from this table. */
export const faults = {
  bad_json: {
    status: 400,
    rpc: -32700,
    kubo: 1,
    retry: 'never',
    message: 'parse error',
    bare: true,
  },
  bad_envelope: {
    status: 200,
    rpc: -32600,
    kubo: 1,
    retry: 'never',
    message: 'invalid request',
    bare: true,
  },
  wrong_http: {
    status: 405,
    rpc: -32600,
    kubo: 1,
    retry: 'never',
    message: 'method not allowed',
    bare: true,
  },
  wrong_media: {
    status: 415,
    rpc: -32600,
    kubo: 1,
    retry: 'never',
    message: 'invalid content type, only application/json is supported',
    bare: true,
  },
  too_large: {
    status: 413,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'content length too large',
    bare: true,
    files: { message: 'payload too large' },
  },
  no_credential: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'project id required in the url',
    files: { message: 'project id required' },
  },
  bad_key: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'invalid project id',
    files: { message: 'invalid project id or project secret' },
  },
  bad_secret: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'invalid project id or project secret',
  },
  bad_token: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'invalid JWT',
  },
  no_card: {
    status: 402,
    rpc: 402,
    kubo: 0,
    retry: 'never',
    message: 'billing card required: add a card to the account to use the file network',
  },
  refused_by_setting: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'rejected due to project ID settings',
  },
  browser_refused: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: '403 - Forbidden',
    files: { text: true },
  },
  no_network: {
    status: 404,
    rpc: -32002,
    kubo: 0,
    retry: 'never',
    message: 'network is not served',
  },
  no_command: {
    status: 404,
    rpc: -32601,
    kubo: 0,
    retry: 'never',
    message: '404 page not found',
    files: { text: true },
  },
  command_not_offered: {
    status: 403,
    rpc: -32601,
    kubo: 0,
    retry: 'never',
    message: 'ipfs method not supported',
    files: { text: true },
  },
  over_rate: {
    status: 429,
    rpc: -32005,
    kubo: 3,
    retry: 'later',
    message: 'project ID request rate exceeded',
  },
  over_quota: {
    status: 402,
    rpc: 402,
    kubo: 4,
    retry: 'tomorrow',
    message: 'daily request count exceeded, request rate limited',
    files: { status: 403, message: 'not allowed - transfer quota reached' },
  },
  over_burst: {
    status: 200,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'request needs more units than the limit',
  },
  over_range: {
    status: 200,
    rpc: -32005,
    kubo: 1,
    retry: 'never',
    message: 'query returned more results than the limit',
    bare: true,
  },
  no_filter: {
    status: 200,
    rpc: -32000,
    kubo: 1,
    retry: 'never',
    message: 'filter not found',
    bare: true,
  },
  over_filters: {
    status: 200,
    rpc: -32000,
    kubo: 1,
    retry: 'never',
    message: 'too many filters',
  },
  over_slots: {
    status: 200,
    rpc: -38026,
    kubo: 1,
    retry: 'never',
    message: 'too many slots',
    bare: true,
  },
  no_subscription: {
    status: 200,
    rpc: -32601,
    kubo: 1,
    retry: 'never',
    message: 'notifications not supported',
    bare: true,
  },
  method_not_offered: {
    status: 200,
    rpc: -32004,
    kubo: 1,
    retry: 'never',
    message: 'method is not offered by this server',
  },
  no_method: {
    status: 200,
    rpc: -32601,
    kubo: 0,
    retry: 'never',
    message: 'The method does not exist/is not available',
    bare: true,
  },
  bad_params: {
    status: 200,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'invalid params',
    bare: true,
    files: { status: 400 },
  },
  unsupported_option: {
    status: 200,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'option is not supported by this server',
    files: { status: 400 },
  },
  bad_argument: {
    status: 200,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'invalid argument',
    files: { status: 400, text: true },
  },
  command_failed: { status: 500, rpc: -32000, kubo: 0, retry: 'never', message: 'command failed' },
  not_found: {
    status: 500,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'not found',
    paths: 404,
  },
  denied: {
    status: 410,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: "blocked by this server's deny list",
  },
  denied_legally: {
    status: 451,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'unavailable for legal reasons',
  },
  not_cached: {
    status: 412,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'content is not stored on this server, and the request has only-if-cached',
  },
  not_acceptable: {
    status: 406,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'content is not available in the requested format',
  },
  bad_range: {
    status: 416,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'range is outside the content',
  },
  not_implemented: {
    status: 501,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'reading a single value inside a block is not supported',
  },
  unknown_block: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'header not found',
    bare: true,
  },
  not_canonical: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'hash is not currently canonical',
    bare: true,
  },
  no_tag: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'block not found',
    bare: true,
  },
  no_state: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'missing trie node',
    bare: true,
  },
  pruned: {
    status: 200,
    rpc: 4444,
    kubo: 0,
    retry: 'never',
    message: 'pruned history unavailable',
    bare: true,
  },
  reverted: { status: 200, rpc: 3, kubo: 0, retry: 'never', message: 'execution reverted' },
  not_in_block: {
    status: 200,
    rpc: 4,
    kubo: 0,
    retry: 'never',
    message: "The transaction was added to the transaction pool but wasn't processed in time",
  },
  execution_failed: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'execution failed',
    bare: true,
  },
  pool_refused: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'transaction refused',
    bare: true,
  },
  nonce_too_low: {
    status: 200,
    rpc: -38010,
    kubo: 0,
    retry: 'never',
    message: 'nonce too low',
    bare: true,
  },
  nonce_too_high: {
    status: 200,
    rpc: -38011,
    kubo: 0,
    retry: 'never',
    message: 'nonce too high',
    bare: true,
  },
  fee_too_low: {
    status: 200,
    rpc: -38012,
    kubo: 0,
    retry: 'never',
    message: 'max fee per gas less than block base fee',
    bare: true,
  },
  gas_too_low: {
    status: 200,
    rpc: -38013,
    kubo: 0,
    retry: 'never',
    message: 'intrinsic gas too low',
    bare: true,
  },
  no_funds: {
    status: 200,
    rpc: -38014,
    kubo: 0,
    retry: 'never',
    message: 'insufficient funds for gas * price + value',
    bare: true,
  },
  block_gas_spent: {
    status: 200,
    rpc: -38015,
    kubo: 0,
    retry: 'never',
    message: 'block gas limit reached',
    bare: true,
  },
  block_order: {
    status: 200,
    rpc: -38020,
    kubo: 0,
    retry: 'never',
    message: 'block numbers must be in order',
    bare: true,
  },
  time_order: {
    status: 200,
    rpc: -38021,
    kubo: 0,
    retry: 'never',
    message: 'block timestamps must be in order',
    bare: true,
  },
  init_code_too_large: {
    status: 200,
    rpc: -38025,
    kubo: 0,
    retry: 'never',
    message: 'max initcode size exceeded',
    bare: true,
  },
  over_blocks: {
    status: 200,
    rpc: -38026,
    kubo: 0,
    retry: 'never',
    message: 'too many blocks',
    bare: true,
  },
  not_simulated: {
    status: 200,
    rpc: -32603,
    kubo: 0,
    retry: 'never',
    message: 'the call cannot be simulated',
    bare: true,
  },
  unprovable: {
    status: 200,
    rpc: -32002,
    kubo: 0,
    retry: 'never',
    message: 'state cannot be proved',
  },
  unverified: {
    status: 502,
    rpc: -32002,
    kubo: 0,
    retry: 'later',
    message: 'no source could prove the answer',
  },
  upstream_said: {
    status: 200,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'error of an upstream node',
    bare: true,
  },
  no_upstream: {
    status: 503,
    rpc: -32603,
    kubo: 0,
    retry: 'later',
    message: 'no source reachable',
  },
  deadline: {
    status: 504,
    rpc: -32002,
    kubo: 0,
    retry: 'later',
    message: 'request timed out',
    files: { status: 500, message: 'context deadline exceeded' },
    paths: 504,
  },
  hung_up: {
    status: 499,
    rpc: -32002,
    kubo: 0,
    retry: 'never',
    message: 'client closed the connection',
  },
  body_deadline: {
    status: 408,
    rpc: -32002,
    kubo: 0,
    retry: 'later',
    message: 'request body timed out',
  },
  response_too_large: {
    status: 200,
    rpc: -32003,
    kubo: 0,
    retry: 'never',
    message: 'response too large',
    bare: true,
  },
  overloaded: { status: 503, rpc: -32603, kubo: 0, retry: 'later', message: 'overloaded' },
  shutting_down: { status: 503, rpc: -32603, kubo: 0, retry: 'later', message: 'shutting down' },
  no_space: {
    status: 507,
    rpc: -32603,
    kubo: 0,
    retry: 'never',
    message: 'no space left on this server',
  },
  bad_input: {
    status: 400,
    rpc: -32602,
    kubo: 1,
    retry: 'never',
    message: 'bad input',
  },
  signed_out: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'sign-in required',
  },
  bad_sign_in: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'wrong email or password',
  },
  needs_code: {
    status: 401,
    rpc: -32600,
    kubo: 0,
    retry: 'never',
    message: 'authenticator code required',
  },
  needs_confirmation: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'confirmation with password, passkey or OpenID required',
  },
  needs_second_factor: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'second factor required: show or set up an authenticator or a passkey',
  },
  not_allowed: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'requires the role {role}',
  },
  foreign_origin: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: "requests with a session must come from the dashboard's origin",
  },
  wrong_host: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'host name not allowed: add it to the setting admin.hosts',
  },
  wrong_address: {
    status: 403,
    rpc: -32002,
    kubo: 4,
    retry: 'never',
    message: 'client address not allowed: add it to the setting admin.ips',
  },
  absent: { status: 404, rpc: -32000, kubo: 0, retry: 'never', message: 'not found' },
  link_over: {
    status: 410,
    rpc: -32000,
    kubo: 0,
    retry: 'never',
    message: 'this link has expired or was already used',
  },
  conflict: { status: 409, rpc: -32000, kubo: 0, retry: 'never', message: 'already exists' },
  damaged: {
    status: 500,
    rpc: -32603,
    kubo: 0,
    retry: 'later',
    message: 'the stored copy is damaged or cannot be read',
  },
  internal: { status: 500, rpc: -32603, kubo: 0, retry: 'later', message: 'internal error' },
} as const satisfies Record<string, FaultRow>

/** HTTP status in the IPFS API. JSON-RPC faults with status 200 get an error status in this API. */
export function filesStatus({ files, status }: FaultRow): number {
  return errorStatus(files?.status ?? status)
}

/** HTTP status of the gateway (`/ipfs/<cid>`). */
export function pathsStatus({ paths, files, status }: FaultRow): number {
  return errorStatus(paths ?? files?.status ?? status)
}

function errorStatus(wanted: number): number {
  return wanted < 400 ? 500 : wanted
}

export type FaultCode = keyof typeof faults

export type FaultOptions = {
  /** What was wrong with which value; replaces the row's message in both APIs. */
  readonly detail?: string
  /** Members of the JSON-RPC error's `data`; for `reverted` the revert data as hex text. */
  readonly data?: Readonly<Record<string, unknown>> | string
  /** For `upstream_said`: the node's own error code and data, forwarded unchanged. */
  readonly upstreamError?: { readonly code: number; readonly data: unknown }
  readonly cause?: unknown
}

/** An expected error. `code` selects the row in `faults`; `message` is sent to the client. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly data: FaultOptions['data']
  readonly upstreamError: FaultOptions['upstreamError']

  constructor(code: FaultCode, options: FaultOptions = {}) {
    super(options.detail ?? faults[code].message, { cause: options.cause })
    this.code = code
    this.data = options.data
    this.upstreamError = options.upstreamError
  }

  get row(): FaultRow {
    return faults[this.code]
  }

  /** `error.code` of the JSON-RPC reply. */
  get rpcCode(): number {
    return this.upstreamError?.code ?? this.row.rpc
  }

  /** The setting or limit that caused the refusal, from a fixed set of names; empty if the fault names none. */
  get reason(): string {
    const reason = typeof this.data === 'object' ? this.data['reason'] : undefined
    return typeof reason === 'string' ? reason : ''
  }

  /** True if the message is not the row's default, so an API must not replace it. */
  get detailed(): boolean {
    return this.message !== faults[this.code].message
  }

  /** Returns a Fault unchanged; anything else is a bug and becomes `internal` with the thrown value as its cause. */
  static from(thrown: unknown): Fault {
    return thrown instanceof Fault ? thrown : new Fault('internal', { cause: thrown })
  }
}

/** True if the thrown value is a Fault with that code. */
export function hasCode(thrown: unknown, code: FaultCode): boolean {
  return thrown instanceof Fault && thrown.code === code
}
