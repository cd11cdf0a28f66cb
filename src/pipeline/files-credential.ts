// Reads key and secret of an IPFS request from HTTP Basic (RFC 7617). The pipeline validates them.
// Tested by src/kubo/ipfs-api.test.ts
import { Fault } from '../base/fault.ts'
import type { Credential } from './credential.ts'
import { parseBasic } from '../http/authorization.ts'
import type { NodeExchange } from '../http/node-exchange.ts'

/**
 * Key and secret of the Authorization header, with the headers that authorization reads. Throws `no_credential` if the header
 * is missing, not Basic or not decodable; `bad_secret` if the key or the secret is empty.
 */
export function readFilesCredential({
  request: { headers },
  address,
}: Pick<NodeExchange, 'request' | 'address'>): Credential {
  const pair = parseBasic(headers.authorization)
  if (pair === null || pair === 'malformed') throw new Fault('no_credential')
  if (pair.user === '' || pair.password === '') throw new Fault('bad_secret')
  return {
    key: pair.user,
    secret: pair.password,
    address,
    origin: headers.origin,
    userAgent: headers['user-agent'],
  }
}
