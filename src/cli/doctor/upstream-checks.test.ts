// The golden set of upstreams: each row is one problem of a node or of its settings, with the expected code and fix. The nodes are
// servers on loopback.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { testChain } from '../../../test/fakes/chain-facts.ts'
import { chainFolder } from '../../../test/fakes/chain-vectors.ts'
import { openStubChain } from '../../../test/fakes/upstream/stub-chain.ts'
import type { StubKnobs } from '../../../test/fakes/upstream/stub-knobs.ts'
import { startStubUpstream } from '../../../test/fakes/upstream/stub-upstream.ts'
import { runProgram } from '../program.ts'
import { fixOf } from '../../server/network-checks/client-fixes.ts'
import { examine } from './diagnosis.ts'
import { thisMachine } from './machine.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-doctor-upstreams-'))
after(() => rmSync(root, { recursive: true }))
const { chainId } = testChain
const genesisFile = join(chainFolder, 'genesis.json')
let count = 0

type Case = {
  readonly nodes?: readonly Partial<StubKnobs>[]
  /** Settings of the network, after its upstreams. */
  readonly network?: string
  /** Settings of each upstream. */
  readonly upstream?: string
  readonly name?: string
  readonly url?: string
  readonly chain?: bigint
  readonly says?: RegExp
}

async function write(t: TestContext, testCase: Case): Promise<string> {
  const chain = await openStubChain()
  const nodes = await Promise.all(
    (testCase.nodes ?? [{}]).map((knobs) => startStubUpstream(t, chain, { knobs })),
  )
  const urls = testCase.url === undefined ? nodes.map(({ url }) => url) : [testCase.url]
  const file = join(root, `${(count += 1)}.yaml`)
  const lines = urls.map(
    (url, at) =>
      `      - {url: "${url}", name: node-${at}, ${testCase.upstream ?? 'trusted: true'}}\n`,
  )
  writeFileSync(
    file,
    `networks:\n  - name: ${testCase.name ?? 'recorded'}\n    chainId: ${testCase.chain ?? chainId}\n    upstreams:\n${lines.join('')}${testCase.network ?? '    verify: prefer\n'}`,
    { mode: 0o600 },
  )
  return file
}

async function diagnose(t: TestContext, testCase: Case) {
  const config = await write(t, testCase)
  const context = { out: () => {}, err: () => {}, readInput: async () => '', env: {} }
  return examine(context, { config, dataDir: join(root, 'data') }, thisMachine())
}

const geth = 'Geth/v1.16.4-stable/linux-amd64/go1.25.1'
const refusing = async () => ({ error: { code: -32000, message: 'invalid api key' } }) as const

const withFork: StubKnobs['falsify'] = ({ method }) => {
  const next = { activationTime: 1_900_000_000, forkId: '0x01020304' }
  const current = { activationTime: 1.5, forkId: '0x01020304' }
  return method === 'eth_config' ? { result: { current, next, last: next } } : null
}

