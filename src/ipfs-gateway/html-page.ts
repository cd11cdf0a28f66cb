// Common parts of the gateway's HTML pages: one header, one style, one policy. No scripts, no loaded resources, and all text is
// escaped: publishers of content choose names and values.
// Tested by src/ipfs-gateway/path-content.test.ts
import { hash } from 'node:crypto'
import type { PathRequest } from './path-operation.ts'

const style =
  ':root{color-scheme:light dark;--line:#8884;--soft:#8881;--dim:light-dark(#555,#aaa);--link:light-dark(#0b57d0,#8ab4f8)}' +
  'html{background:light-dark(#fff,#16181d);color:light-dark(#1b1d22,#e8eaed)}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}' +
  'h1{font-size:1.25rem;line-height:1.4}' +
  'a{color:var(--link);text-decoration:none;unicode-bidi:isolate}a:hover,p a{text-decoration:underline}' +
  'a:focus-visible{outline:2px solid;outline-offset:2px}' +
  'table{border-collapse:collapse;width:100%;table-layout:fixed}' +
  'th,td{padding:.4rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere;border-bottom:1px solid var(--line)}' +
  'th{color:var(--dim);font-weight:500}tbody tr:hover{background:var(--soft)}' +
  'th:nth-child(2){width:11rem}th:last-child{width:6rem}' +
  'th:last-child,td:last-child{text-align:right;white-space:nowrap}' +
  '.dim{color:var(--dim)}.whole{user-select:all;overflow-wrap:anywhere}' +
  '.start{display:inline-block;max-width:7ch;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom}' +
  'td .ipfs-hash{user-select:all;white-space:nowrap}' +
  '.ipfs-hash,pre,code{font:.85em/1.75 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere}' +
  '@media(max-width:40rem){body{margin:1rem auto}th:nth-child(2),td:nth-child(2){display:none}th:last-child{width:5.5rem}}'
const styleHash = hash('sha256', style, 'base64')

/** Value of the Content-Security-Policy header. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation allow-downloads`

/** Incremented when a page changes, so that cached copies become invalid. */
export const pageEdition = 3

export type PagePath = {
  readonly namespace: 'ipfs' | 'ipns'
  /** A CID or a name. */
  readonly root: string
  /** Decoded path segments. */
  readonly segments: readonly string[]
  /** Start of the URLs of the root in the heading. */
  readonly rootUrl: string
  /** Start of the URLs of entries below the root. */
  readonly pageUrl: string
  /** Start of the URLs of other CIDs, in front of `/ipfs/`; null: no host of this server serves them. */
  readonly gatewayUrl: string | null
}

export function pagePathOf({ root, segments, origin, mount }: PathRequest): PagePath {
  const namespace = mount === null ? 'ipfs' : 'ipns'
  const name = mount?.name ?? root.toString()
  const path = { namespace, root: name, segments: segments.slice(mount?.depth ?? 0) } as const
  const rootPath = `/${namespace}/${encodeURIComponent(name)}`
  if (origin.kind !== 'root')
    return { ...path, rootUrl: rootPath, pageUrl: rootPath, gatewayUrl: '' }
  const { gateway, authority } = origin
  if (gateway === null) {
    return { ...path, rootUrl: `//${authority}`, pageUrl: '', gatewayUrl: null }
  }
  return { ...path, rootUrl: `//${gateway}${rootPath}`, pageUrl: '', gatewayUrl: `//${gateway}` }
}

/** From the doctype to the heading, which links each segment of the path. */
export function pageHead(kind: string, path: PagePath): string {
  const { namespace, root, segments, rootUrl, gatewayUrl } = path
  const title = `${kind} ${[`/${namespace}`, root, ...segments].join('/')}`
  const steps = [root, ...segments].map((name, index) => {
    const below = encoded(segments.slice(0, index))
    // The site is at the root of its host.
    const href = below === '' && gatewayUrl === null ? `${rootUrl}/` : rootUrl + below
    return `<a href="${escapeHtml(href)}">${escapeHtml(name)}</a>`
  })
  return `${documentHead(title)}<h1>${kind}
/${namespace}/${steps.join('/')}</h1>
`
}

/** From the doctype to the start of the body text. */
export function documentHead(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
`
}

export const pageEnd = '</main>\n</body>\n</html>\n'

/** Parts of a link as HTML. `query`: with `?`. */
type LinkText = { readonly attributes?: string; readonly query?: string; readonly text: string }

/** A link to another CID; only its text if no host serves that CID. */
export function linkToCid(
  { gatewayUrl }: Pick<PagePath, 'gatewayUrl'>,
  cid: string,
  { attributes = '', query = '', text }: LinkText,
): string {
  if (gatewayUrl === null) return `<span${attributes}>${text}</span>`
  const href = escapeHtml(`${gatewayUrl}/ipfs/${cid}`)
  return `<a${attributes} href="${href}${query}">${text}</a>`
}

/** URL of the page's directory, without a trailing slash, escaped for an attribute. */
export function pageHref({ pageUrl, segments }: PagePath): string {
  return escapeHtml(pageUrl + encoded(segments))
}

/** Encodes the names, each with a leading slash. */
function encoded(names: readonly string[]): string {
  return names.map((name) => `/${encodeURIComponent(name.toWellFormed())}`).join('')
}

/** Escapes text and attributes; control characters become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .replace(/(?![\t\n])\p{Cc}/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
