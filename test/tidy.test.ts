// Checks the source against the house rules: layers, wrapped interfaces, names, tests, change notes.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { findBreaches } from './tidy/check.ts'
import { folderModulesMax } from './tidy/layers.ts'
import { importsOf, isTest, readSources } from './tidy/source.ts'

const root = new URL('../', import.meta.url)
const files = readSources(new URL('src/', root).pathname)
const exists = (path: string) => existsSync(new URL(path, root))

test('the source keeps the house rules', (context) => {
  const longest = files
    .filter((file) => !isTest(file))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, 10)
  context.diagnostic(`longest: ${longest.map((one) => `${one.path} ${one.lines}`).join(', ')}`)
  assert.equal(findBreaches(files, exists).join('\n'), '')
})

test('a folder of tests, benchmarks or pages has no more modules than one of the source', () => {
  const counts = new Map<string, number>()
  for (const path of globSync('{test,bench,dashboard,verifier,examples,dev}/**/*.{ts,tsx}', {
    cwd: root.pathname,
    exclude: (name) => name.includes('node_modules'),
  })) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  }
  assert.deepEqual(
    [...counts].filter(([, modules]) => modules > folderModulesMax),
    [],
  )
})

test('every operation is listed in a table of operations', () => {
  const folders = ['rpc/methods/', 'kubo/commands/', 'ipfs-gateway/operations/']
  const inFolder = files.filter(
    (file) => folders.some((folder) => file.path.startsWith(folder)) && !isTest(file),
  )
  const tables = inFolder.filter((file) => file.path.endsWith('/index.ts'))
  assert.equal(tables.length, folders.length)
  const listed = tables.flatMap(importsOf).map(({ target }) => target)
  // Operations are named by their wire name; kebab-case files serve several of them.
  const missing = inFolder.filter(
    (file) => !tables.includes(file) && /_/.test(file.path) && !listed.includes(file.path),
  )
  assert.deepEqual(
    missing.map((file) => file.path),
    [],
  )
})

test('sections of the changelog are versions, newest first, with a date or unreleased', () => {
  const text = readFileSync(new URL('CHANGELOG.md', root), 'utf8')
  const headings = text.split('\n').filter((line) => line.startsWith('## '))
  const versions = headings.map((heading) => {
    const form = /^## \[(\d+)\.(\d+)\.(\d+)\] - (?:\d{4}-\d{2}-\d{2}|Unreleased)$/.exec(heading)
    assert.ok(form, heading)
    return form.slice(1).map(Number)
  })
  assert.ok(versions.length > 0)
  const newestFirst = versions.toSorted((one, other) => {
    const at = one.findIndex((part, index) => part !== other[index])
    return at < 0 ? 0 : (other[at] ?? 0) - (one[at] ?? 0)
  })
  assert.deepEqual(versions, newestFirst)
  const unreleased = headings.filter((heading) => heading.endsWith('Unreleased'))
  assert.deepEqual(unreleased, headings.slice(0, unreleased.length), 'only the newest is open')
  assert.ok(unreleased.length <= 1)
})

test('every change note has a heading and a text', () => {
  for (const name of globSync('changes/unreleased/*.md', { cwd: root.pathname })) {
    const text = readFileSync(new URL(name, root), 'utf8')
    assert.match(text, /^## \S.*\n\n\S/, name)
  }
})

test('every file that a comment or a page names with its folder exists', () => {
  const there = globSync('{src,test,bench,dashboard,verifier,examples,dev}/**/*.{ts,tsx}', {
    cwd: root.pathname,
  })
  const pages = globSync('{AGENTS.md,CONTRIBUTING.md,docs/**/*.md}', { cwd: root.pathname })
  const texts = [
    ...files.filter((file) => !isTest(file)),
    ...pages.map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') })),
  ]
  const lost = texts.flatMap(({ path, text }) => {
    // The compiler resolves imports.
    const named = text.matchAll(/(?<![\w./-])(?:[\w-]+\/)+[\w-]+\.tsx?(?!\w)/g)
    return [...named]
      .map(([name]) => name)
      .filter((name) => !there.some((one) => one === name || one.endsWith(`/${name}`)))
      .map((name) => `${path}: ${name}`)
  })
  assert.deepEqual(lost, [])
})

test('AGENTS.md is at most 80 lines', () => {
  const lines = readFileSync(new URL('AGENTS.md', root), 'utf8').trimEnd().split('\n')
  assert.ok(lines.length <= 80, `${lines.length} lines`)
})
