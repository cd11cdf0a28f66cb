// Common parts of the pages for readers: one head, one style, one policy. No script, nothing loaded, every text escaped:
// publishers of content choose names and values.
// Tested by src/ipfs-gateway/path-content.test.ts
import { hash } from 'node:crypto'

const style =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'h1{font-size:1.25rem;overflow-wrap:anywhere}a{unicode-bidi:isolate}' +
  'table{border-collapse:collapse;width:100%}caption{text-align:left}' +
  'th,td{padding:.2rem .5rem;text-align:left;overflow-wrap:anywhere;border-bottom:1px solid #8888}' +
  'th:last-child,td:last-child{text-align:right;white-space:nowrap}' +
  '.ipfs-hash,pre{font:.85em/1.5 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere}'
const styleHash = hash('sha256', style, 'base64')

/** Of a Content-Security-Policy header. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation allow-downloads`

/** Raised when a page changes, so that copies in caches are not taken for it. */
export const pageEdition = 2

export type PagePath = {
  readonly root: string
  /** Decoded. */
  readonly segments: readonly string[]
}

/** From the doctype to the heading, which has a link for each step of the path. */
export function pageHead(kind: string, path: PagePath): string {
  const { root, segments } = path
  const title = escapeHtml(`${kind} ${['/ipfs', root, ...segments].join('/')}`)
  const steps = [root, ...segments].map((name, index) => {
    const href = pathHref(root, segments.slice(0, index))
    return `<a href="${href}">${escapeHtml(name)}</a>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${kind}
/ipfs/${steps.join('/')}</h1>
`
}

export const pageEnd = '</main>\n</body>\n</html>\n'

/** The URL path of content, escaped for an attribute. */
export function pathHref(root: string, segments: readonly string[]): string {
  const parts = [root, ...segments].map((name) => encodeURIComponent(name.toWellFormed()))
  return escapeHtml(`/ipfs/${parts.join('/')}`)
}

export function escapeHtml(text: string): string {
  return text
    .replace(/(?![\t\n])\p{Cc}/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
