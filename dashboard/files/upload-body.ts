// Files as the body of one upload: a single file, or several as multipart/form-data with their paths. Nothing is read into memory:
// the browser joins the parts while it sends them.
// Tested by test/browser/uploads.test.ts
import { keccak256 } from '../proof/keccak.ts'

/** A file with its path in the upload: `notes/a.txt`. */
export type NamedFile = { readonly path: string; readonly file: File }

export type UploadBody = {
  readonly blob: Blob
  /** Options of `add`, and `multipart` with the boundary. */
  readonly metadata: Readonly<Record<string, string>>
  /** Equal for the same files (paths, sizes and dates) and the same `owner`. */
  readonly fingerprint: string
}

/** Maximum bytes of a pin name, as in Kubo. */
const nameBytesMax = 255

export function bodyOf(files: readonly NamedFile[], owner: string): UploadBody {
  const listed = files.map(({ path, file }) => [path, file.size, file.lastModified])
  const text = new TextEncoder().encode(JSON.stringify([owner, listed]))
  const fingerprint = hexOf(keccak256(text).subarray(0, 16))
  const name = cut(nameOf(files))
  const shared = { pin: 'true', 'cid-version': '1', ...(name === '' ? {} : { 'pin-name': name }) }
  const [first] = files
  if (files.length === 1 && first !== undefined && !first.path.includes('/')) {
    return { blob: first.file, metadata: { ...shared, filename: first.path }, fingerprint }
  }
  const isWrapped = rootsOf(files).size > 1
  return {
    blob: multipart(files, fingerprint),
    metadata: { ...shared, multipart: fingerprint, 'wrap-with-directory': String(isWrapped) },
    fingerprint,
  }
}

function multipart(files: readonly NamedFile[], boundary: string): Blob {
  const parts = files.flatMap(({ path, file }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${encodeURIComponent(path)}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
    file,
    '\r\n',
  ])
  return new Blob([...parts, `--${boundary}--\r\n`])
}

/** Name of the upload: that of its only file or folder. */
export function nameOf(files: readonly NamedFile[]): string {
  const [root = '', ...others] = rootsOf(files)
  return others.length === 0 ? root : `${files.length} files`
}

/** First segments of the paths. */
function rootsOf(files: readonly NamedFile[]): ReadonlySet<string> {
  return new Set(files.map(({ path }) => path.split('/', 1)[0] ?? ''))
}

function cut(name: string): string {
  let text = name
  while (new TextEncoder().encode(text).length > nameBytesMax) text = text.slice(0, -1)
  return text.toWellFormed()
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
