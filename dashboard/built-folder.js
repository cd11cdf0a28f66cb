// A folder of built files in dist/: compressed copies, replacement while a server reads it, and a stamp with the sources of the
// build. Plain JavaScript, because npm runs the builds with any Node.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Root folder of the project. */
export const root = fileURLToPath(new URL('..', import.meta.url))
export const dist = join(root, 'dist')

/** Lists the sources of the build. Written last, not served. */
const stamp = 'built-from.json'

/** Brotli quality. 11 takes 1.3 s; 5 takes 30 ms, and its files are 8 % larger. */
const quality = process.argv.includes('--fast') ? 5 : 11

export const print = (sentence) => process.stdout.write(`${sentence}\n`)

/** Whether a build is needed: always, except with `--if-changed` after a build of the same sources. */
export function isNeeded(target, ownSources) {
  return !process.argv.includes('--if-changed') || isChanged(target, ownSources)
}

/** Writes a `.br` and a `.gz` copy of each file that shrinks, so that the server need not compress replies. */
export function compress(folder, isCompressed = () => true) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  for (const path of filesOf(folder).filter(isCompressed)) {
    const bytes = readFileSync(join(folder, path))
    const forms = {
      '.br': brotliCompressSync(bytes, { params }),
      '.gz': gzipSync(bytes, { level: 9 }),
    }
    for (const [ending, packed] of Object.entries(forms)) {
      if (packed.length < bytes.length) writeFileSync(join(folder, path + ending), packed)
    }
  }
}

/** Replaces files one by one, index.html last, so that a server that reads the folder always finds a complete page. */
export function replace(target, fresh, sources) {
  const paths = filesOf(fresh)
  for (const path of paths.toSorted((one) => (one.startsWith('index.html') ? 1 : -1))) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    renameSync(join(fresh, path), join(target, path))
  }
  for (const path of filesOf(target)) {
    // Another build may run at the same time.
    if (path !== stamp && !paths.includes(path)) rmSync(join(target, path), { force: true })
  }
  writeFileSync(join(fresh, stamp), JSON.stringify({ hash: hashOf(sources), quality, sources }))
  renameSync(join(fresh, stamp), join(target, stamp))
}

/** Paths of all files below `folder`. */
export function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

export function inOrder(paths) {
  return [...new Set(paths)].toSorted((one, other) => (one < other ? -1 : 1))
}

function isChanged(target, ownSources) {
  const path = join(target, stamp)
  if (!existsSync(path)) return true
  const { hash, quality: built = 0, sources } = JSON.parse(readFileSync(path, 'utf8'))
  if (built < quality) return true
  const all = inOrder([...sources, ...ownSources])
  return all.some((one) => !existsSync(join(root, one))) || hashOf(all) !== hash
}

function hashOf(sources) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')))
  for (const path of sources) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}
