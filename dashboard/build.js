// Builds the page into dist/dashboard: `node dashboard/build.js`; `--if-changed` leaves a build of the same sources alone.
// Plain JavaScript, for npm runs it with whatever Node it has; without vite (a production install) it says so and ends well.
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
/** Says which sources the build was made from; written last, and not served. */
const stamp = 'built-from.json'

/** What of the source runs WebAssembly, which the content policy does not let in: the page has its own instead. */
const replaced = new Map([
  [join(root, 'src/codec/keccak.ts'), join(source, 'proof/keccak.ts')],
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

const print = (sentence) => process.stdout.write(`${sentence}\n`)

// The comparison comes first: to load vite takes longer than to hash the sources.
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
        // A file of its own for each asset: `data:` URLs would need room in the content policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rolldownOptions: {
          // The form for cards is a document of its own: another content policy holds there.
          input: { index: join(source, 'index.html'), card: join(source, 'card.html') },
          // The codec takes Buffer for granted.
          transform: { inject: { Buffer: ['buffer', 'Buffer'] } },
          // What the page shares with the server names modules of Node in parts that the page never runs.
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

/** Beside each file that shrinks: `.br` and `.gz`, made once here instead of at each answer. */
function compress(folder) {
  for (const path of filesOf(folder)) {
    const bytes = readFileSync(join(folder, path))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
    const forms = {
      '.br': brotliCompressSync(bytes, { params }),
      '.gz': gzipSync(bytes, { level: 9 }),
    }
    for (const [ending, packed] of Object.entries(forms)) {
      if (packed.length < bytes.length) writeFileSync(join(folder, path + ending), packed)
    }
  }
}

/** File by file, new ones first: whoever reads the folder meanwhile finds a whole page. */
function replace(fresh, sources) {
  const paths = filesOf(fresh)
  for (const path of paths.toSorted((one) => (one.startsWith('index.html') ? 1 : -1))) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    renameSync(join(fresh, path), join(target, path))
  }
  for (const path of filesOf(target)) {
    // Another build may do the same at the same time.
    if (path !== stamp && !paths.includes(path)) rmSync(join(target, path), { force: true })
  }
  writeFileSync(join(fresh, stamp), JSON.stringify({ hash: hashOf(sources), sources }))
  renameSync(join(fresh, stamp), join(target, stamp))
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** Files of the project, by their path in it: the folder of the page and what it imports from elsewhere. */
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
  const { hash, sources } = JSON.parse(readFileSync(path, 'utf8'))
  const all = inOrder([...sources, ...ownSources()])
  return all.some((one) => !existsSync(join(root, one))) || hashOf(all) !== hash
}

function hashOf(sources) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')))
  for (const path of sources) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}
