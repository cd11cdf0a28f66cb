// The first half of the order, before a body is read: authenticate, then gate on what URL and headers show.
// Tested by src/server/create-pipeline.test.ts
import { authorizeMethod, authorizeOrigins } from '../access/accounts/allowlists.ts'
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import type { Credential } from './credential.ts'

/**
 * Judges a key and, when one was sent, its secret or its JWT. Throws `bad_key`, `bad_secret`, `bad_token`; `over_rate`
 * when `address` brought too many of these.
 */
type Authenticate = (
  key: string,
  secret: string | null,
  address: string,
  jwt?: string,
) => Caller | Promise<Caller>

/** Where a refusal is counted: a method of a network, or a file command. */
type Place = {
  readonly network: Network | null
  readonly method: string
  readonly credential: Credential
}

/** What entering needs. `refused`: is told of whom a known key refused, and why. */
export type AuthenticateDeps = {
  readonly authenticate: Authenticate
  readonly refused: (caller: Caller, place: Place, fault: Fault) => void
}

/** A wrong secret or JWT is told as a refusal of the key that it was sent with. */
function tellOwner(
  { authenticate, refused }: AuthenticateDeps,
  { key, address = '' }: Credential,
  place: Place,
  thrown: unknown,
): unknown {
  if (!(thrown instanceof Fault) || key === null) return thrown
  if (thrown.code !== 'bad_secret' && thrown.code !== 'bad_token') return thrown
  const owner = authenticate(key, null, address)
  if (!(owner instanceof Promise)) refused(owner, place, thrown)
  return thrown
}

/** JSON-RPC face: the key is in the URL; secret or JWT are optional unless the key demands them. */
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
    throw tellOwner(parts, credential, { network, method: '', credential }, thrown)
  }
  if (!(caller instanceof Promise)) return authorizeRpc(parts, caller, credential, network)
  return caller.then(
    (found) => authorizeRpc(parts, found, credential, network),
    (thrown: unknown) => {
      throw tellOwner(parts, credential, { network, method: '', credential }, thrown)
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
    dryRunRpc(caller, credential, network)
  } catch (thrown) {
    refused(caller, { network, method: '', credential }, Fault.from(thrown))
    throw thrown
  }
  return caller
}

function dryRunRpc(caller: Caller, credential: Credential, network: Network): void {
  const { settings, allowlists } = caller
  // A token that one of the key's public keys signed shows more than the secret, and both cannot be sent.
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

/** What an account without a card is answered; `detail` says where to get one. Null: no card is required. */
export type CardCheck = { readonly detail?: string } | null

/**
 * File face: key and secret together; one answer for every kind of wrong. Then switch, lists, card. `method`: what a
 * refusal is counted as.
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
  const place = { network: null, method, credential }
  let caller = credential.caller
  try {
    caller ??= await parts.authenticate(key ?? '', secret, address)
  } catch (thrown) {
    throw tellOwner(parts, credential, place, thrown)
  }
  try {
    dryRunFiles(caller, credential, command, cardGate)
  } catch (thrown) {
    parts.refused(caller, place, Fault.from(thrown))
    throw thrown
  }
  return caller
}

function dryRunFiles(
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
