// Saved networks: the rules of the settings file, and their order among the networks of the settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from './config.ts'
import { type RawNetwork, readSavedNetwork, withSavedNetworks } from './saved-network.ts'

const raw = (name: string, more: object = {}): RawNetwork => ({
  name,
  chainId: 5,
  upstreams: [{ url: 'https://node.example/v1/secret' }],
  ...more,
})

test('a saved network has the members and defaults of the settings file', () => {
  const network = readSavedNetwork(raw('rollup', { verify: 'prefer' }))
  assert.partialDeepStrictEqual(network, {
    name: 'rollup',
    chainId: 5n,
    verify: { default: 'prefer', methods: {} },
    upstreams: [{ name: 'node.example', trusted: false, timeoutMs: 10_000 }],
  })
})

const wrong: readonly (readonly [string, object, RegExp])[] = [
  ['a URL of another scheme', { upstreams: [{ url: 'ftp://a/secret' }] }, /^upstreams\[0\]\.url: /],
  [
    'a reference',
    { upstreams: [{ url: '${file:/etc/secret}' }] },
    /^upstreams\.0\.url: .*reference/,
  ],
  ['no upstream', { upstreams: [] }, /^upstreams: expected at least one upstream/],
  ['an unknown member', { upstream: [] }, /"upstream" is not a setting/],
  ['an embedded chain', { embedded: true }, /^chainId: an embedded network has no chainId/],
  [
    'one node twice',
    { upstreams: [{ url: 'http://a/secret' }, { url: 'http://a/secret' }] },
    /^upstreams\[1\]\.url is that of /,
  ],
]

for (const [what, more, message] of wrong) {
  test(`a saved network with ${what} is refused, without its secrets`, () => {
    assert.throws(
      () => readSavedNetwork(raw('rollup', more)),
      (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
    )
  })
}

const saved = (name: string, isDefault = false) => ({
  network: readSavedNetwork(raw(name)),
  isDefault,
})
const empty = { file: null, env: {}, flags: {} }
const namesOf = (config: Parameters<typeof withSavedNetworks>[0]) =>
  config.networks?.map(({ name }) => name)

test('saved networks are served after the embedded chain, and a default one before it', async () => {
  const { config } = await loadConfig(empty)
  assert.equal(withSavedNetworks(config, []), config)
  assert.deepEqual(namesOf(withSavedNetworks(config, [saved('a'), saved('b')])), ['dev', 'a', 'b'])
  assert.deepEqual(namesOf(withSavedNetworks(config, [saved('a'), saved('b', true)])), [
    'b',
    'dev',
    'a',
  ])
})

test('networks of the settings take precedence over saved networks of their name', async () => {
  const env = { CAIRN_NETWORKS_SEPOLIA_UPSTREAMS: 'http://127.0.0.1:1' }
  const { config } = await loadConfig({ ...empty, env })
  const all = withSavedNetworks(config, [saved('sepolia'), saved('a', true)])
  assert.deepEqual(namesOf(all), ['sepolia', 'a'])
  const [first] = all.networks ?? []
  assert.equal(first?.embedded === false && first.chainId, 11_155_111n)
})
