// The compose files of deploy/compose/: valid by the Compose Specification, with pinned images, existing files, and settings that
// exist in Cairn.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { settingDefinitions } from '../../src/config/config.ts'
import { parse } from 'yaml'
import { runCli, temporaryFolder } from '../started-server.ts'
import { needs, root, run } from './programs.ts'

const folder = join(root, 'deploy/compose')
const files = ['compose.yaml', 'compose.monitoring.yaml']
const sharedFile = 'compose.shared.yaml'

type Service = {
  readonly image?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>
}
type Compose = { readonly services: Readonly<Record<string, Service>> }

const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const services = [...files, sharedFile].flatMap((file) =>
  Object.entries((parse(read(file)) as Compose).services),
)

/** The files as parsed by a validator of the Compose Specification, which does not read the environment. */
async function load(t: TestContext, fileNames: readonly string[], host: string | null) {
  const copy = await temporaryFolder()
  t.after(() => rm(copy, { recursive: true, force: true }))
  for (const file of fileNames) {
    const text = read(file)
    const filled = host === null ? text : text.replaceAll(/\$\{CAIRN_HOST[^}]*\}/g, host)
    await writeFile(join(copy, file), filled)
  }
  await mkdir(join(copy, 'secrets'))
  await writeFile(join(copy, 'secrets/shared.env'), 'POSTGRES_PASSWORD=secret\n')
  const out = await run('compose-spec', ['-format', 'json', ...fileNames], { cwd: copy })
  return JSON.parse(out) as Compose
}

for (const fileNames of [files.slice(0, 1), files]) {
  test(
    `the Compose Specification accepts ${fileNames.join(' with ')}`,
    needs('compose-spec'),
    async (t) => {
      const { services: loaded } = await load(t, fileNames, 'cairn.example.org')
      // In merged files the variables are a list, in a single file a mapping.
      assert.match(JSON.stringify(loaded['cairn']), /CAIRN_ADMIN_HOSTS(=|":")cairn\.example\.org"/)
      const token = fileNames.includes('compose.monitoring.yaml')
      assert.equal(JSON.stringify(loaded['cairn']).includes('CAIRN_METRICS_TOKEN_FILE'), token)
    },
  )
}

test(
  'the Compose Specification accepts two Cairns with their engines, and no engine is published',
  needs('compose-spec'),
  async (t) => {
    const { services: loaded } = await load(t, [sharedFile], 'cairn.example.org')
    assert.deepEqual(Object.keys(loaded).toSorted(), [
      'caddy',
      'cairn',
      'cairn-2',
      'objects',
      'postgres',
      'valkey',
    ])
    for (const name of ['cairn', 'cairn-2']) {
      assert.match(JSON.stringify(loaded[name]), new RegExp(`CAIRN_NODE_NAME(=|":")${name}"`))
      assert.match(JSON.stringify(loaded[name]), /CAIRN_HTTP_TRUSTED_PROXIES(=|":")172\.30\.86\.2"/)
    }
  },
)

test('without a host name, the error says what to set', needs('compose-spec'), async (t) => {
  await assert.rejects(load(t, ['compose.yaml'], null), /set CAIRN_HOST to the host name/)
})

test('every image but our own has a full version, and every container a read-only root and no capabilities', () => {
  const images = services.flatMap(([, { image }]) => image ?? [])
  assert.ok(images.length >= 4)
  assert.deepEqual(
    images.filter((image) => !/:v?\d+\.\d+\.\d+(-alpine)?$|^postgres:\d+\.\d+-alpine$/.test(image)),
    ['${CAIRN_IMAGE:-cairn}', '${CAIRN_IMAGE:-cairn}'],
  )
  const open = services.filter(
    ([, service]) =>
      service.image !== undefined && !(service.read_only && service.cap_drop?.[0] === 'ALL'),
  )
  assert.deepEqual(open, [])
})

test('every mounted file exists, and only the proxy is reachable from other machines', () => {
  const mounted = services.flatMap(([, { volumes = [] }]) =>
    volumes.map((one) => one.split(':')[0] ?? ''),
  )
  const paths = mounted.filter((path) => path.startsWith('.'))
  assert.ok(paths.length >= 7)
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(folder, path))),
    [],
  )
  const open = services.flatMap(([name, { ports = [] }]) =>
    ports.some((port) => !port.startsWith('127.0.0.1:')) ? [name] : [],
  )
  assert.deepEqual(open, ['caddy', 'caddy'])
})

test('every variable of Cairn is a setting, and its settings file is valid', async () => {
  const known = [
    ...settingDefinitions.flatMap(({ env: name }) => [name, `${name}_FILE`]),
    'CAIRN_CONFIG',
  ]
  const given = services
    .filter(([name]) => name === 'cairn')
    .flatMap(([, { environment = {} }]) => Object.keys(environment))
  assert.ok(given.length >= 4)
  assert.deepEqual(
    given.filter((name) => !known.includes(name)),
    [],
  )
  for (const file of ['cairn.yaml', 'cairn.shared.yaml']) {
    const { ok } = await runCli(['config', 'check', '--config', join(folder, file), '--json'])
    assert.equal(ok, true, file)
  }
})

test("the proxy's address is the one that Cairn trusts", () => {
  const [, caddy] = services.find(([name]) => name === 'caddy') ?? []
  const [, cairn] = services.find(([name]) => name === 'cairn') ?? []
  const address = caddy?.networks?.['front']?.ipv4_address
  assert.ok(address)
  assert.equal(cairn?.environment?.['CAIRN_HTTP_TRUSTED_PROXIES'], address)
})

test("promtool accepts Prometheus's configuration", needs('promtool'), async (t) => {
  const place = await temporaryFolder()
  t.after(() => rm(place, { recursive: true, force: true }))
  // promtool opens the files named in its configuration.
  await mkdir(join(place, 'run'))
  await writeFile(join(place, 'run/token'), 'token')
  const text = read('prometheus.yml')
    .replace('/run/secrets/metrics-token', join(place, 'run/token'))
    .replace('/etc/prometheus/alerts.yml', join(root, 'deploy/prometheus/alerts.yml'))
  await writeFile(join(place, 'prometheus.yml'), text)
  assert.match(await run('promtool', ['check', 'config', join(place, 'prometheus.yml')]), /SUCCESS/)
})
