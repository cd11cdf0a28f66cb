// Compares docs/explanation/guarantees.md with the tests: the page names existing tests, and lists each test that names a guarantee.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('docs/explanation/guarantees.md', root), 'utf8')
const lines = [...page.matchAll(/^- `([^`]+)`: (.+)$/gm)]
const named = lines.map(([, file = '', title = '']) => ({ file, title }))

test('every guarantee names an existing test', () => {
  assert.ok(named.length > 30)
  const lost = named.filter(({ file, title }) => !holds(file, title))
  assert.deepEqual(lost, [])
})

test('every heading of the page has a test', () => {
  const sections = page.split(/^## /m).slice(1)
  assert.deepEqual(
    sections.filter((section) => !/^- `/m.test(section)),
    [],
  )
})

test('a test file that names a guarantee is listed under it', () => {
  const files = globSync(['test/**/*.test.ts', 'src/**/*.test.ts'], { cwd: root.pathname })
  const claims = files.flatMap((file) => {
    const claimed = /^\/\/.*\bguarantee (\d+) of docs\/explanation\/guarantees\.md/im
    const number = claimed.exec(readFileSync(new URL(file, root), 'utf8'))?.[1]
    return number === undefined ? [] : [{ file, number }]
  })
  assert.ok(claims.length >= 5)
  const astray = claims.filter(({ file, number }) => {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${number}. `))
    return section?.includes(`- \`${file}\`: `) !== true
  })
  assert.deepEqual(astray, [])
})

function holds(file: string, title: string): boolean {
  const path = new URL(file, root)
  return existsSync(path) && readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title)
}
