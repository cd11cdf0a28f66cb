// The documentation as a started server offers it: every page and anchor has a target, each page is Markdown too, and all of it is small.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { settingDefinitions } from '../../src/config/config.ts'
import { faults } from '../../src/base/fault.ts'
import { type Started, startCairn } from '../started-server.ts'

const root = new URL('../../', import.meta.url)
const sources = globSync('docs/**/*.md', { cwd: root.pathname })
let cairn: Started

before(async () => {
  const build = fileURLToPath(new URL('../../dashboard/docs/build.js', import.meta.url))
  await promisify(execFile)(process.execPath, [build, '--if-changed'])
  cairn = await startCairn()
})
after(() => cairn.stop())

type PageText = { readonly status: number; readonly type: string; readonly text: string }

async function get(path: string): Promise<PageText> {
  const response = await fetch(cairn.url + path)
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, text: await response.text() }
}

/** All pages that are reachable by links from the first one, by path. */
async function crawl(): Promise<ReadonlyMap<string, PageText>> {
  const pages = new Map<string, PageText>()
  const wanted = ['/docs/']
  for (const path of wanted) {
    const page = await get(path)
    pages.set(path, page)
    if (!page.type.startsWith('text/html')) continue
    for (const link of linksOf(page.text)) {
      const target = (link.split('#', 1)[0] ?? '').trim()
      if (target.startsWith('/docs/') && !wanted.includes(target)) wanted.push(target)
    }
  }
  return pages
}

function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => decoded(link))
}

function decoded(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
}

function hasId(page: PageText | undefined, id: string): boolean {
  return page?.text.includes(` id="${id}"`) ?? false
}

test('every page of docs/ is reached from the first one, and every link and anchor has a target', async () => {
  const pages = await crawl()
  const broken = [...pages].filter(([, { status }]) => status !== 200).map(([path]) => path)
  assert.deepEqual(broken, [])
  const lost = [...pages].flatMap(([path, page]) =>
    linksOf(page.text)
      .filter((link) => link.includes('#') && !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [target = '', id = ''] = link.split('#')
        return !hasId(pages.get(target === '' ? path : target), id)
      })
      .map((link) => `${path}: ${link}`),
  )
  assert.deepEqual(lost, [])
  const missing = sources.filter((source) => {
    const name = source.replace(/^docs\//, '').replace(/(?:(?:^|\/)README)?\.md$/, '')
    return !pages.has(`/docs/${name}`) || !pages.has(`/${source}`)
  })
  assert.deepEqual(missing, [])
})

test('each page is also Markdown, byte by byte the file of docs/', async () => {
  for (const source of sources) {
    const { text, type } = await get(`/${source}`)
    assert.equal(type, 'text/markdown; charset=utf-8')
    assert.equal(text, readFileSync(new URL(source, root), 'utf8'), source)
  }
})

test('every setting and every error has an anchor', async () => {
  const settings = await get('/docs/reference/settings')
  const errors = await get('/docs/reference/errors')
  assert.deepEqual(
    settingDefinitions.map(({ path }) => path).filter((path) => !hasId(settings, path)),
    [],
  )
  assert.deepEqual(
    Object.keys(faults).filter((code) => !hasId(errors, code)),
    [],
  )
})

test('llms.txt has the form of llmstxt.org, and each of its links leads to Markdown', async () => {
  const { text, type } = await get('/llms.txt')
  assert.equal(type, 'text/plain; charset=utf-8')
  assert.match(text, /^# Cairn\n\n> \S[^\n]+\n\n## /)
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)(?:: \S.*)?$/gm)].map(([, link]) => link)
  assert.equal(links.length, text.split('\n').filter((line) => line.startsWith('- ')).length)
  const wanted = sources.filter((source) => source !== 'docs/README.md')
  assert.equal(links.length, wanted.length)
  assert.deepEqual(new Set(links), new Set(wanted.map((source) => `/${source}`)))
})

test('an address without a page is answered 404 by a page that leads on', async () => {
  const { status, text } = await get('/docs/guides/none')
  assert.equal(status, 404)
  assert.match(text, /No such page/)
  assert.match(text, /href="\/docs\/get-started"/)
})

test('the first page is at most 40 kB, and a package grows by at most 3 MB', async (t) => {
  const { text } = await get('/docs/')
  const loaded = linksOf(text).filter((link) => link.startsWith('/docs/assets/'))
  const folder = new URL('dist/', root).pathname
  const first = ['/docs/index.html', ...loaded].map(
    (path) => gzipSync(readFileSync(folder + path.slice(1))).length,
  )
  const firstBytes = first.reduce((sum, bytes) => sum + bytes, 0)
  const files = globSync('docs/**/*', { cwd: folder, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  // A package is one gzipped archive, in which the compressed copies do not shrink.
  const bytes = files.map(({ parentPath, name }) => {
    const path = `${parentPath}/${name}`
    return /\.(?:br|gz)$/.test(name) ? statSync(path).size : gzipSync(readFileSync(path)).length
  })
  const packageBytes = bytes.reduce((sum, one) => sum + one, 0)
  t.diagnostic(`first page ${firstBytes} bytes, package ${packageBytes} bytes`)
  assert.ok(firstBytes <= 40_000, `${firstBytes} bytes`)
  assert.ok(packageBytes <= 3_000_000, `${packageBytes} bytes`)
})
