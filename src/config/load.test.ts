import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './config.ts'
import { listSettings } from './setting-definition.ts'
import { loadSettings } from './load.ts'
import type { Places } from './load.ts'
import { redacted, showSettings } from './show.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-config-'))
after(() => rmSync(folder, { recursive: true }))

function yaml(text: string, name = 'cairn.yaml'): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

function load(places: Partial<Places> = {}) {
  return loadConfig({ file: null, env: {}, flags: {}, ...places })
}

async function refusal(places: Partial<Places>): Promise<string> {
  const error = await load(places).then(
    () => assert.fail('the settings were taken'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ConfigError, String(error))
  return error.message.replace(folder, '')
}

test('without any settings, every setting has its default', async () => {
  const { config } = await load()
  assert.equal(config.http.port, 8545)
  assert.equal(config.dataDir, './cairn-data')
  assert.equal(config.files.uploadBytesMax, null)
})

test('a file overrides defaults, the environment overrides the file, flags override all', async () => {
  const file = yaml('http:\n  port: 1\n  host: 10.0.0.1\nrpc: {requestMs: 7}\n')
  const env = { CAIRN_HTTP_PORT: '2', CAIRN_HTTP_HOST: '10.0.0.2' }
  const { config, origins } = await load({
    file,
    env,
    flags: { 'http.port': { flag: '--port', text: '3' } },
  })
  assert.equal(config.http.port, 3)
  assert.equal(config.http.host, '10.0.0.2')
  assert.equal(config.rpc.requestMs, 7)
  assert.equal(config.rpc.batchItemsMax, 100)
  assert.equal(origins.get('http.port')?.where, '--port')
})

test('CAIRN_CONFIG names the file if no flag does', async () => {
  const { config } = await load({ env: { CAIRN_CONFIG: yaml('http: {port: 9}') } })
  assert.equal(config.http.port, 9)
})

test('an unknown key is refused with its line and the nearest name', async () => {
  const file = yaml('dataDir: x\nhttp:\n  host: "::1"\n  prot: 1\n')
  assert.equal(
    await refusal({ file }),
    '/cairn.yaml:4: "http.prot" is not a setting, did you mean "http.port"?',
  )
})

test('an unknown section is refused, an empty known one is not', async () => {
  const file = yaml('rcp:\n  requestMs: 1\n')
  assert.match(await refusal({ file }), /:2: "rcp.requestMs" .* mean "rpc.requestMs"\?$/)
  const stranger = '/cairn.yaml:1: "quotas.perSecond" is not a setting'
  assert.equal(await refusal({ file: yaml('quotas: {perSecond: 1}\n') }), stranger)
  const { config } = await load({ file: yaml('rpc:\nhttp: {}\n') })
  assert.equal(config.rpc.requestMs, 30_000)
})

test('a wrong value is refused with its line, the value and the expected form', async () => {
  const file = yaml('log:\n  level: loud\n')
  assert.match(
    await refusal({ file }),
    /^\/cairn.yaml:2: log.level is "loud": expected debug, info, warn or error$/,
  )
  assert.match(
    await refusal({ env: { CAIRN_HTTP_PORT: '70000' } }),
    /^CAIRN_HTTP_PORT: http.port is 70000: expected at most 65535$/,
  )
  assert.match(
    await refusal({ flags: { 'http.port': { flag: '--port', text: '80a' } } }),
    /^--port: http.port is "80a": expected a whole number$/,
  )
})

test('a section given as one value is refused', async () => {
  assert.match(
    await refusal({ file: yaml('http: 8545\n') }),
    /:1: http is a section, not a setting/,
  )
  assert.match(await refusal({ file: yaml('- a\n') }), /:1: expected settings/)
})

test('a file that is not YAML, or is missing, is refused with its path', async () => {
  assert.match(await refusal({ file: yaml('http:\n  port: [1\n') }), /^\/cairn.yaml:\d+: /)
  assert.match(
    await refusal({ file: yaml('dataDir: a\ndataDir: b\n') }),
    /:2: this name is in the section already$/,
  )
  assert.match(await refusal({ file: join(folder, 'none.yaml') }), /^cannot read the settings file/)
})

test('a misspelt variable is refused; unrelated and empty ones are ignored', async () => {
  assert.match(
    await refusal({ env: { CAIRN_HTTP_PROT: '1' } }),
    /^"CAIRN_HTTP_PROT" is not a setting, did you mean "CAIRN_HTTP_PORT"\?$/,
  )
  const env = { CAIRN_SERVICE_HOST: '10.0.0.1', CAIRN_HTTP_PORT: '', CAIRN_VECTORS: 'x', HOME: '/' }
  const { config, ignored } = await load({ env })
  assert.equal(config.http.port, 8545)
  assert.deepEqual(ignored, ['CAIRN_SERVICE_HOST'])
})

test('nullable settings take null and a number, from the file and from text', async () => {
  const env = { CAIRN_STORE_BYTES_MAX: 'null', CAIRN_FILES_UPLOAD_BYTES_MAX: '5' }
  const { config } = await load({ file: yaml('store: {bytesMax: 2000000}'), env })
  assert.equal(config.store.bytesMax, null)
  assert.equal(config.files.uploadBytesMax, 5)
})

test('references and _FILE variables are replaced, typed, and hidden when shown', async () => {
  const port = yaml('8600\n', 'port.txt')
  const file = yaml('http: {host: "${env:WHERE}"}\ndataDir: "/x/${file:' + port + '}"\n')
  const loaded = await load({ file, env: { WHERE: '10.1.1.1', CAIRN_HTTP_PORT_FILE: port } })
  assert.equal(loaded.config.http.host, '10.1.1.1')
  assert.equal(loaded.config.http.port, 8600)
  assert.equal(loaded.config.dataDir, '/x/8600')
  assert.match(await refusal({ file }), /:1: the environment has no variable WHERE$/)
  assert.match(
    await refusal({ env: { CAIRN_HTTP_PORT_FILE: port, CAIRN_HTTP_PORT: '1' } }),
    /both set/,
  )
})

test('a wrong value from a secret is refused without showing it', async () => {
  const message = await refusal({ env: { S: 'hunter2', CAIRN_HTTP_PORT: '${env:S}' } })
  assert.doesNotMatch(message, /hunter2/)
})

test('secrets and the values of references are redacted when shown', async () => {
  const text = (secret: boolean) => z.string().default('').meta({ description: 'd', secret })
  const schema = z.strictObject({ plain: text(false), token: text(true), odd: text(false) })
  const table = listSettings(schema)
  const env = { CAIRN_PLAIN: 'seen', CAIRN_TOKEN: 'hunter2', CAIRN_ODD: '${env:S}', S: 'hunter3' }
  const loaded = await loadSettings(schema, table, { file: null, env, flags: {} })
  assert.deepEqual(showSettings(table, loaded), [
    { path: 'plain', value: 'seen', origin: 'CAIRN_PLAIN' },
    { path: 'token', value: redacted, origin: 'CAIRN_TOKEN' },
    { path: 'odd', value: redacted, origin: 'CAIRN_ODD' },
  ])
})

test('settings that contradict each other are refused', async () => {
  assert.match(await refusal({ env: { CAIRN_CHAIN_BLOCKS_FILE: 'x' } }), /chain.genesisFile/)
})

test('the settings cannot be changed once read', async () => {
  const { config } = await load()
  assert.throws(() => Object.assign(config.http, { port: 1 }), TypeError)
})
