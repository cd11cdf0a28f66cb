import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const app = fileURLToPath(new URL('app.ts', import.meta.url))

test('a server without database.url and objects.url loads no client of PostgreSQL, no object store and no worker', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
    await import(${JSON.stringify(app)})
    console.log(JSON.stringify(loaded.filter((name) => name === 'pg' || name.includes('db/postgres/') || /open-objects|object-block-store|shared-uploads|range-cache|workers\\/|node:cluster/.test(name))), loaded.length > 100)
    process.exit(0)`
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.equal(stdout.trim(), '[] true')
})
