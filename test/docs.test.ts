// Compares the documents with the source: generated pages are current, links have targets, glossary terms are names in the code.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { test } from 'node:test'
import { defaultKeySettings } from '../src/access/accounts/key-settings.ts'
import { faults } from '../src/base/fault.ts'
import { settingDefinitions } from '../src/config/config.ts'
import { sourceSchema } from '../src/config/source-schema.ts'
import { embeddedSchema, listMembers, upstreamNetworkSchema } from '../src/config/network-schema.ts'
import { generatePages } from './docs/generate.ts'
import { bannedWords } from './tidy/layers.ts'
import { codeOf, readSources } from './tidy/source.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const documents = globSync('**/*.md', {
  cwd: root.pathname,
  exclude: (name) => name === 'node_modules' || name === 'dist',
})

for (const [path, text] of await generatePages()) {
  test(`${path} matches the source (npm run docs)`, () => {
    assert.equal(read(path), text)
  })
}

test('every error and every setting has one row, and no row is superfluous', () => {
  assert.deepEqual(firstColumn('docs/reference/errors.md'), Object.keys(faults))
  assert.deepEqual(firstColumn('docs/reference/settings.md'), [
    ...settingDefinitions.map((leaf) => leaf.path),
    ...listMembers(sourceSchema).map((member) => `files.sources[].${member.path}`),
    ...[upstreamNetworkSchema, embeddedSchema]
      .flatMap((schema) => listMembers(schema))
      .map((member) => `networks[].${member.path}`),
  ])
})

test('the guide to API keys names every setting of a key', () => {
  const page = read('docs/guides/restrict-keys.md')
  const missing = Object.keys(defaultKeySettings).filter((name) => !page.includes(`\`${name}\``))
  assert.deepEqual(missing, [])
})

test('every link of the documents to a file or heading has a target', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(path))
      .filter((link) => !/^[a-z]+:/.test(link) && !hasTarget(path, link))
      .map((link) => `${path}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('every page named in code, comments or messages exists', () => {
  const texts = globSync(
    '{src,test,bench,dashboard,verifier,deploy,examples}/**/*.{ts,tsx,yml,sh,py}',
    {
      cwd: root.pathname,
    },
  )
  const lost = texts.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/[\w./-]+\.md\b/g)]
      .filter(([page]) => !existsSync(new URL(page, root)))
      .map(([page]) => `${path}: ${page}`),
  )
  assert.deepEqual(lost, [])
})

test('every glossary term is a name in the source', () => {
  const code = readSources(new URL('src/', root).pathname)
    .map((file) => codeOf(file.text))
    .join('\n')
  const terms = glossaryRows().flatMap(({ terms }) => terms)
  assert.ok(terms.length > 20)
  assert.deepEqual(
    terms.filter((term) => !isName(term, code)),
    [],
  )
})

test('the glossary has at most 40 entries, each with a definition, none with a banned name', () => {
  const rows = glossaryRows()
  assert.ok(rows.length <= 40, `${rows.length} entries`)
  assert.deepEqual(
    rows.filter(({ definition }) => definition === '').map(({ terms }) => terms),
    [],
  )
  assert.deepEqual(
    rows.flatMap(({ terms }) => terms.filter((term) => bannedWords.includes(term.toLowerCase()))),
    [],
  )
})

test('glossary nouns are sorted, followed by the verbs, and no term has two entries', () => {
  const terms = glossaryRows().map(({ terms: [first = ''] }) => first)
  const isNoun = (term: string) => /^[A-Z]/.test(term)
  const order = [
    ...terms.filter(isNoun).toSorted(),
    ...terms.filter((term) => !isNoun(term)).toSorted(),
  ]
  assert.deepEqual(terms, order)
  assert.equal(new Set(terms).size, terms.length)
})

test('no document contains conflict markers of a merge', () => {
  const marked = documents.filter((path) => /^(<{7}|={7}|>{7})( |$)/m.test(read(path)))
  assert.deepEqual(marked, [])
})

function firstColumn(path: string): readonly string[] {
  return [...read(path).matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '')
}

type GlossaryRow = { readonly terms: readonly string[]; readonly definition: string }

function glossaryRows(): readonly GlossaryRow[] {
  const rows = [...read('docs/explanation/glossary.md').matchAll(/^\| ([A-Za-z].*) \| (.*) \|$/gm)]
  return rows.slice(1).map(([, terms = '', definition = '']) => ({
    terms: terms.split(',').map((term) => term.trim()),
    definition: definition.trim(),
  }))
}

/** Finds `term` as a whole name, or as whole words of one: Segment in `openSegments`, not Pin in `Mapping`. */
function isName(term: string, code: string): boolean {
  const first = term.charAt(0)
  const rest = term.slice(1)
  const lower = `(?<![A-Za-z])${first.toLowerCase()}${rest}`
  return new RegExp(`(?:${lower}|${first.toUpperCase()}${rest})(?:s|d|ed)?(?![a-z])`).test(code)
}

function linksOf(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
}

function hasTarget(from: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const target = file === '' ? from : join(dirname(from), file)
  if (!existsSync(new URL(target, root))) return false
  return (
    heading === undefined || !target.endsWith('.md') || anchorsOf(read(target)).includes(heading)
  )
}

/** Anchors of headings, as GitHub builds them. */
function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
