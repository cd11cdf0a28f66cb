// Builds the documentation of docs/ into dist/docs: `node dashboard/docs/build.js`, with the options of `dashboard/build.js`.
// Plain JavaScript, because npm runs it with any Node. Without vite and marked (a production install) it prints a notice and exits 0.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  compress,
  dist,
  filesOf,
  inOrder,
  isNeeded,
  print,
  replace,
  root,
} from '../built-folder.js'

const source = join(root, 'dashboard/docs')
const target = join(dist, 'docs')

// Compare first: loading vite takes longer than hashing the sources.
if (isNeeded(target, ownSources())) {
  const parts = await Promise.all([import('vite'), import('marked')]).catch(() => null)
  if (parts === null)
    print('The documentation is not built: vite and marked are not installed here.')
  else await build(parts[0])
}

async function build({ build: run }) {
  // Loaded here, because they need marked.
  const { readSite } = await import('./site.js')
  const { notFoundHtml, pageHtml } = await import('./page.js')
  const { llmsText } = await import('./llms.js')
  const { searchText } = await import('./search-text.js')
  const site = readSite()
  mkdirSync(dist, { recursive: true })
  const fresh = mkdtempSync(join(dist, '.docs-'))
  try {
    const assets = {
      ...scriptsOf(await run(viteSettings(fresh))),
      icon: writeAsset(
        fresh,
        'cairn',
        'svg',
        readFileSync(join(root, 'dashboard/cairn.svg'), 'utf8'),
      ),
      search: writeAsset(fresh, 'search', 'json', searchText(site)),
    }
    const pages = inReadingOrder(site)
    for (const [at, page] of pages.entries()) {
      const neighbours = { before: pages[at - 1], after: pages[at + 1] }
      write(fresh, `${page.name || 'index'}.html`, pageHtml(page, { site, assets, neighbours }))
      write(fresh, page.source, page.markdown)
    }
    write(fresh, '404.html', notFoundHtml({ site, assets }))
    write(fresh, 'llms.txt', llmsText(site))
    // Programs that read Markdown read few pages, so compressed copies of them would mainly enlarge the package.
    compress(fresh, (path) => !path.endsWith('.md'))
    replace(target, fresh, ownSources())
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function viteSettings(outDir) {
  return {
    configFile: false,
    root: source,
    base: '/docs/',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { docs: join(source, 'client.ts'), theme: join(source, 'theme.ts') },
      },
    },
  }
}

/** Paths of the built files. The theme is a classic script, which runs before the page is painted. */
function scriptsOf({ output }) {
  const entry = (name) => output.find((chunk) => chunk.isEntry && chunk.name === name)
  const style = output.find(({ fileName }) => fileName.endsWith('.css'))
  const theme = entry('theme')
  if (/\b(?:import|export)\b/.test(theme.code))
    throw new Error('theme.ts must build to a classic script')
  return {
    script: `/docs/${entry('docs').fileName}`,
    theme: `/docs/${theme.fileName}`,
    style: `/docs/${style.fileName}`,
  }
}

/** Sorted as in the navigation; decisions follow their list. */
function inReadingOrder({ pages, groups }) {
  const listed = groups.flatMap(({ entries }) => entries.map((entry) => entry.source))
  const rest = [...pages.keys()].filter((path) => !listed.includes(path) && path !== 'README.md')
  const decisions = listed.indexOf('explanation/decisions/README.md')
  const order = ['README.md', ...listed.toSpliced(decisions + 1, 0, ...rest)]
  return order.map((path) => pages.get(path))
}

/** The file name contains a hash of the bytes, so that browsers may cache it permanently. */
function writeAsset(folder, name, ending, text) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
  const path = `assets/${name}-${hash}.${ending}`
  write(folder, path, text)
  return `/docs/${path}`
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function ownSources() {
  const here = filesOf(source).map((path) => `dashboard/docs/${path}`)
  const styles = filesOf(join(root, 'dashboard/style')).map((path) => `dashboard/style/${path}`)
  const pages = filesOf(join(root, 'docs')).map((path) => `docs/${path}`)
  const own = [...here, ...styles, ...pages].filter((path) => /\.(ts|css|js|md)$/.test(path))
  return inOrder([
    ...own,
    'dashboard/built-folder.js',
    'dashboard/app/theme.ts',
    'dashboard/cairn.svg',
  ])
}
