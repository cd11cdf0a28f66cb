// Headers of replies to `/ipfs/<cid>` and `/ipns/<name>`. Pure.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import type { PathContent } from './path-operation.ts'

const immutable = 'public, max-age=29030400, immutable'
/** Pages that the server generates from content change with its version. */
const generated = 'public, max-age=604800, stale-while-revalidate=2678400'

/** Includes names that Kubo exposes and Cairn never sends, because clients look for them. */
const exposed =
  'Content-Length, Content-Range, Content-Disposition, Content-Location, ETag, Retry-After, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Request-Id, X-Stream-Output'
const methods = 'GET, HEAD, OPTIONS'
const allowed =
  'Authorization, Accept, Cache-Control, Content-Type, If-None-Match, Range, User-Agent, X-Requested-With'

/** On every reply, refusals included: a client with access may use it from any page. */
export function pathHeaders(version: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': allowed,
    'Access-Control-Expose-Headers': exposed,
    'X-Content-Type-Options': 'nosniff',
    Server: `cairn/${version}`,
  }
}

/** Additional headers of a reply to OPTIONS. */
export function preflightHeaders(): Record<string, string> {
  return { Allow: methods, 'Access-Control-Max-Age': '7200' }
}

/** Request headers that decide whether this machine needs a key: see local-client.ts. */
const fetchHeaders = 'Origin, Sec-Fetch-Site, Sec-Fetch-Mode, Sec-Fetch-Dest'

/**
 * `ttlMs`: how long the IPNS name refers to the content; null: a CID names it. `isOpen` false: only clients with the same key may
 * use cached copies. `isLocal`: requested without a key on this machine, so a browser must not answer a page of another origin from
 * its cache.
 */
export function cacheHeaders(
  tag: string,
  {
    isOpen,
    isLocal,
    isGenerated,
    ttlMs,
  }: {
    readonly isOpen: boolean
    readonly isLocal: boolean
    readonly isGenerated: boolean
    readonly ttlMs: number | null
  },
): Record<string, string> {
  const named = `public, max-age=${Math.floor((ttlMs ?? 0) / 1000)}`
  const ofName = isGenerated ? `${named}, stale-while-revalidate=2678400` : named
  return {
    Etag: tag,
    'Cache-Control': ttlMs !== null ? ofName : isGenerated ? generated : immutable,
    Vary: isLocal
      ? `Accept, Authorization, ${fetchHeaders}`
      : isOpen
        ? 'Accept'
        : 'Accept, Authorization',
  }
}

export function contentHeaders(content: PathContent, path: string): Record<string, string> {
  const { disposition, fileName, policy } = content
  return {
    'Content-Type': content.type,
    ...(disposition === null
      ? {}
      : { 'Content-Disposition': dispositionOf(disposition, fileName) }),
    ...(policy === null ? {} : { 'Content-Security-Policy': policy }),
    'Accept-Ranges': content.ranged ? 'bytes' : 'none',
    'X-Ipfs-Path': path,
    'X-Ipfs-Roots': content.roots.map((cid) => cid.toString()).join(','),
  }
}

const nameCharsMax = 255

/**
 * The name in ASCII for old clients, with `_` for other characters; additionally the full name if it differs (RFC 6266, RFC 8187).
 */
function dispositionOf(kind: 'attachment' | 'inline', fileName: string | null): string {
  if (fileName === null) return kind
  // Without lone surrogates, which cannot be encoded, and without characters that could end the header line.
  const name = fileName.slice(0, nameCharsMax).toWellFormed()
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\/]/g, '_')
  if (plain === name) return `${kind}; filename="${plain}"`
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
