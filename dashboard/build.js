// Builds the page into dist/dashboard: `node dashboard/build.js`; `--if-changed` leaves a build of the same sources alone;
// `--fast` compresses less, for `npm run dev`.
// Plain JavaScript, because npm runs it with any Node. Without vite (a production install) it prints a notice and exits 0.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const source = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const target = join(dist, 'dashboard')
/** Lists the sources of the build. Written last, not served. */
const stamp = 'built-from.json'

/** Modules that need WebAssembly, which the content policy forbids, and their replacements in JavaScript. */
const replaced = new Map([
  [join(root, 'src/codec/hash/keccak.ts'), join(source, 'proof/keccak.ts')],
  ['tiny-secp256k1', join(source, 'proof/recover.ts')],
])
const inJavaScript = {
  name: 'in JavaScript',
  enforce: 'pre',
  resolveId(asked, importer) {
    const path = asked.startsWith('.') && importer ? join(dirname(importer), asked) : asked
    return replaced.get(path) ?? null
  },
}

/** Quality of Brotli. 11 takes 1.3 s, 5 takes 30 ms, and its files are 8 % larger. */
const quality = process.argv.includes('--fast') ? 5 : 11

const print = (sentence) => process.stdout.write(`${sentence}\n`)

// Compare first: loading vite takes longer than hashing the sources.
if (!process.argv.includes('--if-changed') || isChanged()) {
  const vite = await import('vite').catch(() => null)
  if (vite === null) print('The dashboard is not built: vite is not installed here.')
  else await build(vite)
}

async function build({ build: run }) {
  mkdirSync(dist, { recursive: true })
  const fresh = mkdtempSync(join(dist, '.dashboard-'))
  try {
    const result = await run({
      configFile: false,
      root: source,
      base: '/dashboard/',
      publicDir: false,
      logLevel: 'warn',
      plugins: [inJavaScript],
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: fresh,
        emptyOutDir: true,
        target: 'es2022',
        // One file for each asset: the content policy forbids `data:` URLs.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rolldownOptions: {
          // The form for cards is a separate document, because it has a different content policy.
          input: { index: join(source, 'index.html'), card: join(source, 'card.html') },
          // The codec uses the global Buffer.
          transform: { inject: { Buffer: ['buffer', 'Buffer'] } },
          // Code shared with the server imports Node modules in parts that the page never runs.
          onLog(level, log, handle) {
            if (!log.message?.includes('externalized for browser compatibility')) handle(level, log)
          },
        },
      },
    })
    compress(fresh)
    replace(fresh, sourcesOf(result))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Writes a `.br` and a `.gz` copy of each file that shrinks, so that the server need not compress replies. */
function compress(folder) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  for (const path of filesOf(folder)) {
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
function replace(fresh, sources) {
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

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** Paths of the sources in the project: the dashboard and its imports from other folders. */
function sourcesOf({ output }) {
  const imported = output.flatMap((chunk) => chunk.moduleIds ?? []).map((id) => relative(root, id))
  const outside = imported.filter((path) => /^(src|verifier)\//.test(path))
  return inOrder([...ownSources(), ...outside])
}

function inOrder(paths) {
  return [...new Set(paths)].toSorted((one, other) => (one < other ? -1 : 1))
}

function ownSources() {
  return filesOf(source)
    .filter((path) => /\.(tsx?|css|html|svg|js)$/.test(path) && !path.includes('.test.'))
    .map((path) => `dashboard/${path}`)
}

function isChanged() {
  const path = join(target, stamp)
  if (!existsSync(path)) return true
  const { hash, quality: built = 0, sources } = JSON.parse(readFileSync(path, 'utf8'))
  if (built < quality) return true
  const all = inOrder([...sources, ...ownSources()])
  return all.some((one) => !existsSync(join(root, one))) || hashOf(all) !== hash
}

function hashOf(sources) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')))
  for (const path of sources) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}
