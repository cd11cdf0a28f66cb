// Checks that a reply matches its call. JSON-RPC errors have status 200, so a valid reply needs the id and a result.
import type { Call } from './plan.ts'
import type { Reply } from './splitter.ts'

/** `id`: as sent, or empty if the call contains its own. Bodies are latin1. */
export function isGood(reply: Reply, call: Call, id: string): boolean {
  if (reply.status !== 200) return false
  if (call.constant !== undefined) return reply.body === call.constant
  if (reply.body === call.reply[0] + id + call.reply[1]) return true
  if (call.means === null) return false
  const begun = reply.body.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`)
  if (begun && reply.body.includes(`"hash":"${call.means}"`)) return true
  return meansTheSame(reply.body, call.means, id)
}

function meansTheSame(body: string, means: string, id: string): boolean {
  try {
    const parsed = JSON.parse(body) as { id?: unknown; result?: unknown; error?: unknown }
    if (parsed.error !== undefined || (id !== '' && parsed.id !== Number(id))) return false
    const { result } = parsed
    if (typeof result === 'string') return result === means
    return (result as { hash?: unknown } | null)?.hash === means
  } catch {
    return false
  }
}
