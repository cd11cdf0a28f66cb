import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './config.ts'
import type { Places } from './load.ts'
import type { ConfigIssue } from './config-issue.ts'
import {
  type NetworkConfig,
  type UpstreamNetworkConfig,
  activeUpstreams,
} from './network-config.ts'
import { embeddedSchema, listMembers, upstreamNetworkSchema } from './network-schema.ts'
import { embeddedChain, networkNames } from './settings.ts'
import { showNetworks, showUrl } from './show.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-networks-'))
after(() => rmSync(folder, { recursive: true }))

const tokens = { NODE_TOKEN: 'hunter2', RATE: '50' }

function load(yaml: string | null, env: Places['env'] = {}) {
  const file = join(folder, 'cairn.yaml')
  if (yaml !== null) writeFileSync(file, yaml)
  return loadConfig({ file: yaml === null ? null : file, env, flags: {} })
}

async function networks(yaml: string | null, env?: Places['env']) {
  return (await load(yaml, env)).config.networks ?? []
}

function behind(network: NetworkConfig | undefined): UpstreamNetworkConfig {
  assert.ok(network !== undefined && !network.embedded)
  return network
}

/** Returns all issues, without the folder in their places. */
async function mistakes(yaml: string | null, env?: Places['env']): Promise<readonly ConfigIssue[]> {
  const error = await load(yaml, env).then(
    () => assert.fail('the settings were taken'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ConfigError, String(error))
  return error.mistakes.map(({ code, text, fix }) => ({
    code,
    text: text.replaceAll(`${folder}/`, ''),
    fix: fix.replaceAll(`${folder}/`, ''),
  }))
}

/** Heads without a light client. */
const votes = { trust: 'votes', checkpoint: null, beacon: [], beaconSpec: null }

const full = `networks:
  - name: mainnet
    chainId: 1
    verify: {default: require, eth_getStorageAt: prefer}
    heads: {quorum: 2, require: quorum, pollMs: 500, maxAgeMs: 9000}
    genesisHash: "0x${'AB'.repeat(32)}"
    blobSchedule: [{from: 5, baseFeeUpdateFraction: 7}, {from: 9, baseFeeUpdateFraction: 8}]
    policy: full
    allow: [eth_call, "debug_*"]
    deny: [eth_accounts]
    upstreams:
      - url: http://127.0.0.1:9001
        trusted: true
      - url: https://127.0.0.1:9002/v1/key?a=b
        headers: {Authorization: "Bearer \${env:NODE_TOKEN}"}
        name: hosted
        concurrency: 3
        requestsPerSecond: "\${env:RATE}"
        timeoutMs: 4000
        replyBytesMax: 5000000
  - name: dev
    embedded: true
    genesisFile: ./genesis.json
    blocksFile: ./chain.rlp
    mining: interval
    blockSeconds: 2
`
test('networks are read as written, in order, with references replaced', async () => {
  const { config } = await load(full, tokens)
  assert.deepEqual(config.networks, [
    {
      embedded: false,
      name: 'mainnet',
      chainId: 1n,
      verify: { default: 'require', methods: { eth_getStorageAt: 'prefer' } },
      heads: { ...votes, quorum: 2, require: 'quorum', pollMs: 500, maxAgeMs: 9000 },
      genesisHash: `0x${'ab'.repeat(32)}`,
      genesisFile: null,
      blobSchedule: [
        { from: 9, baseFeeUpdateFraction: 8 },
        { from: 5, baseFeeUpdateFraction: 7 },
      ],
      policy: 'full',
      allow: ['eth_call', 'debug_*'],
      deny: ['eth_accounts'],
      upstreams: [
        {
          name: '127.0.0.1:9001',
          url: 'http://127.0.0.1:9001',
          trusted: true,
          paused: false,
          headers: {},
          concurrency: 64,
          requestsPerSecond: null,
          timeoutMs: 10_000,
          replyBytesMax: 67_108_864,
        },
        {
          name: 'hosted',
          url: 'https://127.0.0.1:9002/v1/key?a=b',
          trusted: false,
          paused: false,
          headers: { authorization: 'Bearer hunter2' },
          concurrency: 3,
          requestsPerSecond: 50,
          timeoutMs: 4000,
          replyBytesMax: 5_000_000,
        },
      ],
    },
    {
      embedded: true,
      name: 'dev',
      genesisFile: './genesis.json',
      blocksFile: './chain.rlp',
      mining: 'interval',
      blockSeconds: 2,
      fork: null,
    },
  ])
  assert.equal(embeddedChain(config), config.networks?.[1])
  assert.deepEqual(networkNames(config), ['mainnet', 'dev'])
  assert.throws(() => Object.assign(config.networks?.[0] ?? {}, { name: 'x' }), TypeError)
})

const small = `networks:
  - name: mainnet
    chainId: 1
    upstreams:
      - url: http://127.0.0.1:9001
`

test('a network requires a name, a chain ID and one upstream; other members have defaults', async () => {
  const { config } = await load(small)
  const network = behind(config.networks?.[0])
  assert.deepEqual(network.verify, { default: null, methods: {} })
  const usual = { quorum: 1, require: 'any', pollMs: 2000, maxAgeMs: 60_000 }
  assert.deepEqual(network.heads, { ...votes, ...usual })
  assert.deepEqual([network.allow, network.deny], [null, []])
  assert.deepEqual([network.genesisHash, network.policy], [null, null])
  assert.equal(embeddedChain(config), null)
})

test('verify as one word applies to every method', async () => {
  const [network] = await networks(`${small}    verify: prefer\n`)
  assert.deepEqual(behind(network).verify, { default: 'prefer', methods: {} })
})

test('the default quorum of many upstreams is two', async () => {
  const [network] = await networks(`${small}${'      - url: http://h:1/a\n'.replace('a', 'b')}
      - url: http://h:1/c\n`)
  assert.equal(behind(network).heads.quorum, 2)
})

test('a paused upstream counts for no quorum, and one that is not paused remains', async () => {
  const paused = '      - {url: "http://h:1/b", paused: true}\n'
  const [network] = await networks(`${small}${paused}`)
  assert.equal(behind(network).heads.quorum, 1)
  assert.deepEqual(
    activeUpstreams(behind(network)).map(({ name }) => name),
    ['127.0.0.1:9001'],
  )
})

test('the default name of an upstream is its host and port, with a number for a second path of one host', async () => {
  const [network] = await networks(
    `${small}      - url: https://u:secret@node.example/key1\n      - url: https://node.example/key2\n`,
  )
  assert.deepEqual(
    behind(network).upstreams.map(({ name }) => name),
    ['127.0.0.1:9001', 'node.example', 'node.example-2'],
  )
})

test('without networks the embedded chain of the settings table is served', async () => {
  const { config } = await load('chain: {name: here}\nnetworks:\n')
  assert.equal(config.networks, null)
  assert.deepEqual(embeddedChain(config), {
    embedded: true,
    name: 'here',
    genesisFile: null,
    blocksFile: null,
    mining: 'auto',
    blockSeconds: 12,
    fork: null,
  })
  assert.deepEqual(networkNames(config), ['here'])
})

type Row = readonly [wrong: string, yaml: string, text: string | RegExp, fix: string | RegExp]

/** One network with one upstream; `more` is added to the network's members, from line 6. */
const plus = (more: string) => `${small}    ${more}\n`
/** `more` is added to the upstream's members, from line 6. */
const upstream = (more: string) => `${small}        ${more}\n`

const rows: readonly Row[] = [
  [
    'only paused upstreams',
    upstream('paused: true'),
    'cairn.yaml:6: networks[0].upstreams[0].paused: all upstreams are paused, expected one that is not',
    'write "paused: false" in line 6 of cairn.yaml',
  ],
  [
    'a quorum that needs a paused upstream',
    `${small}      - {url: "http://h:1/b", paused: true}\n    heads: {quorum: 2}\n`,
    'cairn.yaml:7: networks[0].heads.quorum is 2, and there is 1 upstream, without the paused ones',
    /quorum: 1/,
  ],
  [
    'an unknown member',
    plus('verfy: require'),
    'cairn.yaml:6: "networks[0].verfy" is not a setting, did you mean "verify"?',
    'write verify in line 6 of cairn.yaml',
  ],
  [
    'a member that resembles no other',
    upstream('rateLimit: 4'),
    'cairn.yaml:6: "networks[0].upstreams[0].rateLimit" is not a setting',
    /^remove it from line 6 of cairn\.yaml; valid names: .*requestsPerSecond/,
  ],
  [
    'a well-known name without its chain id',
    'networks:\n  - name: sepolia\n    upstreams: [{url: "http://127.0.0.1:1"}]\n',
    'cairn.yaml:2: networks[0].chainId is missing',
    'add "chainId: 11155111" to the item that begins in line 2 of cairn.yaml',
  ],
  [
    'an unknown member of an upstream',
    upstream('timeout: 4'),
    'cairn.yaml:6: "networks[0].upstreams[0].timeout" is not a setting, did you mean "timeoutMs"?',
    'write timeoutMs in line 6 of cairn.yaml',
  ],
  [
    'an unknown member of heads',
    plus('heads: {quorums: 1}'),
    /:6: "networks\[0\]\.heads\.quorums" .* mean "quorum"\?$/,
    'write quorum in line 6 of cairn.yaml',
  ],
  [
    'a duplicate name',
    `${small}${small.replace('networks:\n', '')}`,
    'cairn.yaml:6: networks[1].name: cairn.yaml:2 already names a network "mainnet"',
    'write "name: mainnet-2" in line 6 of cairn.yaml',
  ],
  [
    'a name that is not a label',
    small.replace('mainnet', 'Main Net'),
    /:2: networks\[0\]\.name is "Main Net": expected lower-case letters/,
    'write "name: mainnet" in line 2 of cairn.yaml',
  ],
  [
    'a missing name',
    small.replace('name: mainnet', 'policy: full'),
    'cairn.yaml:2: networks[0].name is missing',
    'add "name: mainnet" to the item that begins in line 2 of cairn.yaml',
  ],
  [
    'a missing chain id',
    small.replace('    chainId: 1\n', ''),
    'cairn.yaml:2: networks[0].chainId is missing',
    'add "chainId: 1" to the item that begins in line 2 of cairn.yaml',
  ],
  [
    'a chain ID that is not a number',
    small.replace('chainId: 1', 'chainId: one'),
    /:3: networks\[0\]\.chainId is "one": expected a whole number$/,
    'write "chainId: 1" in line 3 of cairn.yaml',
  ],
  [
    'no upstreams',
    'networks:\n  - name: mainnet\n    chainId: 1\n',
    'cairn.yaml:2: networks[0].upstreams is missing',
    /^add "upstreams: \[\{url: .*line 2/,
  ],
  [
    'an empty list of upstreams',
    'networks:\n  - name: mainnet\n    chainId: 1\n    upstreams: []\n',
    'cairn.yaml:4: networks[0].upstreams: expected at least one upstream',
    /^write upstreams: \[\{url: .*line 4/,
  ],
  [
    'a missing url',
    small.replace('url: http://127.0.0.1:9001', 'trusted: true'),
    'cairn.yaml:5: networks[0].upstreams[0].url is missing',
    /^add "url: http:.*line 5/,
  ],
  [
    'an upstream written as text',
    small.replace('url: http', 'http'),
    /:5: networks\[0\]\.upstreams\[0\].*: expected its members/,
    /line 5 of cairn\.yaml$/,
  ],
  [
    'a URL with another scheme',
    small.replace('http:', 'ftp:'),
    'cairn.yaml:5: networks[0].upstreams[0].url: expected http:// or https://, got ftp://',
    'write "url: http://127.0.0.1:8545" in line 5 of cairn.yaml',
  ],
  ['a WebSocket URL', small.replace('http:', 'wss:'), /got wss:\/\//, /line 5 of cairn\.yaml$/],
  [
    'an invalid URL, which is not repeated',
    small.replace('http://127.0.0.1:9001', 'secret host'),
    'cairn.yaml:5: networks[0].upstreams[0].url: expected a URL that starts with http:// or https://',
    /line 5 of cairn\.yaml$/,
  ],
  [
    'a URL with a fragment',
    small.replace(':9001', ':9001/#x'),
    /a URL of a node has no #$/,
    /line 5/,
  ],
  [
    'a URL given twice',
    `${small}      - url: http://127.0.0.1:9001/\n`,
    /:6: networks\[0\]\.upstreams\[1\]\.url is that of cairn\.yaml:5: one node would count as two/,
    'remove one of the two',
  ],
  [
    'two upstreams of one name',
    `${upstream('name: a')}      - {url: "http://h", name: a}\n`,
    'cairn.yaml:7: networks[0].upstreams[1].name: cairn.yaml:6 already names an upstream "a"',
    'write "name: a-2" in line 7 of cairn.yaml',
  ],
  [
    'an upstream name with spaces',
    upstream('name: my node'),
    /:6: networks\[0\]\.upstreams\[0\]\.name is "my node": expected letters/,
    'write "name: own-node" in line 6 of cairn.yaml',
  ],
  [
    'an invalid header name',
    upstream('headers: {"a b": x}'),
    /:6: networks\[0\]\.upstreams\[0\]\.headers\.a b: expected the name of an HTTP header/,
    /^write headers: .*line 6/,
  ],
  [
    'a header that Cairn sets',
    upstream('headers: {Content-Type: text/plain}'),
    /headers\.Content-Type: this header is set by Cairn$/,
    /line 6/,
  ],
  [
    'a header with a line break, which is not repeated',
    upstream('headers: {authorization: "secret\\nx: y"}'),
    'cairn.yaml:6: networks[0].upstreams[0].headers.authorization: a header holds no line breaks or control characters',
    /line 6/,
  ],
  [
    'an empty header',
    upstream('headers: {authorization: ""}'),
    /headers\.authorization: expected a value$/,
    /line 6/,
  ],
  [
    'a header given twice',
    upstream('headers: {authorization: a, Authorization: b}'),
    /headers\.Authorization is given twice, in other letter cases$/,
    'remove one of the two',
  ],
  [
    'a missing variable',
    upstream('headers: {authorization: "${env:ABSENT}"}'),
    'cairn.yaml:6: the environment has no variable ABSENT',
    'export ABSENT=…',
  ],
  [
    'an empty variable',
    upstream('headers: {authorization: "Bearer ${env:EMPTY}"}'),
    'cairn.yaml:6: the variable EMPTY is empty',
    'export EMPTY=…',
  ],
  [
    'a missing file',
    upstream('headers: {authorization: "${file:/nowhere}"}'),
    'cairn.yaml:6: cannot read the file /nowhere: there is no such file or folder',
    'ls -l /nowhere shows what is there',
  ],
  [
    'a quorum of more upstreams than configured',
    plus('heads: {quorum: 3}'),
    'cairn.yaml:6: networks[0].heads.quorum is 3, and there is 1 upstream',
    'write "quorum: 1" in line 6 of cairn.yaml',
  ],
  [
    'a quorum of 0',
    plus('heads: {quorum: 0}'),
    /:6: networks\[0\]\.heads\.quorum is 0: expected at least 1$/,
    'write "quorum: 2" in line 6 of cairn.yaml',
  ],
  [
    'heads by consensus without a beacon node',
    plus('heads: {trust: consensus}'),
    'cairn.yaml:6: networks[0].heads.trust needs a light client, and heads.beacon names no beacon node',
    'add beacon: ["http://127.0.0.1:5052"] below heads',
  ],
  [
    'consensus as the weakest head without a light client',
    plus('heads: {require: consensus}'),
    'cairn.yaml:6: networks[0].heads.require is consensus, and heads.trust is votes: no head would be served',
    'set heads.trust: consensus',
  ],
  [
    'a checkpoint that is no block root',
    plus('heads: {checkpoint: "0x12"}'),
    /:6: networks\[0\]\.heads\.checkpoint is .*: expected 0x and 64 hex digits$/,
    /checkpoint/,
  ],
  [
    'an unknown head rule',
    plus('heads: {require: all}'),
    /:6: networks\[0\]\.heads\.require is "all": expected consensus, quorum or any$/,
    'write "require: any" in line 6 of cairn.yaml',
  ],
  [
    'an unknown verify mode',
    plus('verify: always'),
    /:6: networks\[0\]\.verify.*: expected require, prefer or off$/,
    'write "verify: require" in line 6 of cairn.yaml',
  ],
  [
    'an unknown verify mode of one method',
    plus('verify: {eth_getCode: maybe}'),
    /:6: networks\[0\]\.verify\.eth_getCode is "maybe": expected require, prefer or off$/,
    'write "verify: require" in line 6 of cairn.yaml',
  ],
  [
    'verify of an invalid method name',
    plus('verify: {"eth getCode": off}'),
    /:6: networks\[0\]\.verify\.eth getCode.*: expected the name of a method/,
    /line 6/,
  ],
  [
    'an unknown policy',
    plus('policy: some'),
    /:6: networks\[0\]\.policy is "some": expected full, header-only or none$/,
    'write "policy: full" in line 6 of cairn.yaml',
  ],
  [
    'an invalid genesis hash',
    plus('genesisHash: "0x12"'),
    /:6: networks\[0\]\.genesisHash is "0x12": expected 0x and 64 hex digits$/,
    /line 6/,
  ],
  [
    'a method list written as text',
    plus('allow: eth_call'),
    /:6: networks\[0\]\.allow is "eth_call": expected a list$/,
    'write "allow: [eth_call, eth_gasPrice]" in line 6 of cairn.yaml',
  ],
  [
    'an invalid method name',
    plus('deny: ["eth call"]'),
    /:6: networks\[0\]\.deny\[0\] is "eth call": expected the name of a method/,
    /line 6/,
  ],
  [
    'a method in both lists',
    plus('allow: [eth_call]\n    deny: [eth_call]'),
    'cairn.yaml:6: networks[0].allow[0]: eth_call is also in deny, which takes precedence',
    'remove eth_call from one of the two',
  ],
  [
    'a timeout of 0',
    upstream('timeoutMs: 0'),
    /:6: networks\[0\]\.upstreams\[0\]\.timeoutMs is 0: expected at least 1$/,
    'write "timeoutMs: 10000" in line 6 of cairn.yaml',
  ],
  [
    'a member of embedded networks next to upstreams',
    plus('mining: auto'),
    'cairn.yaml:6: networks[0].mining: a network with upstreams has no mining',
    'remove it from line 6 of cairn.yaml, or write "embedded: true" next to it',
  ],
  [
    'upstreams of an embedded network',
    'networks:\n  - name: dev\n    embedded: true\n    upstreams: []\n',
    'cairn.yaml:4: networks[0].upstreams: an embedded network has no upstreams',
    'remove it from line 4 of cairn.yaml, or write "embedded: false" next to it',
  ],
  [
    'two embedded networks',
    'networks:\n  - {name: a, embedded: true}\n  - {name: b, embedded: true}\n',
    'cairn.yaml:3: networks[1].embedded: cairn.yaml:2 is embedded already, and the data folder holds one chain',
    'give it upstreams, or remove it from the list',
  ],
  [
    'blocks without their genesis',
    'networks:\n  - {name: a, embedded: true, blocksFile: x}\n',
    'cairn.yaml:2: networks[0].blocksFile: requires genesisFile, the start of its blocks',
    'add "genesisFile: ./genesis.json" above it',
  ],
  [
    'an empty list of networks',
    'networks: []\n',
    'cairn.yaml:1: networks: expected a list of at least one network',
    /^write "- name: mainnet" below line 1/,
  ],
  [
    'networks as a section',
    'networks:\n  mainnet:\n    chainId: 1\n',
    'cairn.yaml:3: networks is a list, and these are names below it',
    /^write "- name: mainnet"/,
  ],
  [
    'a network written as a name only',
    'networks:\n  - mainnet\n',
    'cairn.yaml:2: networks[0]: expected the members of a network',
    /^write "name: mainnet"/,
  ],
  [
    'settings of the embedded chain together with networks',
    `${small}chain: {mining: off}\n`,
    'cairn.yaml:6: chain.mining is set, and cairn.yaml:2 names networks, which then are all there are',
    /^remove it; the embedded chain is "- \{name: dev, embedded: true\}"/,
  ],
]

for (const [wrong, yaml, text, fix] of rows) {
  test(`${wrong} is refused with its line and a fix`, async () => {
    const found = await mistakes(yaml, { EMPTY: '' })
    const said = found.map((one) => `${one.text} | ${one.fix}`).join('\n')
    assert.equal(found.length, 1, said)
    const [first] = found
    for (const [is, expected] of [
      [first?.text ?? '', text],
      [first?.fix ?? '', fix],
    ] as const) {
      if (typeof expected === 'string') assert.equal(is, expected)
      else assert.match(is, expected)
    }
  })
}

test('a URL in a wrong place is not shown', async () => {
  const url = 'https://user:hunter2@node.example/hunter2'
  for (const yaml of [
    `networks: ${url}\n`,
    `networks:\n  - ${url}\n`,
    `networks:\n  - {name: a, chainId: 1, upstreams: "${url}"}\n`,
    `networks:\n  - {name: a, chainId: 1, upstreams: ["${url}"]}\n`,
    `networks:\n  - {name: a, chainId: 1, upstreams: [{url: ["${url}"]}]}\n`,
    `networks:\n  - {name: a, chainId: 1, upstreams: [{url: "http://h", headers: "${url}"}]}\n`,
    `networks:\n  - {name: a, chainId: 1, upstreams: [{url: "ftp://user:hunter2@h"}]}\n`,
  ]) {
    assert.doesNotMatch(JSON.stringify(await mistakes(yaml)), /hunter2/, yaml)
  }
})

test('a URL that YAML parses as a name, or in place of a number, is not shown', async () => {
  const url = 'https://eth.example/v3/SECRET'
  for (const yaml of [
    `networks: [{name: a, chainId: 1, upstreams: [{url:${url}}]}]\n`,
    `networks:\n  - name: a\n    chainId: 1\n    upstreams:\n      - ${url}: 1\n`,
    `networks: [{name: "${url}", chainId: "${url}", upstreams: []}]\n`,
    `networks:\n  url:${url}: 1\n`,
    `url:${url}: 1\n`,
  ]) {
    const found = JSON.stringify(await mistakes(yaml))
    assert.ok(!found.includes('SECRET'), found)
  }
})

test('all errors are reported together, each once, in the order of the lines', async () => {
  const found = await mistakes(
    `http: {prot: 1, port: x}\nnetworks:\n  - name: a\n    chainID: 1\n    upstreams:\n      - url: ftp://h\n      - headers: {host: x}\n        url: http://h\nlog: {level: loud}\n`,
    { CAIRN_RPC_REQUEST_MS: 'soon' },
  )
  assert.deepEqual(
    found.map(({ text }) => /^[^:]+(:\d+)?/.exec(text)?.[0]),
    [
      'CAIRN_RPC_REQUEST_MS',
      'cairn.yaml:1',
      'cairn.yaml:1',
      'cairn.yaml:4',
      'cairn.yaml:6',
      'cairn.yaml:7',
      'cairn.yaml:9',
    ],
  )
})

test('the fix is the value that was probably meant: a number without quotes, true for yes, the written host', async () => {
  const found = await mistakes(
    `http: {port: "8600"}\nrpc: {batchItemsMax: 1_000}\ngateway: {public: yes}\nlog: {level: warning}\nnetworks:\n  - name: a\n    chainId: 1\n    upstreams:\n      - url: ws://127.0.0.1:9001\n      - url: node:9002\n      - url: ws://node/secret\n`,
  )
  assert.deepEqual(
    found.map(({ text, fix }) => [text.replace(/^[^ ]+ /, ''), fix.replace(/ in line .*/, '')]),
    [
      ['http.port is "8600": expected a whole number without quotes', 'write "port: 8600"'],
      [
        'rpc.batchItemsMax is "1_000": expected a whole number without separators',
        'write "batchItemsMax: 1000"',
      ],
      ['gateway.public is "yes": expected true or false', 'write "public: true"'],
      ['log.level is "warning": expected debug, info, warn or error', 'write "level: warn"'],
      [
        'networks[0].upstreams[0].url: expected http:// or https://, got ws://',
        'write "url: http://127.0.0.1:9001"',
      ],
      [
        'networks[0].upstreams[1].url: expected a URL that starts with http:// or https://',
        'write "url: http://node:9002"',
      ],
      [
        'networks[0].upstreams[2].url: expected http:// or https://, got ws://',
        'write "url: http://127.0.0.1:8545"',
      ],
    ],
  )
})

test('a variable replaces the upstreams of a network in the file', async () => {
  const env = { CAIRN_NETWORKS_MAINNET_UPSTREAMS: 'https://a.example/key, http://b.example' }
  const [network] = await networks(small, env)
  assert.deepEqual(
    behind(network).upstreams.map(({ url, name }) => [url, name]),
    [
      ['https://a.example/key', 'a.example'],
      ['http://b.example', 'b.example'],
    ],
  )
})

test('variables alone configure well-known networks, mainnet first', async () => {
  const all = await networks(null, {
    CAIRN_NETWORKS_HOODI_UPSTREAMS: 'http://h',
    CAIRN_NETWORKS_MAINNET_UPSTREAMS: 'http://m',
    CAIRN_NETWORKS_SEPOLIA_UPSTREAMS: '',
  })
  assert.deepEqual(
    all.map((network) => [network.name, behind(network).chainId]),
    [
      ['mainnet', 1n],
      ['hoodi', 560_048n],
    ],
  )
})

test('a variable of an unknown network is refused without showing its value', async () => {
  const [first] = await mistakes(null, { CAIRN_NETWORKS_MY_NET_UPSTREAMS: 'http://h/secret' })
  assert.deepEqual(first, {
    code: 'wrong_setting',
    text: 'CAIRN_NETWORKS_MY_NET_UPSTREAMS: no network is named my-net, and its chain ID is not known (cairn start --help lists known names)',
    fix: 'name it with its chainId in the settings file, or unset CAIRN_NETWORKS_MY_NET_UPSTREAMS',
  })
  const [wrong] = await mistakes(null, { CAIRN_NETWORKS_MAINNET_UPSTREAMS: 'http://h, secret' })
  assert.equal(wrong?.fix, 'correct CAIRN_NETWORKS_MAINNET_UPSTREAMS')
  assert.doesNotMatch(wrong?.text ?? '', /secret/)
})

test('headers, keys in URLs and the values of references are redacted in output', async () => {
  const shown = showNetworks(await load(full, tokens))
  const row = (path: string) => {
    const found = shown.find((one) => one.path === `networks.${path}`)
    return [found?.value, found?.origin.replace(`${folder}/`, '')]
  }
  assert.deepEqual(row('mainnet.chainId'), [1, 'cairn.yaml:3'])
  assert.deepEqual(row('mainnet.upstreams[0].url'), ['http://127.0.0.1:9001', 'cairn.yaml:12'])
  assert.deepEqual(row('mainnet.upstreams[0].concurrency'), [64, 'default'])
  assert.deepEqual(row('mainnet.upstreams[1].url'), [
    'https://127.0.0.1:9002/(redacted)',
    'cairn.yaml:14',
  ])
  assert.deepEqual(row('mainnet.upstreams[1].headers.authorization'), [
    '(redacted)',
    'cairn.yaml:15',
  ])
  assert.deepEqual(row('mainnet.upstreams[1].requestsPerSecond'), ['(redacted)', 'cairn.yaml:18'])
  assert.deepEqual(row('dev.mining'), ['interval', 'cairn.yaml:25'])
  assert.doesNotMatch(JSON.stringify(shown), /hunter2|v1\/key|a=b/)
  assert.equal(showUrl('http://user:secret@h:1'), 'http://h:1/(redacted)')
})

test('every member has a description and a valid example', async () => {
  const other = '      - url: http://127.0.0.1:9002\n'
  for (const { path, description, example } of listMembers(upstreamNetworkSchema)) {
    assert.match(description, /^.{10,260}\.$/s, path)
    if (example === undefined || /^(name|chainId|embedded|upstreams)$|url$/.test(path)) continue
    // The list's example covers all its members.
    if (/^(blobSchedule\[\]|heads\.beaconSpec)\./.test(path)) continue
    const beacon = path === 'heads.trust' ? ', beacon: ["http://127.0.0.1:5052"]' : ''
    if (path.startsWith('upstreams[].')) await load(upstream(example), tokens)
    else if (path.startsWith('heads.'))
      await load(`${small}${other}    heads: {${example}${beacon}}\n`)
    else await load(plus(example))
  }
  for (const { path, description, example } of listMembers(embeddedSchema)) {
    assert.match(description, /^.{10,260}\.$/s, path)
    if (example === undefined || /^(name|embedded)$/.test(path)) continue
    const more = path === 'blocksFile' ? 'genesisFile: g, ' : ''
    // The network that the example of a fork refers to.
    const others = path === 'fork' ? small.replace('networks:\n', '') : ''
    await load(`networks:\n  - {name: x, embedded: true, ${more}${example}}\n${others}`)
  }
})

test('a fork names a network with upstreams, and brings the embedded chain of `chain`', async () => {
  const own = '  - {name: dev, embedded: true, fork: mainnet@20000000}\n'
  const listed = await load(small.replace('networks:\n', `networks:\n${own}`))
  assert.equal(embeddedChain(listed.config)?.fork, 'mainnet@20000000')
  const beside = await load(`chain: {fork: mainnet@latest, name: copy}\n${small}`)
  assert.deepEqual(networkNames(beside.config), ['copy', 'mainnet'])
  assert.equal(embeddedChain(beside.config)?.fork, 'mainnet@latest')
  for (const [text, message] of [
    ['chain: {fork: mainnet@latest}\n', /chain\.fork names mainnet, expected a network with upst/],
    [`chain: {fork: sepolia@latest}\n${small}`, /chain\.fork names sepolia, expected a network/],
    [`chain: {fork: mainnet}\n${small}`, /chain\.fork is "mainnet": expected <network>@<block>/],
    [
      `chain: {fork: mainnet@1, genesisFile: g}\n${small}`,
      /chain\.genesisFile are set, expected one/,
    ],
    [`networks:\n${own}`, /networks\[0\]\.fork names mainnet, expected a network of the list/],
    [
      small.replace('networks:\n', `networks:\n${own.replace('fork', 'genesisFile: g, fork')}`),
      /networks\[0\]\.fork: a fork has no genesis block/,
    ],
  ] as const) {
    await assert.rejects(load(text), message)
  }
})

test('the beacon chain of an unknown network is of the settings, and its URLs are redacted', async () => {
  const spec = `{genesisTime: 5, genesisValidatorsRoot: "0x${'ab'.repeat(32)}", committeeSize: 32,
        forks: [{name: fulu, epoch: 9, version: "0x06000000"}, {name: electra, epoch: 0, version: "0x05000000"}]}`
  const heads = `heads: {trust: consensus+trusted, require: consensus, checkpoint: "0x${'CD'.repeat(32)}",
      beacon: ["https://beacon.example/secret-key"], beaconSpec: ${spec}}`
  const unknown = small.replace('chainId: 1\n', 'chainId: 5\n')
  assert.notEqual(unknown, small)
  const loaded = await load(`${unknown}    ${heads}\n`)
  const network = behind(loaded.config.networks?.[0])
  assert.equal(network.heads.checkpoint, `0x${'cd'.repeat(32)}`)
  assert.deepEqual(
    network.heads.beaconSpec?.forks.map(({ name }) => name),
    ['electra', 'fulu'],
  )
  assert.equal(network.heads.beaconSpec?.slotsPerEpoch, 32)
  assert.doesNotMatch(JSON.stringify(showNetworks(loaded)), /secret-key/)
  const [mistake] = await mistakes(
    `${unknown}    heads: {trust: consensus, beacon: ["http://b:1"]}\n`,
  )
  assert.match(mistake?.text ?? '', /the beacon chain of chain ID 5 is unknown/)
  const unnamed = small.replace('    chainId: 1\n', '')
  const others = await mistakes(`${unnamed}    heads: {trust: consensus, beacon: ["http://b:1"]}\n`)
  assert.match(others.map(({ text }) => text).join(), /^[^,]*networks\[0\]\.chainId is missing$/)
})

test('the WebSocket URL of an upstream is ws or wss, null, or absent', async () => {
  for (const [member, wsUrl] of [
    ['wsUrl: wss://node.example/ws/secret-key', 'wss://node.example/ws/secret-key'],
    ['wsUrl: null', null],
    ['concurrency: 3', undefined],
  ] as const) {
    const [network] = await networks(upstream(member))
    assert.equal(behind(network).upstreams[0]?.wsUrl, wsUrl)
  }
  const [wrong] = await mistakes(upstream('wsUrl: http://node.example/secret-key'))
  assert.match(wrong?.text ?? '', /wsUrl: expected ws:\/\/ or wss:\/\/, got http:\/\/$/)
  assert.doesNotMatch(wrong?.text ?? '', /secret-key/)
})
