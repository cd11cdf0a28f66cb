// The HTML page of a directory: names, CIDs and sizes of its entries, sorted.
// Tested by src/ipfs-gateway/path-content.test.ts
import type { DirectoryEntry } from '../ipfs/read/listed.ts'
import { escapeHtml, linkToCid, pageHref, pageEnd, pageHead, type PagePath } from './html-page.ts'

export type DirectoryPage = {
  readonly path: PagePath
  readonly cid: string
  /** Sorted by name. */
  readonly entries: readonly DirectoryEntry[]
  /** There are more entries than these. */
  readonly isCut: boolean
}

const rowsAtOnce = 200

/** Yields the page in pieces, so that the whole text of a long list is never in memory. */
export async function* directoryPage(page: DirectoryPage): AsyncGenerator<Uint8Array> {
  const { path, cid, entries, isCut } = page
  const baseHref = pageHref(path)
  const noun = entries.length === 1 ? 'entry' : 'entries'
  const count = `${isCut ? 'the first ' : ''}${entries.length} ${noun}`
  const parent =
    path.segments.length === 0
      ? ''
      : `<tr><td><a href="${baseHref}/..">..</a></td><td></td><td></td></tr>\n`
  yield Buffer.from(`${pageHead('Index of', path)}
<p><span class="ipfs-hash whole" translate="no">${escapeHtml(cid)}</span></p>
<p><span class="dim">${count}</span>. Download as <a href="?format=tar" download>tar</a> or
<a href="?format=car" download>CAR</a>.</p>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">CID</th><th scope="col">Size</th></tr></thead>
<tbody>
${parent}`)
  for (let at = 0; at < entries.length; at += rowsAtOnce) {
    yield Buffer.from(
      entries
        .slice(at, at + rowsAtOnce)
        .map((entry) => rowOf(entry, baseHref, path))
        .join(''),
    )
  }
  const rest = isCut
    ? '<p>The directory has more entries than a page shows. The archives contain all of them.</p>\n'
    : ''
  yield Buffer.from(`</tbody>\n</table>\n${rest}${pageEnd}`)
}

function rowOf({ name, cid, size }: DirectoryEntry, baseHref: string, path: PagePath): string {
  const text = cid.toString()
  // The style hides the start of the CID, so that copying still yields all of it.
  const shown =
    text.length > 16 ? `<span class="start">${text.slice(0, -6)}</span>${text.slice(-6)}` : text
  const escaped = encodeURIComponent(name.toWellFormed())
  // Escaped twice, as in Kubo's listing; gateway-conformance compares it.
  const saved = escapeHtml(encodeURIComponent(escaped))
  const link = linkToCid(path, text, {
    attributes: ' class="ipfs-hash" translate="no"',
    query: `?filename=${saved}`,
    text: shown,
  })
  return `<tr><td><a href="${baseHref}/${escapeHtml(escaped)}">${escapeHtml(name)}</a></td><td>${link}</td><td>${shownSize(size)}</td></tr>\n`
}

/** Size of the DAG below, as claimed by the directory. */
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
