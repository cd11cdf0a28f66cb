// Key and secret of a file request (contract-files 3.1). Reads them; judging is the gateway's.
// Tested by src/kubo/ipfs-api.test.ts
import { Fault } from '../base/fault.ts'
import type { Credential } from './credential.ts'
import { parseBasic } from '../http/basic-auth.ts'
import type { NodeExchange } from '../http/node-exchange.ts'

/**
 * Both of the Authorization header, with what else of the request the gate looks at. Throws `no_credential` when it is missing, not Basic or not decodable;
 * `bad_secret` when one of the two is empty.
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
