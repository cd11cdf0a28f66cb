// Key and secret of a file request (contract-files 3.1). Reads them; judging is the gateway's.
// Tested by src/http/files.test.ts
import { Fault } from '../base/fault.ts'
import type { Credential } from '../gateway/gateway.ts'
import { parseBasic } from './basic-auth.ts'

/**
 * Both of an Authorization header. Throws `no_credential` when it is missing, not Basic or not decodable;
 * `bad_secret` when one of the two is empty.
 */
export function readCredential(header: string | undefined): Credential {
  const pair = parseBasic(header)
  if (pair === null || pair === 'malformed') throw new Fault('no_credential')
  if (pair.user === '' || pair.password === '') throw new Fault('bad_secret')
  return { key: pair.user, secret: pair.password }
}
