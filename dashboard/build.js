// Builds the page into dist/dashboard: `node dashboard/build.js`; `--if-changed` skips a build of the same sources; `--fast`
// compresses less, for `npm run dev`. Plain JavaScript, because npm runs it with any Node. Without vite (a production install) it
// prints a notice and exits 0.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compress, dist, filesOf, inOrder, isNeeded, print, replace, root } from './built-folder.js'

const source = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
const target = join(dist, 'dashboard')

const blobs = join(root, 'src/evm/precompiles')
/** Modules that require Node or a terminal, or are too large for a browser, and their replacements. */
const hashes = join(root, 'src/codec/hash')
const replaced = new Map([
  [join(hashes, 'keccak.ts'), join(source, 'proof/keccak.ts')],
  [join(hashes, 'blake.ts'), join(source, 'proof/blake.ts')],
  [join(hashes, 'digest.ts'), join(source, 'proof/digest.ts')],
  [join(blobs, 'blob-crypto.ts'), join(blobs, 'point-evaluation.ts')],
  ['tiny-secp256k1', join(source, 'proof/recover.ts')],
  ['node:timers/promises', join(source, 'proof/timers.ts')],
  ['debug', join(source, 'proof/no-debug.ts')],
])
/** Paths of all modules of the page and its workers. */
const built = new Set()
const inBrowser = () => ({
  name: 'in the browser',
  enforce: 'pre',
  resolveId(asked, importer) {
    const path = asked.startsWith('.') && importer ? join(dirname(importer), asked) : asked
    return replaced.get(path) ?? null
  },
  buildEnd() {
    for (const id of this.getModuleIds()) built.add(id)
  },
})

const bundling = {
  // The worker is built within a callback.
  checks: { pluginTimings: false },
  // The codec uses the global Buffer.
  transform: { inject: { Buffer: ['buffer', 'Buffer'] } },
  // Code shared with the server imports Node modules in parts that the page never runs.
  onLog(level, log, handle) {
    if (!log.message?.includes('externalized for browser compatibility')) handle(level, log)
  },
}

// Compare first: loading vite takes longer than hashing the sources.
if (isNeeded(target, ownSources())) {
  const vite = await import('vite').catch(() => null)
  if (vite === null) print('The dashboard is not built: vite is not installed here.')
  else await build(vite)
}

async function build({ build: run }) {
  mkdirSync(dist, { recursive: true })
  const fresh = mkdtempSync(join(dist, '.dashboard-'))
  try {
    await run({
      configFile: false,
      root: source,
      base: '/dashboard/',
      publicDir: false,
      logLevel: 'warn',
      plugins: [inBrowser()],
      worker: { format: 'es', plugins: () => [inBrowser()], rolldownOptions: bundling },
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
          ...bundling,
        },
      },
    })
    compress(fresh)
    replace(target, fresh, builtSources())
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Paths of the sources in the project: the dashboard and its imports from other folders. */
function builtSources() {
  const imported = [...built].map((id) => relative(root, id))
  const outside = imported.filter((path) => /^(src|verifier)\//.test(path))
  return inOrder([...ownSources(), ...outside])
}

function ownSources() {
  return filesOf(source)
    .filter((path) => /\.(tsx?|css|html|svg|js)$/.test(path) && !/\.test\.|^docs\//.test(path))
    .map((path) => `dashboard/${path}`)
}
