// The documents against the source: generated pages are up to date, links lead somewhere, words are used.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { test } from 'node:test'
import { defaultKeySettings } from '../src/accounts/key-settings.ts'
import { systemClock } from '../src/base/clock.ts'
import { faults } from '../src/base/fault.ts'
import { settingDefinitions } from '../src/config/config.ts'
import { sourceSchema } from '../src/config/source-schema.ts'
import { embeddedSchema, listMembers, upstreamNetworkSchema } from '../src/config/network-schema.ts'
import { createFilesOperations } from '../src/gateway/operations/files-index.ts'
import { commands, globalOptions } from '../src/http/commands.ts'
import { generatePages } from './docs/generate.ts'
import { bannedWords } from './tidy/layers.ts'
import { codeOf, readSources } from './tidy/source.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const documents = globSync('**/*.md', {
  cwd: root.pathname,
  exclude: (name) => name === 'node_modules',
})

for (const [path, text] of generatePages()) {
  test(`${path} is what the source says (npm run docs)`, () => {
    assert.equal(read(path), text)
  })
}

test('every error and every setting has one row, and no row is left over', () => {
  assert.deepEqual(firstColumn('docs/reference/errors.md'), Object.keys(faults))
  assert.deepEqual(firstColumn('docs/reference/settings.md'), [
    ...settingDefinitions.map((leaf) => leaf.path),
    ...listMembers(sourceSchema).map((member) => `files.sources[].${member.path}`),
    ...[upstreamNetworkSchema, embeddedSchema]
      .flatMap((schema) => listMembers(schema))
      .map((member) => `networks[].${member.path}`),
  ])
})

test('every setting of a key is told of where keys are', () => {
  const page = read('docs/guides/restrict-keys.md')
  const missing = Object.keys(defaultKeySettings).filter((name) => !page.includes(`\`${name}\``))
  assert.deepEqual(missing, [])
})

test('every declared file command has an operation, and every operation is declared', () => {
  const publicKey = new Uint8Array(32)
  const operations = createFilesOperations({
    clock: systemClock,
    version: '',
    publicKey,
    declared: { commands, globalOptions },
  })
  assert.deepEqual([...operations.keys()].toSorted(), [...commands.keys()].toSorted())
})

test('every link to a file or heading of the documents leads somewhere', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(path))
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(path, link))
      .map((link) => `${path}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('every page that code, comments or messages name exists', () => {
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

test('every word of the glossary is used in the source', () => {
  const code = readSources(new URL('src/', root).pathname)
    .map((file) => codeOf(file.text))
    .join('\n')
  const words = glossaryWords()
  assert.ok(words.length > 20)
  assert.deepEqual(
    words.filter((word) => !new RegExp(word, 'i').test(code)),
    [],
  )
})

test('the nouns of the glossary are in order, so that each is found and entered once', () => {
  const words = [...read('docs/explanation/glossary.md').matchAll(/^\| ([A-Za-z][^|]+) \|/gm)]
    .slice(1)
    .map((row) => (row[1] ?? '').toLowerCase())
  const nouns = words.slice(0, words.indexOf('find, get'))
  assert.deepEqual(nouns, nouns.toSorted())
})

test('no document has the marks of a merge that was left half done', () => {
  const marked = documents.filter((path) => /^(<{7}|={7}|>{7})( |$)/m.test(read(path)))
  assert.deepEqual(marked, [])
})

test('the glossary names the words that the house checker refuses', () => {
  const banned = read('docs/explanation/glossary.md').split('Banned in names')[1] ?? ''
  for (const word of bannedWords) assert.match(banned, new RegExp(word.replace(/s$/, '')))
})

function firstColumn(path: string): readonly string[] {
  return [...read(path).matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '')
}

/** The first column, except rows of verbs and two-word entries that name a concept, not an identifier. */
function glossaryWords(): readonly string[] {
  const rows = [...read('docs/explanation/glossary.md').matchAll(/^\| ([^|]+) \|/gm)].slice(1)
  return rows.flatMap((row) => (row[1] ?? '').split(',').map((word) => word.trim()))
}

function linksOf(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const target = file === '' ? from : join(dirname(from), file)
  if (!existsSync(new URL(target, root))) return false
  return (
    heading === undefined || !target.endsWith('.md') || anchorsOf(read(target)).includes(heading)
  )
}

/** Headings as GitHub links to them. */
function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
