// Paths in an MFS tree, normalized as in Go, with Kubo's texts.
// Tested by src/ipfs/mfs/mfs.test.ts
import { Fault } from '../../base/fault.ts'

/** Maximum number of segments of a path, and bytes of a segment. */
const segmentsMax = 1024
const segmentBytesMax = 1024

/** Normalized; ends with `/` only if `path` does. Throws `command_failed` if `path` does not start with `/`. */
export function checkMfsPath(path: string): string {
  if (path === '') throw failed('paths must not be empty')
  if (!path.startsWith('/')) throw failed('paths must start with a leading slash')
  const cleaned = `/${segmentsOf(path).join('/')}`
  return path.endsWith('/') && cleaned !== '/' ? `${cleaned}/` : cleaned
}

/** The segments without `.`, `..` and empty ones. Throws `command_failed` for a name that no directory can contain. */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  if (segments.length > segmentsMax) {
    throw failed(`path is deeper than ${segmentsMax} segments`)
  }
  for (const segment of segments) {
    if (Buffer.byteLength(segment) > segmentBytesMax || segment.includes('\0')) {
      throw failed(`path segment is over ${segmentBytesMax} bytes, or has a NUL`)
    }
  }
  return segments
}

export type SplitPath = { readonly parent: readonly string[]; readonly name: string }

/** The directory, and the name of the entry in it; '' for `/`. */
export function splitPath(path: string): SplitPath {
  const segments = segmentsOf(path)
  return { parent: segments.slice(0, -1), name: segments.at(-1) ?? '' }
}

export function joinPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`
}

export function isPathBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length >= above.length && above.every((segment, at) => path[at] === segment)
}

export function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
