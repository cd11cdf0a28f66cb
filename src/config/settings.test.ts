import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingDefinitions } from './config.ts'
import { envName } from './setting-definition.ts'
import { type Config, checkTogether, settingsSchema } from './settings.ts'
import { distance, findNearest } from '../base/similar-name.ts'

test('environment names follow from the path, and no two settings share one', () => {
  assert.equal(envName('rpc.bodyBytesMax'), 'CAIRN_RPC_BODY_BYTES_MAX')
  assert.equal(envName('dataDir'), 'CAIRN_DATA_DIR')
  const names = settingDefinitions.flatMap((leaf) => [leaf.env, `${leaf.env}_FILE`])
  assert.equal(new Set(names).size, names.length)
})

test('every setting has a description', () => {
  for (const leaf of settingDefinitions) assert.match(leaf.description, /^.{10,160}\.$/s, leaf.path)
})

test('every number has a unit, or is a limit or a port', () => {
  const numbers = settingDefinitions.filter((leaf) => leaf.type === 'whole number')
  for (const { path } of numbers)
    assert.match(path, /(Ms|Seconds|Hours|Days|PerMinute|PerHour|Max|Bytes|port|keep)$/, path)
})

test('names with swapped, missing and wrong letters are recognized', () => {
  assert.equal(distance('prot', 'port'), 1)
  assert.equal(distance('', 'abc'), 3)
  assert.equal(distance('HTTP', 'http'), 0)
  assert.equal(findNearest('bodyByteMax', ['bodyBytesMax', 'batchItemsMax']), 'bodyBytesMax')
  assert.equal(findNearest('x', []), null)
  assert.equal(findNearest('server.port', ['http.port', 'dataDir']), 'http.port')
  assert.equal(findNearest('limits', ['dataDir', 'http.port']), null)
})

test('a bucket and a database for files need each other, and the bucket its keys', () => {
  const base = settingsSchema.parse({})
  const saidOf = (change: Partial<Config>): readonly string[] =>
    checkTogether({ ...base, fileSources: [], networks: [], ...change } as Config).map(
      ({ problem }) => problem,
    )
  const database = { ...base.database, url: 'postgresql://cairn@localhost/cairn' }
  const keys = { accessKeyId: 'id', secretAccessKey: 'word' }
  const objects = { ...base.objects, ...keys, url: 's3://bucket/files' }
  assert.deepEqual(saidOf({}), [])
  const shared = { url: 'valkey://localhost' }
  assert.deepEqual(saidOf({ database, objects, shared }), [])
  assert.deepEqual(saidOf({ database, objects, node: { name: null, only: true } }), [])
  assert.match(saidOf({ database, objects }).join(), /expected shared\.url too, .* or node\.only/)
  assert.match(saidOf({ database, shared }).join(), /expected objects\.url too/)
  assert.match(saidOf({ objects }).join(), /expected database\.url too/)
  const without = { ...objects, secretAccessKey: null }
  assert.match(
    saidOf({ database, shared, objects: without }).join(),
    /objects\.secretAccessKey too/,
  )
  const node = { name: null, only: true }
  const announcing = (...announce: readonly string[]) =>
    saidOf({
      database,
      objects,
      node,
      ipfsNetwork: { ...base.ipfsNetwork, mode: 'provide', announce: [...announce] },
    }).join()
  const gateway = '/dns4/gw.example.org/tcp/443/tls/http'
  assert.equal(announcing(gateway), '')
  assert.match(announcing(), /expected addresses of the gateway alone/)
  assert.match(announcing(gateway, '/dns4/example.org/tcp/4001'), /of the gateway alone/)
})

test('the settings of the IPFS network have limits', () => {
  const accepts = (network: object): boolean =>
    settingsSchema.safeParse({ ipfsNetwork: network }).success
  const list = (count: number, one: string): readonly string[] =>
    Array.from({ length: count }, () => one)
  const address = '/ip4/192.0.2.1/tcp/4001'
  const limits: readonly [within: object, beyond: object][] = [
    [{ routers: list(16, 'https://a.example') }, { routers: list(17, 'https://a.example') }],
    ...['listen', 'announce', 'bootstrap', 'peers'].map((name): [object, object] => [
      { [name]: list(64, address) },
      { [name]: list(65, address) },
    ]),
    [{ operators: list(100, 'a') }, { operators: list(101, 'a') }],
    [{ operators: ['a'.repeat(64)] }, { operators: ['a'.repeat(65)] }],
    [{ provide: { intervalMs: 3_600_000 } }, { provide: { intervalMs: 3_599_999 } }],
    [{ provide: { intervalMs: 172_800_000 } }, { provide: { intervalMs: 172_800_001 } }],
    [{ provide: { cidsMax: 1_000_000 } }, { provide: { cidsMax: 1_000_001 } }],
    [{ limits: { connectionsMax: 8 } }, { limits: { connectionsMax: 7 } }],
    [{ limits: { connectionsMax: 4096 } }, { limits: { connectionsMax: 4097 } }],
    [{ limits: { bytesPerSecondMax: 0 } }, { limits: { bytesPerSecondMax: -1 } }],
    [{ limits: { heapBytesMax: 2 ** 26 } }, { limits: { heapBytesMax: 2 ** 26 - 1 } }],
    [{ limits: { heapBytesMax: 2 ** 34 } }, { limits: { heapBytesMax: 2 ** 34 + 1 } }],
  ]
  for (const [within, beyond] of limits) {
    assert.deepEqual([accepts(within), accepts(beyond)], [true, false], JSON.stringify(beyond))
  }
})
