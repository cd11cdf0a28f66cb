// Paths of resumable uploads, and the headers of their replies.
// Tested by test/files/tus.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { kuboHeaders } from '../kubo-reply.ts'
import type { Refusal } from '../../pipeline/files-refusal.ts'

export const tusPath = '/tus/files'
const tusVersion = '1.0.0'
const allowed =
  'authorization, content-type, tus-resumable, upload-length, upload-metadata, upload-offset, x-requested-with'
const exposed =
  'Location, Tus-Resumable, Tus-Version, Tus-Extension, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires, X-Cairn-Cid, Retry-After, X-Request-Id'

/** Headers of every reply. */
export function tusHeaders(headers: IncomingHttpHeaders, version: string): Record<string, string> {
  const expose = { 'Access-Control-Expose-Headers': exposed, 'Tus-Resumable': tusVersion }
  return { ...kuboHeaders(headers, version), ...expose }
}

/** Reply to OPTIONS, which needs no credentials: the supported features, and what pages may send. */
export function tusPreflight({ origin }: IncomingHttpHeaders): Refusal {
  const offered = {
    'Tus-Version': tusVersion,
    'Tus-Extension': 'creation,creation-with-upload,termination,expiration',
  }
  const page = {
    'Access-Control-Allow-Methods': 'POST, HEAD, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': allowed,
    'Access-Control-Max-Age': '7200',
  }
  const headers = origin === undefined ? offered : { ...offered, ...page }
  return { status: 204, headers, body: '' }
}
