// The dashboard against the admin API: every operation that it calls exists, with its method and path.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { adminOperations } from '../../src/admin/index.ts'

const folder = new URL('../../dashboard/', import.meta.url)
const files = globSync('**/*.{ts,tsx}', { cwd: folder.pathname }).filter(
  (path) => !path.includes('.test.'),
)

test('every operation that the dashboard names is in the table', () => {
  const offered = new Set(adminOperations.map(({ method, path }) => `${method} ${path}`))
  const named = files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const found = text.matchAll(/['"`]((?:GET|POST|PUT|PATCH|DELETE) \/[^'"`\s?]*)['"`]/g)
    return [...found].map(([, operation = '']) => ({ file, operation }))
  })
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter(({ operation }) => !offered.has(operation)),
    [],
  )
})

test('every page of the documentation that a page of the dashboard names exists', () => {
  const text = readFileSync(new URL('app/pages.ts', folder), 'utf8')
  const guides = [...text.matchAll(/guide: '([^']+)'/g)].map(([, guide = '']) => guide)
  assert.ok(guides.length > 8)
  assert.deepEqual(
    guides.filter((guide) => !existsSync(new URL(`../../docs/${guide}.md`, import.meta.url))),
    [],
  )
})
