import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { changesBetween } from './changes.ts'
import { ConfigError } from './config-error.ts'
import { settingDefinitions, loadConfig } from './config.ts'
import type { Places } from './load.ts'
import { listMembers } from './network-schema.ts'
import { showSources } from './show.ts'
import { sourceSchema } from './source-schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-sources-'))
after(() => rmSync(folder, { recursive: true }))

function load(yaml: string | null, env: Places['env'] = {}) {
  const file = join(folder, 'cairn.yaml')
  if (yaml !== null) writeFileSync(file, yaml)
  return loadConfig({ file: yaml === null ? null : file, env, flags: {} })
}

async function mistakes(yaml: string | null, env?: Places['env']): Promise<readonly string[]> {
  const error = await load(yaml, env).then(
    () => assert.fail('the settings were taken'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ConfigError, String(error))
  return error.mistakes.map(({ text, fix }) => `${text}; ${fix}`.replaceAll(`${folder}/`, ''))
}

const list = (...items: readonly string[]) =>
  `files:\n  idleMs: 5000\n  sources:\n${items.map((item) => `    - ${item}\n`).join('')}`

test('without sources, or with an empty list, no source is configured', async () => {
  assert.deepEqual((await load(null)).config.fileSources, [])
  assert.deepEqual((await load('files:\n  sources:\n')).config.fileSources, [])
  assert.deepEqual((await load('files:\n  sources: []\n')).config.fileSources, [])
})

test('a source has the defaults of the table and its host as its name', async () => {
  const { config } = await load(list('url: https://gw.example:444/under'))
  assert.equal(config.files.idleMs, 5000)
  assert.deepEqual(config.fileSources, [
    {
      url: 'https://gw.example:444/under',
      speaks: 'gateway',
      name: 'gw.example:444',
      headers: {},
      concurrency: 16,
      timeoutMs: 10_000,
      blockBytesMax: 2_097_152,
    },
  ])
  assert.ok(Object.isFrozen(config.fileSources[0]))
})

test('references supply headers and numbers, and are never shown', async () => {
  const yaml = list(
    'url: "${env:GW}"\n      headers: {Authorization: "Bearer ${env:TOKEN}"}\n      concurrency: ${env:MANY}',
    'url: https://key:word@plain.example/token-in-path',
  )
  const env = { GW: 'https://gw.example/secret', TOKEN: 'hunter2', MANY: '4' }
  const loaded = await load(yaml, env)
  const [first] = loaded.config.fileSources
  assert.deepEqual(first?.headers, { authorization: 'Bearer hunter2' })
  assert.equal(first?.concurrency, 4)
  const shown = showSources(loaded)
  const text = JSON.stringify(shown)
  for (const secret of ['hunter2', 'secret', 'word', 'token-in-path']) {
    assert.ok(!text.includes(secret), secret)
  }
  const url = shown.find(({ path }) => path === 'files.sources[1].url')
  assert.equal(url?.value, 'https://plain.example/(redacted)')
  assert.ok(url.origin.endsWith('cairn.yaml:7'))
  assert.ok(shown.some(({ path }) => path === 'files.sources[0].headers.authorization'))
})

test('the variable replaces the list', async () => {
  const env = { CAIRN_FILES_SOURCES: 'http://one, http://two:81' }
  const loaded = await load(list('url: http://three'), env)
  const names = loaded.config.fileSources.map(({ name }) => name)
  assert.deepEqual(names, ['one', 'two:81'])
  assert.deepEqual(loaded.ignored, [])
  const [row] = showSources(loaded)
  assert.deepEqual(row, {
    path: 'files.sources[0].url',
    value: '(redacted)',
    origin: 'CAIRN_FILES_SOURCES',
  })
  assert.deepEqual(await mistakes(null, { CAIRN_FILES_SOURCES: 'one' }), [
    'CAIRN_FILES_SOURCES: files.sources[0].url: expected a URL that starts with http:// or https://; correct CAIRN_FILES_SOURCES',
  ])
})

test('each issue is reported with its line and a fix', async () => {
  const yaml = list(
    'url: ftp://gw.example',
    'name: nameless',
    'url: http://one/ipfs/',
    'url: http://two\n      concurency: 3\n      timeoutMs: 0\n      headers: {host: x}',
    'url: "${env:NOWHERE}"',
    'url: http://three\n      blockBytesMax: 4194305',
    'just text',
  )
  assert.deepEqual(await mistakes(yaml), [
    'cairn.yaml:4: files.sources[0].url: expected http:// or https://, got ftp://; write "url: https://gateway.example" in line 4 of cairn.yaml',
    'cairn.yaml:5: files.sources[1].url is missing; write "url: https://gateway.example" in line 5 of cairn.yaml',
    'cairn.yaml:6: files.sources[2].url: expected the URL without /ipfs, which Cairn adds; write "url: https://gateway.example" in line 6 of cairn.yaml',
    'cairn.yaml:8: "concurency" is not a setting, did you mean "concurrency"?; write concurrency in line 8 of cairn.yaml',
    'cairn.yaml:9: files.sources[3].timeoutMs is 0: expected at least 1; write "timeoutMs: 10000" in line 9 of cairn.yaml',
    'cairn.yaml:10: files.sources[3].headers.host: this header is set by Cairn; write headers: {authorization: "${env:GATEWAY_TOKEN}"} in line 10 of cairn.yaml',
    'cairn.yaml:11: the environment has no variable NOWHERE; export NOWHERE=…',
    'cairn.yaml:13: files.sources[5].blockBytesMax is 4194305: expected at most 4194304; write "blockBytesMax: 2097152" in line 13 of cairn.yaml',
    'cairn.yaml:14: files.sources[6]: expected its members, as "name: value" lines; write "- url: https://gateway.example" in line 14 of cairn.yaml',
  ])
  assert.deepEqual(await mistakes('files:\n  sources: http://one\n'), [
    'cairn.yaml:2: files.sources: expected a list; write "- url: https://gateway.example" below files: sources: of cairn.yaml',
  ])
  assert.deepEqual(await mistakes(list('url: http://one', 'url: http://one/other')), [
    'cairn.yaml:5: files.sources[1]: another source is called one; write "name: one-2" next to its url',
  ])
})

test('a changed list is applied while the server runs', async () => {
  const before = (await load(list('url: http://one'))).config
  const after = (await load(list('url: http://two'))).config
  const { config, live, restart } = changesBetween(settingDefinitions, before, after)
  assert.deepEqual(live, ['files.sources'])
  assert.deepEqual(restart, [])
  assert.equal(config.fileSources[0]?.url, 'http://two')
})

test('every example of the documentation is valid', async () => {
  const members = listMembers(sourceSchema)
  assert.ok(members.length > 4)
  const lines = members.map(({ example }) => `      ${example}\n`).join('')
  const yaml = `files:\n  sources:\n    -\n${lines}`
  const { config } = await load(yaml, { GATEWAY_TOKEN: 'x' })
  assert.equal(config.fileSources.length, 1)
})
