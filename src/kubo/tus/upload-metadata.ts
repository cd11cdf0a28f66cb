// The Upload-Metadata of a tus upload: the file name, and options of `add` by their names.
// Rules: https://tus.io/protocols/resumable-upload (Upload-Metadata)
import { Fault } from '../../base/fault.ts'
import { parseCommandLine } from '../command-line.ts'
import { add } from '../commands/files/add.ts'

const metadataBytesMax = 16 * 1024
const nameBytesMax = 1024
/** As in Kubo. */
const pinNameBytesMax = 255

/** Parses pairs of a key and a Base64 value. Throws `bad_argument`. */
export function parseMetadata(header: string | undefined): Readonly<Record<string, string>> {
  if (header === undefined || header.trim() === '') return {}
  if (header.length > metadataBytesMax) throw bad('Upload-Metadata is over 16384 bytes')
  const found = new Map<string, string>()
  for (const pair of header.split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ')
    const isWrong = key === '' || more.length > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)
    if (isWrong || found.has(key)) throw bad('Upload-Metadata is malformed')
    found.set(key, Buffer.from(value, 'base64').toString('utf8'))
  }
  return Object.fromEntries(found)
}

/** Options of `add`, as in a query; a pin without a name gets the file name. Throws `bad_argument`. */
export function addOptions(
  metadata: Readonly<Record<string, string>>,
): ReadonlyMap<string, boolean | bigint | string> {
  const query = new URLSearchParams({ ...metadata })
  // Removes names that are not options, and options that make sense only with a streamed reply.
  for (const name of ['name', 'n', 'progress', 'p', 'silent', 'arg', 'multipart'])
    query.delete(name)
  boundaryOf(metadata)
  const name = nameOf(metadata)
  const named = query.has('pin-name') || notPinned(query)
  if (!named && name !== '' && Buffer.byteLength(name) <= pinNameBytesMax)
    query.set('pin-name', name)
  return parseCommandLine({ command: add, pathArgument: null }, query).options
}

function notPinned(query: URLSearchParams): boolean {
  return query.get('pin') === 'false' || query.get('only-hash') === 'true'
}

/** The last segment of `filename` or `name`; '' if there is none. Throws `bad_argument`. */
export function nameOf(metadata: Readonly<Record<string, string>>): string {
  const given = metadata['filename'] ?? metadata['name'] ?? ''
  const name = given.replace(/^.*\//s, '')
  if (name.includes('\0') || Buffer.byteLength(name) > nameBytesMax) {
    throw bad('file name of Upload-Metadata is too long or holds a NUL byte')
  }
  return /^\.{0,2}$/.test(name) ? '' : name
}

/**
 * `multipart`: the upload is a multipart/form-data body with that boundary, as for `add`: a folder, or several files. Null: it is a
 * single file. Throws `bad_argument`.
 */
export function boundaryOf(metadata: Readonly<Record<string, string>>): string | null {
  const boundary = metadata['multipart'] ?? null
  if (boundary !== null && !/^[\w-]{1,70}$/.test(boundary)) {
    throw bad('multipart of Upload-Metadata is no boundary of 1 to 70 letters, digits, - and _')
  }
  return boundary
}

function bad(detail: string): Fault {
  return new Fault('bad_argument', { detail })
}
