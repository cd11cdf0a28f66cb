// Names for requests: one random part for the process, then a count. Unique like a random one for each, cheaper,
// and in the order of arrival.
// Tested by src/http/server.test.ts
import { randomBytes } from 'node:crypto'

const callersForm = /^[A-Za-z0-9_-]{1,64}$/

/** Takes the caller's own id when it is well formed, else makes one of at most 64 characters. */
export function createRequestIds(): (given: string | string[] | undefined) => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return (given) => {
    if (typeof given === 'string' && callersForm.test(given)) return given
    count += 1
    return `${process}-${count.toString(36)}`
  }
}
