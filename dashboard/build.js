// Builds the page into dist/dashboard: `node dashboard/build.js`; `--if-changed` leaves a build of the same sources alone;
// `--fast` compresses less, for `npm run dev`.
// Plain JavaScript, because npm runs it with any Node. Without vite (a production install) it prints a notice and exits 0.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compress, dist, filesOf, inOrder, isNeeded, print, replace, root } from './built-folder.js'

const source = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
const target = join(dist, 'dashboard')

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
    replace(target, fresh, sourcesOf(result))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Paths of the sources in the project: the dashboard and its imports from other folders. */
function sourcesOf({ output }) {
  const imported = output.flatMap((chunk) => chunk.moduleIds ?? []).map((id) => relative(root, id))
  const outside = imported.filter((path) => /^(src|verifier)\//.test(path))
  return inOrder([...ownSources(), ...outside])
}

function ownSources() {
  return filesOf(source)
    .filter((path) => /\.(tsx?|css|html|svg|js)$/.test(path) && !/\.test\.|^docs\//.test(path))
    .map((path) => `dashboard/${path}`)
}
