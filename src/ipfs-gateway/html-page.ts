// Common parts of the pages for readers: one head, one style, one policy. No script, nothing loaded, every text escaped:
// publishers of content choose names and values.
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

/** Of a Content-Security-Policy header. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation allow-downloads`

/** Raised when a page changes, so that copies in caches are not taken for it. */
export const pageEdition = 3

export type PagePath = {
  readonly root: string
  /** Decoded. */
  readonly segments: readonly string[]
  /** Content host of links to other roots, if the origin of the page is that of its root; null: this host. */
  readonly gateway: string | null
}

export function pagePathOf({ root, segments, origin }: PathRequest): PagePath {
  return {
    root: root.toString(),
    segments,
    gateway: origin.kind === 'root' ? origin.gateway : null,
  }
}

/** From the doctype to the heading, which has a link for each step of the path. */
export function pageHead(kind: string, path: PagePath): string {
  const { root, segments, gateway } = path
  const title = `${kind} ${['/ipfs', root, ...segments].join('/')}`
  const steps = [root, ...segments].map((name, index) => {
    const href = contentHref(gateway, root, segments.slice(0, index))
    return `<a href="${href}">${escapeHtml(name)}</a>`
  })
  return `${documentHead(title)}<h1>${kind}
/ipfs/${steps.join('/')}</h1>
`
}

/** From the doctype to the start of the text. */
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

/** URL of content by its root, escaped for an attribute. */
export function contentHref(
  gateway: string | null,
  root: string,
  segments: readonly string[],
): string {
  const host = gateway === null ? '' : `//${gateway}`
  return escapeHtml(`${host}/ipfs/${encoded([root, ...segments])}`)
}

/** URL of the page's own directory, without a slash at its end, escaped for an attribute. */
export function ownHref({ root, segments, gateway }: PagePath): string {
  if (gateway === null) return contentHref(null, root, segments)
  return segments.length === 0 ? '' : escapeHtml(`/${encoded(segments)}`)
}

function encoded(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name.toWellFormed())).join('/')
}

/** For text and attributes; control characters become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .replace(/(?![\t\n])\p{Cc}/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