const golden: readonly (readonly [wrong: string, code: string, given: Case])[] = [
  [
    'a node that is not there',
    'upstream_unreachable',
    {
      url: 'http://127.0.0.1:9',
      says: /recorded\/node-0 does not reply: .*fix curl -s http:\/\/127\.0\.0\.1:9 /,
    },
  ],
  [
    'a node that answers with trouble',
    'upstream_unreachable',
    { nodes: [{ trouble: () => 'status 500 with HTML' }] },
  ],
  [
    'a node that refuses our key',
    'upstream_refuses',
    { nodes: [{ falsify: refusing }], says: /fix headers: \{authorization/ },
  ],
  [
    'a node of another chain',
    'upstream_wrong_chain',
    {
      chain: 5n,
      says: new RegExp(
        `serves chain ${chainId}, but the network is chain 5: .*fix set chainId: ${chainId}, or`,
      ),
    },
  ],
  ['no node that can be used', 'network_down', { url: 'http://127.0.0.1:9' }],
  [
    'a node that has stopped following',
    'upstream_stale',
    { says: /head is \d+ days old fix check eth_syncing/ },
  ],
  [
    'a node behind the others',
    'upstream_lags',
    { nodes: [{}, { lag: 20 }], says: /node-1 is 20 blocks behind the best upstream/ },
  ],
  [
    'a node that proves the newest blocks only',
    'upstream_shallow_proof',
    {
      nodes: [{ proofWindow: { blocks: 4, client: 'reth' }, clientVersion: 'reth/v1.9.3/x86_64' }],
      says: /proves state of the last \d+ blocks, less than 128 fix reth node --rpc\.eth-proof-window 10000/,
    },
  ],
  [
    'a node that proves nothing',
    'upstream_no_proof',
    {
      nodes: [{ lacks: (method) => method === 'eth_getProof', clientVersion: 'erigon/3.0.0' }],
      says: /fix erigon --prune\.include-commitment-history/,
    },
  ],
  [
    'required proofs that no upstream supplies',
    'network_unprovable',
    {
      nodes: [{ lacks: (method) => method === 'eth_getProof' }],
      network: '    verify: require\n',
      says: /fix set verify: \{default: require, eth_getStorageAt: prefer/,
    },
  ],
  [
    'a node without receipts of whole blocks',
    'upstream_no_receipts',
    { nodes: [{ lacks: (method) => method.endsWith('Receipts') }] },
  ],
  [
    'a node without the raw methods',
    'upstream_lacks_raw',
    {
      nodes: [{ lacks: (method) => method.startsWith('debug_'), clientVersion: geth }],
      says: /lacks debug_getRawHeader, .*fix geth --http\.api eth,net,web3,debug/,
    },
  ],
  [
    'one node whose word is all there is',
    'heads_single',
    { upstream: 'trusted: false', says: /one untrusted upstream, node-0 fix set trusted: true/ },
  ],
  [
    'heads that need a quorum of one',
    'heads_never',
    { upstream: 'trusted: false', network: '    heads: {require: quorum}\n' },
  ],
  [
    'a trusted node over plain HTTP across the network',
    'trusted_in_clear',
    {
      url: 'http://node.invalid/key-1234567',
      upstream: 'trusted: true, timeoutMs: 200',
      says: /fix url: https:\/\/node\.invalid\/\(redacted\)$/,
    },
  ],
  ['an unknown network', 'network_unknown', { network: '\n', says: /fix verify: require/ }],
  [
    'calls that cannot be proved, and must be',
    'calls_refused',
    {
      network: '    verify: require\n',
      says: /fix set genesisFile, or verify: .*debug_traceCall: prefer, eth_simulateV1: prefer}$/,
    },
  ],
  [
    'a mode for a misspelt method',
    'verify_misspelt',
    {
      network: '    verify: {eth_cal: require, bor_getAuthor: prefer, trace_block: prefer}\n',
      says: /verify names eth_cal, .*fix verify: {eth_call: require}$/,
    },
  ],
  [
    'a genesis file of another chain',
    'network_genesis',
    {
      network: `    genesisFile: ${genesisFile}\n`,
      chain: 5n,
      says: /of chain \d+, expected chain 5/,
    },
  ],
  [
    'a node with a fork that is not in the genesis file',
    'upstream_unknown_fork',
    {
      nodes: [{ falsify: withFork }],
      network: `    genesisFile: ${genesisFile}\n    verify: require\n`,
      says: /node-0 has a fork from 1900000000 on .*refuses calls of later blocks/,
    },
  ],
  [
    'a well-known name with another chain id',
    'network_misnamed',
    { name: 'mainnet', says: /clients expect 1 fix set chainId: 1/ },
  ],
]

for (const [wrong, code, testCase] of golden) {
  test(`doctor finds ${wrong}`, async (t) => {
    const { problems } = await diagnose(t, testCase)
    const found = problems.find((one) => one.code === code)
    assert.ok(found !== undefined, `found ${problems.map((one) => one.code).join(', ')}`)
    assert.notEqual(found.fix, '')
    assert.match(found.text, /^\S.*[^.]$/)
    assert.match(`${found.text} fix ${found.fix}`, testCase.says ?? /fix /)
    assert.doesNotMatch(JSON.stringify(problems), /key-1234567/)
  })
}

test('for a healthy node, only the age of its head is reported', async (t) => {
  const { problems, upstreams } = await diagnose(t, {})
  assert.deepEqual(
    problems.filter(({ code }) => /upstream|network|heads/.test(code)).map(({ code }) => code),
    ['upstream_stale'],
  )
  assert.partialDeepStrictEqual(upstreams, [
    {
      network: 'recorded',
      upstream: 'node-0',
      reachable: true,
      chainId: String(chainId),
      head: { number: '54' },
      proofs: 'every block',
      archive: true,
      lacks: [],
    },
  ])
})

test('the command shows what each upstream is', async (t) => {
  const config = await write(t, { nodes: [{ stateWindow: 8, clientVersion: geth }] })
  let out = ''
  const context = {
    out: (text: string) => (out += text),
    err: () => {},
    readInput: async () => '',
    env: {},
  }
  await runProgram(['doctor', '--config', config, '--data-dir', join(root, 'data')], context)
  assert.match(
    out,
    /^upstream recorded\/node-0: Geth\/v1\.16\.4-stable.*; block 54, \d+ days old; proves the last \d blocks; has the state of the last \d blocks/m,
  )
})

test('every need has a fix, whatever the client', () => {
  for (const client of [null, geth, 'reth/v1', 'erigon/3', 'Nethermind/v1', 'besu/v24', 'other']) {
    for (const need of ['proof', 'receipts', 'raw', 'sync', 'update'] as const) {
      assert.notEqual(fixOf(client, need), '')
    }
  }
})
