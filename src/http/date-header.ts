// The Date of answers (RFC 9110 6.6.1), spelled once a second.
// Tested by src/http/server.test.ts
import type { Clock } from '../base/clock.ts'

export function createDateHeader(clock: Clock): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}
