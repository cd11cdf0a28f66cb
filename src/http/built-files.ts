// The files of a build (the dashboard, the documentation), read once at startup, so no URL path reaches the file system. Sent
// compressed if the client accepts it, with an ETag and 304 replies.
// Tested by src/admin/dashboard/dashboard-handler.test.ts
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesTag } from './conditional-request.ts'
import type { NodeExchange } from './node-exchange.ts'

type Encoding = 'identity' | 'br' | 'gzip'

export type BuiltFile = {
  readonly type: string
  /** Hash of the uncompressed bytes, in hex. Each encoding has an ETag derived from it. */
  readonly hash: string
  /** True: the file name changes when the content does. */
  readonly immutable: boolean
  readonly bytes: Readonly<Partial<Record<Encoding, Uint8Array>>>
}

/** By the path inside the folder: `index.html`, `assets/index-1a2b.js`. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
}

/** A file of the build tool, which is never served. */
const stamp = 'built-from.json'

/** Maximum of files to read; a folder has some hundreds. */
const filesMax = 2_000

/** Reads all files of a build; null: there is no build. */
export function readBuiltFiles(folder: string): BuiltFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const files = new Map<string, BuiltFile>()
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of found.slice(0, filesMax)) {
    const type = types[/\.([a-z]+)$/.exec(entry.name)?.[1] ?? '']
    if (!entry.isFile() || type === undefined || entry.name === stamp) continue
    const path = join(entry.parentPath, entry.name)
    const identity = readFileSync(path)
    const name = path.slice(join(folder, '/').length)
    files.set(name, {
      type,
      hash: createHash('sha256').update(identity).digest('hex').slice(0, 32),
      immutable: name.startsWith('assets/'),
      bytes: { identity, ...packed(path, 'br', '.br'), ...packed(path, 'gzip', '.gz') },
    })
  }
  return files
}

function packed(path: string, encoding: Encoding, ending: string): BuiltFile['bytes'] {
  return existsSync(path + ending) ? { [encoding]: readFileSync(path + ending) } : {}
}

/** Sends `file`, or 304 to a client that has it cached. `status`: if not 200. */
export function sendBuiltFile(
  { request, response }: Pick<NodeExchange, 'request' | 'response'>,
  file: BuiltFile,
  own: Readonly<Record<string, string>>,
  status = 200,
): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'], file)
  const bytes = file.bytes[encoding] ?? new Uint8Array()
  const tag = encoding === 'identity' ? `"${file.hash}"` : `"${file.hash}-${encoding}"`
  const headers = {
    ...own,
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  }
  if (status === 200 && namesTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers).end()
    return
  }
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function chooseEncoding(header: string | undefined, file: BuiltFile): Encoding {
  const accepted = new Set(
    (header ?? '')
      .split(',')
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/i.test(one))
      .map((one) => one.replace(/;.*$/, '').trim().toLowerCase()),
  )
  const liked = (['br', 'gzip'] as const).find((one) => accepted.has(one))
  return liked !== undefined && file.bytes[liked] !== undefined ? liked : 'identity'
}
