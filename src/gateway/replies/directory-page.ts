// The page of a directory: names, sizes and CIDs of its entries, sorted. No script, nothing loaded, every name
// escaped: names are whatever somebody made them.
// Tested by src/http/path-content.test.ts
import { hash } from 'node:crypto'
import type { DirectoryEntry } from '../../ipfs/read/listed.ts'

/** Raised when the page changes, so that copies in caches are not taken for it. */
export const pageEdition = 1

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'table{border-collapse:collapse;width:100%}td{padding:.2rem .5rem;border-top:1px solid #8884;overflow-wrap:anywhere}' +
  'td:nth-child(2),td:nth-child(3){color:#777;white-space:nowrap;text-align:right}code{font-size:.85em}'
const styleHash = hash('sha256', style, 'base64')

export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation allow-downloads`

export type DirectoryPage = {
  /** As asked for, decoded: `/ipfs/<cid>/a`. */
  readonly path: string
  readonly cid: string
  /** Sorted by name. */
  readonly entries: readonly DirectoryEntry[]
  /** There are more entries than these. */
  readonly isCut: boolean
  /** The directory lies in another one of the same root. */
  readonly hasParent: boolean
}

const rowsAtOnce = 200

/** In pieces, so that a long list is never text as a whole. Links are relative: the page's URL ends with a slash. */
export async function* directoryPage(page: DirectoryPage): AsyncGenerator<Uint8Array> {
  const { path, cid, entries, isCut, hasParent } = page
  const title = escapeHtml(path)
  const noun = entries.length === 1 ? 'entry' : 'entries'
  const count = `${isCut ? 'the first ' : ''}${entries.length} ${noun}`
  yield Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1><bdi>${title}</bdi></h1>
<p><code>${escapeHtml(cid)}</code>, ${count}. <a href="?format=car" download>Download as CAR</a></p>
<table>
${hasParent ? '<tr><td><a href="../">..</a></td><td></td><td></td></tr>\n' : ''}`)
  for (let at = 0; at < entries.length; at += rowsAtOnce) {
    yield Buffer.from(
      entries
        .slice(at, at + rowsAtOnce)
        .map(rowOf)
        .join(''),
    )
  }
  const rest = isCut
    ? '<p>There are more. The whole directory comes with <code>?format=car</code>.</p>\n'
    : ''
  yield Buffer.from(`</table>\n${rest}</body>\n</html>\n`)
}

function rowOf({ name, cid, size }: DirectoryEntry): string {
  const text = cid.toString()
  const short = text.length > 16 ? `${text.slice(0, 6)}…${text.slice(-6)}` : text
  const href = `./${encodeURIComponent(name.toWellFormed())}`
  return `<tr><td><a href="${escapeHtml(href)}"><bdi>${escapeHtml(name)}</bdi></a></td><td><code><a href="/ipfs/${text}">${short}</a></code></td><td>${shownSize(size)}</td></tr>\n`
}

/** Of the DAG below, as its directory claims. */
function shownSize(bytes: bigint): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
  let value = Number(bytes)
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`
}

function escapeHtml(text: string): string {
  return text
    .replace(/(?![\t\n])\p{Cc}/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
