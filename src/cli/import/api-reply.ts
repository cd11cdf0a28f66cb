// The reply of an IPFS API server to a command: its text, or its error.
// Tested by test/cli/import-pins.test.ts
import type { HttpReply, HttpStream } from '../../ipfs/sources/http-client.ts'

/** The server replied with an error. The message is that of the reply. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly retryAfterMs: number | null

  constructor(message: string, status: number, retryAfterMs: number | null) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** True if a retry may succeed. */
  get mayPass(): boolean {
    return [408, 429, 502, 503, 504].includes(this.status)
  }
}

const sentenceBytesMax = 64 * 1024

/** Returns the body as text. Throws Refused for any status but 200. */
export function textOf({ status, retryAfterMs, bytes }: HttpReply): string {
  const text = Buffer.from(bytes).toString('utf8')
  if (status === 200) return text
  throw new Refused(sentenceOf(text, status), status, retryAfterMs)
}

/** Returns the body as a stream. Throws Refused for any status but 200. */
export async function bodyOf({
  status,
  retryAfterMs,
  body,
}: HttpStream): Promise<AsyncIterable<Uint8Array>> {
  if (status === 200) return body
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > sentenceBytesMax) break
  }
  const text = Buffer.concat(chunks).toString('utf8')
  throw new Refused(sentenceOf(text, status), status, retryAfterMs)
}

function sentenceOf(text: string, status: number): string {
  try {
    const { Message: message } = JSON.parse(text) as { readonly Message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // The body is plain text or HTML, not JSON.
  }
  const [line = ''] = text.trim().split('\n')
  return line === '' || line.startsWith('<') ? `status ${status}` : line.slice(0, 500)
}
