// First half of the request order, before the body is read: authenticate, then authorize by URL and headers. Also reads the
// credentials of an IPFS request from HTTP Basic (RFC 7617).
// Tested by src/server/create-pipeline.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import { parseBasic } from '../http/request-head.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import { authorizeMethod, authorizeOrigins } from '../access/accounts/allowlists.ts'
import type { Network } from '../chain/network.ts'

/**
 * As sent by the client, not validated. `user`: the Basic user name if not empty. `jwt`: of a Bearer header. `address`: the
 * client address of the socket. `origin`, `userAgent`: the unchanged headers. `requestId`: as in `x-request-id` of the reply; of a
 * WebSocket, that of its handshake.
 */
export type Credential = {
  /** A caller that is already authenticated; the other members are then ignored. */
  readonly caller?: Caller
  readonly key: string | null
  readonly secret: string | null
  readonly user?: string | undefined
  readonly jwt?: string | undefined
  readonly address?: string
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
  readonly requestId?: string | undefined
}

/**
 * Key and secret of the Authorization header, with the headers that authorization reads. Throws `no_credential` if the header
 * is missing, not Basic or not decodable; `bad_secret` if the key or the secret is empty.
 */
export function readFilesCredential({
  request: { headers },
  address,
  requestId,
}: Pick<NodeExchange, 'request' | 'address' | 'requestId'>): Credential {
  const pair = parseBasic(headers.authorization)
  if (pair === null || pair === 'malformed') throw new Fault('no_credential')
  if (pair.user === '' || pair.password === '') throw new Fault('bad_secret')
  return {
    key: pair.user,
    secret: pair.password,
    address,
    origin: headers.origin,
    userAgent: headers['user-agent'],
    requestId,
  }
}

/**
 * Validates a key and its secret or JWT, if sent. Throws `bad_key`, `bad_secret`, `bad_token`, or `over_rate` if
 * `address` sent too many wrong ones.
 */
type Authenticate = (
  key: string,
  secret: string | null,
  address: string,
  jwt?: string,
) => Caller | Promise<Caller>

/** The method of a network, or the IPFS command, under which a refusal is counted. */
type RequestTarget = {
  readonly network: Network | null
  readonly method: string
  readonly credential: Credential
}

/** Dependencies of authentication. `refused` is called with the caller of a known key that was refused, and the reason. */
export type AuthenticateDeps = {
  readonly authenticate: Authenticate
  readonly refused: (caller: Caller, target: RequestTarget, fault: Fault) => void
}

/** Reports a wrong secret or JWT as a refusal of the key that it was sent with. Returns `thrown`. */
function reportToOwner(
  { authenticate, refused }: AuthenticateDeps,
  { key, address = '' }: Credential,
  target: RequestTarget,
  thrown: unknown,
): unknown {
  if (!(thrown instanceof Fault) || key === null) return thrown
  if (thrown.code !== 'bad_secret' && thrown.code !== 'bad_token') return thrown
  const owner = authenticate(key, null, address)
  if (!(owner instanceof Promise)) refused(owner, target, thrown)
  return thrown
}

/** JSON-RPC API: the key is in the URL; the secret or JWT is optional unless the key requires it. */
export function authenticateRpc(
  parts: AuthenticateDeps,
  credential: Credential,
  network: Network,
): Caller | Promise<Caller> {
  const { key, secret, jwt, user = '', address = '' } = credential
  if (credential.caller !== undefined) {
    return authorizeRpc(parts, credential.caller, credential, network)
  }
  if (key === null) throw new Fault('no_credential')
  if (user !== '' && user !== key) throw new Fault('bad_secret')
  let caller: Caller | Promise<Caller>
  try {
    caller = parts.authenticate(key, secret, address, jwt)
  } catch (thrown) {
    throw reportToOwner(parts, credential, { network, method: '', credential }, thrown)
  }
  if (!(caller instanceof Promise)) return authorizeRpc(parts, caller, credential, network)
  return caller.then(
    (found) => authorizeRpc(parts, found, credential, network),
    (thrown: unknown) => {
      throw reportToOwner(parts, credential, { network, method: '', credential }, thrown)
    },
  )
}

function authorizeRpc(
  { refused }: AuthenticateDeps,
  caller: Caller,
  credential: Credential,
  network: Network,
): Caller {
  try {
    checkRpcAccess(caller, credential, network)
  } catch (thrown) {
    refused(caller, { network, method: '', credential }, Fault.from(thrown))
    throw thrown
  }
  return caller
}

function checkRpcAccess(caller: Caller, credential: Credential, network: Network): void {
  const { settings, allowlists } = caller
  // A JWT signed for one of the key's public keys is stronger than the secret, and a request carries only one of the two.
  if (settings.jwtRequired && caller.jwt === undefined) {
    throw new Fault('bad_token', { data: { reason: 'required' } })
  }
  if (settings.secretRequired && !caller.withSecret && caller.jwt === undefined) {
    throw new Fault('refused_by_setting', { data: { reason: 'secret_required' } })
  }
  if (settings.networks !== null && !settings.networks.includes(network.name)) {
    throw new Fault('refused_by_setting', {
      detail: `project ID does not have access to ${network.name}`,
      data: { reason: 'network' },
    })
  }
  if (allowlists !== null) authorizeOrigins(allowlists, credential)
}

/** Refusal of an account without a card; `detail` says where to add one. Null: no card is required. */
export type CardCheck = { readonly detail?: string } | null

/**
 * IPFS API: key and secret are both required; every mismatch gets the same reply. Then the key's switch, allowlists and
 * card. `method`: the name that a refusal is counted under.
 */
export async function authenticateFiles(
  parts: AuthenticateDeps,
  credential: Credential,
  command: string,
  { cardGate, method }: { readonly cardGate: CardCheck; readonly method: string },
): Promise<Caller> {
  const { key, secret, address = '' } = credential
  if (credential.caller === undefined && (key === null || secret === null)) {
    throw new Fault('no_credential')
  }
  const target = { network: null, method, credential }
  let caller = credential.caller
  try {
    caller ??= await parts.authenticate(key ?? '', secret, address)
  } catch (thrown) {
    throw reportToOwner(parts, credential, target, thrown)
  }
  try {
    checkFilesAccess(caller, credential, command, cardGate)
  } catch (thrown) {
    parts.refused(caller, target, Fault.from(thrown))
    throw thrown
  }
  return caller
}

function checkFilesAccess(
  { settings, allowlists, hasCard }: Caller,
  credential: Credential,
  command: string,
  cardGate: CardCheck,
): void {
  if (!settings.files) {
    throw new Fault('refused_by_setting', {
      detail: 'project ID does not have access to ipfs',
      data: { reason: 'files' },
    })
  }
  if (allowlists !== null) {
    authorizeOrigins(allowlists, credential)
    authorizeMethod(allowlists, command)
  }
  if (cardGate !== null && !hasCard) throw new Fault('no_card', cardGate)
}
