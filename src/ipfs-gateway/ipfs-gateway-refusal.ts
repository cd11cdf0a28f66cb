// A Fault as a reply to `/ipfs/<cid>`: its status, and its message as a line of text, or as an HTML page for clients that accept
// HTML.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import { type Fault, pathsStatus } from '../base/fault.ts'
import { messageOf, waitSeconds } from '../pipeline/files-refusal.ts'
import { errorPage, isDenial } from './error-page.ts'
import { pagePolicy } from './html-page.ts'

export type PathRefusal = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** `contact`: for questions about denied content; null: none. */
export function pathRefusalOf(
  fault: Fault,
  { asPage, contact }: { readonly asPage: boolean; readonly contact: string | null },
): PathRefusal {
  const { row } = fault
  const status = pathsStatus(row)
  const message = messageOf(fault)
  const line = contact !== null && isDenial(status) ? `${message}; contact ${contact}` : message
  const body = asPage ? errorPage(status, message, contact) : `${line}\n`
  const headers: Record<string, string> = {
    'Content-Type': asPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    ...(asPage ? { 'Content-Security-Policy': pagePolicy } : {}),
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
  }
  if (status === 401) headers['WWW-Authenticate'] = 'Basic realm="cairn", charset="UTF-8"'
  if (status === 405) headers['Allow'] = 'GET, HEAD, OPTIONS'
  if ([429, 502, 503, 504].includes(status)) headers['Retry-After'] = `0${waitSeconds(fault)}`
  const size = typeof fault.data === 'object' ? fault.data['size'] : undefined
  if (status === 416) headers['Content-Range'] = `bytes */${String(size)}`
  return { status, headers, body }
}
