// The files of the built dashboard, read once at the start: no URL path reaches the file system.
// Tested by src/admin/dashboard/dashboard-handler.test.ts
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Encoding = 'identity' | 'br' | 'gzip'

export type DashboardFile = {
  readonly type: string
  /** Of the plain bytes, in hex; each encoding has a tag of its own made from it. */
  readonly hash: string
  /** Its name changes when its bytes do. */
  readonly immutable: boolean
  readonly bytes: Readonly<Partial<Record<Encoding, Uint8Array>>>
}

/** By the path below `/dashboard/`: `index.html`, `assets/index-1a2b.js`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
}

/** How many files are read at most; a page has some dozens. */
const filesMax = 1_000

/** Reads the page that `dashboard/build.js` made in `folder`; null: it has not been built. */
export function readDashboard(folder: string): DashboardFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const files = new Map<string, DashboardFile>()
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of found.slice(0, filesMax)) {
    const type = types[/\.([a-z]+)$/.exec(entry.name)?.[1] ?? '']
    if (!entry.isFile() || type === undefined) continue
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

function packed(path: string, encoding: Encoding, ending: string): DashboardFile['bytes'] {
  return existsSync(path + ending) ? { [encoding]: readFileSync(path + ending) } : {}
}
