import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBreaches } from './check.ts'

/** Breaches in test files: path -> text after the header line. Every file counts as tested by default. */
function breaches(
  planted: Record<string, string>,
  head = '// What it is.\n// Tested by here.ts\n',
) {
  const files = Object.entries(planted).map(([path, text]) => ({ path, text: head + text }))
  return findBreaches(files, (path) => path === 'here.ts')
}

test('tidy files have no breach', () => {
  assert.deepEqual(
    breaches({
      'server/app.ts': "import { b } from './cli/b.ts'\nimport { c } from './config/c.ts'\n",
      'cli/b.ts': "export const b = await import('node:zlib')\n",
      'config/c.ts': 'export const c = process.env\n',
      'http/server.ts': "import http from 'node:http'\nexport const a = http\n",
      'http/reply.ts':
        "import type { ServerResponse } from 'node:http'\nexport type A = ServerResponse\n",
    }),
    [],
  )
})

test('an upward import is found, also of a type, a side effect, a re-export and an inline import', () => {
  for (const line of [
    "import { a } from '../http/a.ts'",
    "import type { A } from '../http/a.ts'",
    "import {\n  a,\n  b,\n} from '../http/a.ts'",
    "import '../http/a.ts'",
    "export { a } from '../http/a.ts'",
    "export type { A } from '../http/a.ts'",
    "const a = await import('../http/a.ts')",
    "let a: import('../http/a.ts').A",
  ]) {
    assert.deepEqual(
      breaches({ 'content/x.ts': `${line}\n` }),
      ['content/x.ts -> http/a.ts: layer 5 may not import layer 7'],
      line,
    )
  }
})

test('an import in a comment is ignored', () => {
  const text =
    "// import '../http/a.ts'\n/* import('../http/a.ts') */\nconst a = 1 // import '../http/a.ts'\n"
  assert.deepEqual(breaches({ 'content/x.ts': text }), [])
})

test('folders of one layer that import each other are found, and so is the cycle', () => {
  assert.deepEqual(
    breaches({
      'ipfs/a.ts': "import type { B } from '../chain/b.ts'\n",
      'chain/b.ts': "import type { A } from '../ipfs/a.ts'\n",
    }),
    [
      'ipfs/a.ts -> chain/b.ts: folders of layer 6 do not import each other',
      'chain/b.ts -> ipfs/a.ts: folders of layer 6 do not import each other',
      'cycle: ipfs/a.ts -> chain/b.ts -> ipfs/a.ts',
    ],
  )
})

test('a folder of more than forty modules is found; tests and subfolders do not count', () => {
  const modules = (count: number, folder: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/m${at}.ts`, '']))
  const most = { ...modules(40, 'db'), ...modules(40, 'db/more'), 'db/m0.test.ts': '' }
  assert.deepEqual(breaches(most), [])
  assert.deepEqual(breaches({ ...most, 'db/m40.ts': '' }), ['db: 41 modules, at most 40'])
})

test('a cycle inside a folder is found, types included', () => {
  assert.deepEqual(
    breaches({ 'db/a.ts': "import type { B } from './b.ts'\n", 'db/b.ts': "import './a.ts'\n" }),
    ['cycle: db/a.ts -> db/b.ts -> db/a.ts'],
  )
})

test('a folder without a layer is found, and so are settings imported below the top layer', () => {
  assert.deepEqual(breaches({ 'extras/a.ts': '' }), ['extras/a.ts: folder extras has no layer'])
  assert.match(
    breaches({ 'http/a.ts': "import type { C } from '../config/c.ts'\n" })[0] ?? '',
    /only \., server, cli, config may import config$/,
  )
})

test('use of a wrapped interface outside its module is found', () => {
  const planted = {
    'http/a.ts': "import { createServer } from 'node:http'\n",
    'content/b.ts': "import type { IncomingMessage } from 'node:http'\n",
    'content/a.ts': "import { DatabaseSync } from 'node:sqlite'\n",
    'access/a.ts': 'const home = process.env.HOME\n',
    'access/b.ts': 'const now = Date.now()\n',
    'ipfs/a.ts': 'setTimeout(run, 5)\n',
    'ipfs/b.ts': 'const signal = AbortSignal.timeout(5)\n',
    'ipfs/c.ts': "import { setTimeout } from 'node:timers/promises'\n",
    'chain/a.ts': "import { VM } from '@ethereumjs/vm'\n",
  }
  const found = breaches(planted)
  assert.equal(found.length, Object.keys(planted).length, found.join('\n'))
  for (const one of found) assert.match(one, /^\S+: uses .+, whose door is /)
})

test('a method with the name of a timer is ignored', () => {
  assert.deepEqual(breaches({ 'http/a.ts': 'server.setTimeout(5)\n' }), [])
})

test('banned words are found in files, folders and exported names', () => {
  assert.equal(breaches({ 'db/row-utils.ts': '' }).length, 1)
  assert.equal(breaches({ 'db/common/a.ts': '' }).length, 1)
  assert.equal(breaches({ 'db/a.ts': 'export class KeyManager {}\n' }).length, 1)
  assert.equal(breaches({ 'db/a.ts': 'export type BlockInfo = 1\n' }).length, 1)
  assert.deepEqual(breaches({ 'db/a.ts': 'export const commonly = 1\nexport type Info = 1\n' }), [])
})

test('default exports, barrel files, missing headers and long files are found', () => {
  assert.deepEqual(breaches({ 'db/a.ts': 'export default 1\n' }), ['db/a.ts: has a default export'])
  assert.equal(breaches({ 'db/index.ts': '' }).length, 1)
  assert.match(breaches({ 'db/a.ts': 'type A = 1\n' }, '')[0] ?? '', /saying what it is$/)
  const long = 'type A = 1\n'.repeat(401)
  assert.match(breaches({ 'db/a.ts': long })[0] ?? '', /no "long: reason"/)
  assert.deepEqual(breaches({ 'db/a.ts': long }, '// A table. long: one row each.\n'), [])
})

test('untested code is found; types need no test', () => {
  const head = '// What it is.\n'
  assert.match(
    breaches({ 'db/a.ts': 'export const a = 1\n' }, head)[0] ?? '',
    /no test next to it or in its folder/,
  )
  assert.deepEqual(breaches({ 'db/a.ts': 'export type A = 1\n' }, head), [])
  assert.deepEqual(breaches({ 'db/a.ts': 'const a = 1\n', 'db/a.test.ts': '' }, head), [])
  const tested = { 'db/a.ts': 'const a = 1\n', 'db/b.test.ts': "import { a } from './a.ts'\n" }
  assert.deepEqual(breaches(tested, head), [])
  assert.match(
    breaches({ 'db/a.ts': 'const a = 1\n' }, '// Tested by gone.ts\n')[0] ?? '',
    /tested by gone.ts, which is not there$/,
  )
})
