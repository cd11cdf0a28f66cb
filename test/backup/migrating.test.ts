// Runs the blocks of docs/guides/move-from-infura.md that are tagged `run`, with URL and key inserted. The output of each must
// match its last line.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { missingCurl, missingPython, run } from '../fakes/programs.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const page = readFileSync(new URL('../../docs/guides/move-from-infura.md', import.meta.url), 'utf8')
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

const blocks = [...page.matchAll(/^## (.+)\n|^```(\w+) run\n([\s\S]+?)^```$/gm)]
let cairn: Started
let folder: string

before(async () => {
  cairn = await startCairn()
  folder = await temporaryFolder()
  await symlink(modules, join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
after(async () => {
  await cairn.stop()
  await rm(folder, { recursive: true, force: true })
})

let heading = ''
for (const [index, [, title, language = '', code = '']] of blocks.entries()) {
  if (title !== undefined) {
    heading = title
    continue
  }
  test(`the ${language} block of "${heading}" prints the stated output (${index})`, async (t) => {
    const promised = /^(?:\/\/|#) prints (.+)\n$/m.exec(code)?.[1]
    assert.ok(promised, 'it ends in a `prints` line')
    const [program, missing] = interpreterOf(language)
    if (missing !== null) return t.diagnostic(missing)
    const file = join(folder, `block-${index}.${language}`)
    await writeFile(file, fillIn(code))
    assert.equal(await run(cairn, program, [file]).then((out) => out.trim()), promised)
  })
}

test('every section states whether its block is tested', () => {
  const headings = blocks.flatMap(([, title]) => title ?? [])
  assert.ok(headings.length > 10)
  assert.deepEqual(
    headings.filter((title) => !/\((run|run, [\d.]+|not run)\)$/.test(title)),
    [],
  )
})

test('the documented versions of clients are the installed ones', () => {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { devDependencies: Record<string, string> }
  const named = [...page.matchAll(/^## ([\w.-]+).* \(run, ([\d.]+)\)$/gm)]
  const packageOf = (name: string) => (name === 'web3.js' ? 'web3' : name)
  assert.deepEqual(
    named.map(([, name = '', version]) => [name, version]),
    named.map(([, name = '']) => [name, devDependencies[packageOf(name)]]),
  )
})

function fillIn(code: string): string {
  const { hostname, port } = new URL(cairn.url)
  return code
    .replaceAll('http://127.0.0.1:8545', cairn.url)
    .replaceAll('ws://127.0.0.1:8545', cairn.url.replace('http', 'ws'))
    .replace("host: '127.0.0.1', port: 8545", `host: '${hostname}', port: ${port}`)
    .replaceAll('<API_KEY>', cairn.apiKey)
    .replaceAll('<API_KEY_SECRET>', cairn.apiKeySecret)
}

function interpreterOf(language: string): readonly [program: string, missing: string | null] {
  if (language === 'python') return ['python3', missingPython()]
  if (language === 'sh') return ['sh', missingCurl()]
  return [process.execPath, null]
}
