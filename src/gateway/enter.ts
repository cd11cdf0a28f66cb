// The first half of the order, before a body is read: authenticate, then gate on what URL and headers show.
// Tested by src/gateway/handle.test.ts
import { judgeMethod, judgeOrigins } from '../accounts/allowlists.ts'
import type { Caller } from '../accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { Network } from '../ethereum/network.ts'
import type { Credential } from './gateway.ts'

/**
 * Judges a key and, when one was sent, its secret or its JWT. Throws `bad_key`, `bad_secret`, `bad_token`; `over_rate`
 * when `address` brought too many of these.
 */
export type Authenticate = (
  key: string,
  secret: string | null,
  address: string,
  jwt?: string,
) => Caller | Promise<Caller>

/** JSON-RPC face: the key is in the URL; secret or JWT are optional unless the key demands them. */
export function enterRpc(
  authenticate: Authenticate,
  credential: Credential,
  network: Network,
): Caller | Promise<Caller> {
  const { key, secret, jwt, user = '', address = '' } = credential
  if (credential.caller !== undefined) return gateRpc(credential.caller, credential, network)
  if (key === null) throw new Fault('no_credential')
  if (user !== '' && user !== key) throw new Fault('bad_secret')
  const caller = authenticate(key, secret, address, jwt)
  return caller instanceof Promise
    ? caller.then((found) => gateRpc(found, credential, network))
    : gateRpc(caller, credential, network)
}

function gateRpc(caller: Caller, credential: Credential, network: Network): Caller {
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
  if (allowlists !== null) judgeOrigins(allowlists, credential)
  return caller
}

/** File face: key and secret together; one answer for every kind of wrong. Then switch, lists, card. */
export async function enterFiles(
  authenticate: Authenticate,
  credential: Credential,
  command: string,
  cardGate: boolean,
): Promise<Caller> {
  const { key, secret, address = '' } = credential
  if (credential.caller === undefined && (key === null || secret === null)) {
    throw new Fault('no_credential')
  }
  const caller = credential.caller ?? (await authenticate(key ?? '', secret, address))
  if (!caller.settings.files) {
    throw new Fault('refused_by_setting', {
      detail: 'project ID does not have access to ipfs',
      data: { reason: 'files' },
    })
  }
  const { allowlists } = caller
  if (allowlists !== null) {
    judgeOrigins(allowlists, credential)
    judgeMethod(allowlists, command)
  }
  if (cardGate && !caller.hasCard) throw new Fault('no_card')
  return caller
}
