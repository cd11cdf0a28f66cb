// Heads by consensus on a started server: a simulated beacon chain signs blocks of the recorded chain. Labels, a dishonest beacon
// node, a restart without the checkpoint, refusals, and no loaded modules without the setting.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { toHex } from '../../src/base/hex.ts'
import { createBeaconChain, type Json, minimalSpec } from '../fakes/beacon/beacon-chain.ts'
import { type BeaconNode, startBeaconNode } from '../fakes/beacon/beacon-node.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain, type StubBlock } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { parseMetrics } from '../fakes/metrics-text.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const withinMs = 30_000
const hook = fileURLToPath(new URL('../fakes/beacon/loaded-modules.ts', import.meta.url))
const secondsPerSlot = 2

/** A beacon chain that started 400 slots ago; its finalized blocks, two minutes old, are four execution blocks below its head. */
async function openChains() {
  const stub = await openStubChain()
  const genesisTime = Math.floor(Date.now() / 1000) - 400 * secondsPerSlot
  const spec = minimalSpec({ genesisTime, secondsPerSlot, slotsPerEpoch: 32 })
  const headSlot = (): number => Math.floor((Date.now() / 1000 - genesisTime) / secondsPerSlot)
  const begun = headSlot()
  const blockHash = (slot: number): string =>
    blockAt(stub.recorded, slot >= begun - 4 ? 54 : 50).hash
  const chain = createBeaconChain({ spec, blockHash })
  return { stub, chain, headSlot, checkpoint: toHex(chain.rootAt(288)) }
}
type Chains = Awaited<ReturnType<typeof openChains>>

function blockAt(blocks: readonly StubBlock[], number: number): StubBlock {
  return blocks[number] ?? assert.fail(`no block ${number}`)
}

type Options = {
  readonly trust?: string
  readonly require?: string
  readonly checkpoint?: string | null
  readonly dataDir?: string
  readonly trusted?: boolean
  readonly nodes?: readonly BeaconNode[]
  /** Writes the modules of the light client that the server loads to this file. */
  readonly loaded?: string
}

async function start(t: TestContext, chains: Chains, given: Options = {}) {
  const { chain, headSlot, stub, checkpoint } = chains
  const upstreams = await Promise.all([0, 1].map(() => startStubUpstream(t, stub)))
  const nodes = given.nodes ?? [await startBeaconNode(t, { chain, headSlot })]
  const dataDir = given.dataDir ?? (await temporaryFolder())
  const file = join(dataDir, 'cairn.yaml')
  const { genesisTime, genesisValidatorsRoot } = chain.spec
  const point = given.checkpoint === undefined ? checkpoint : given.checkpoint
  await writeFile(
    file,
    `networks:
  - name: recorded
    chainId: ${testChain.chainId}
    verify: require
    heads:
      trust: ${given.trust ?? 'consensus'}
      require: ${given.require ?? 'any'}
      pollMs: 100
      maxAgeMs: 60000
      ${point === null ? '' : `checkpoint: "${point}"`}
      beacon: [${nodes.map(({ url }) => `"${url}"`).join(', ')}]
      beaconSpec:
        genesisTime: ${genesisTime}
        genesisValidatorsRoot: "${toHex(genesisValidatorsRoot)}"
        secondsPerSlot: ${secondsPerSlot}
        slotsPerEpoch: 32
        epochsPerPeriod: 8
        committeeSize: 32
        forks: [{name: electra, epoch: 0, version: "0x05000001"}]
    upstreams:
${upstreams.map(({ url }, at) => `      - {url: "${url}", name: node-${at}, trusted: ${given.trusted ?? false}}`).join('\n')}
`,
    { mode: 0o600 },
  )
  const server = await startCairn({
    dataDir,
    args: ['--config', file],
    env: { CAIRN_METRICS_LOCAL: 'true' },
    ...(given.loaded === undefined
      ? {}
      : { nodeArgs: ['--import', hook], env: { CAIRN_TEST_LOADED: given.loaded } }),
  })
  t.after(() => server.stop())
  return { server, nodes, dataDir, upstreams }
}

async function equivocations(server: Started): Promise<number | null> {
  const { valueOf } = parseMetrics(await (await fetch(`${server.url}/metrics`)).text())
  return valueOf('cairn_network_equivocations_total', { network: 'recorded' })
}

/** The header that an update attests. */
function slotOf(data: Json): number {
  const { beacon } = data['attested_header'] as { beacon: { slot: string } }
  return Number(beacon.slot)
}

async function ask(server: Started, tag: string) {
  const response = await fetch(`${server.url}/v3/${server.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: [tag, false],
    }),
  })
  const body = (await response.json()) as {
    result?: { number: string } | null
    error?: { message: string }
  }
  return {
    number: body.result === undefined || body.result === null ? null : Number(body.result.number),
    error: body.error?.message ?? null,
    verified: response.headers.get('x-cairn-verified'),
    head: response.headers.get('x-cairn-head'),
    signers: response.headers.get('x-cairn-head-signers'),
  }
}

test('tags are blocks that the sync committee signed, and contradicting headers are counted', async (t) => {
  const chains = await openChains()
  const nodes = await Promise.all(
    [0, 1].map(() => startBeaconNode(t, { chain: chains.chain, headSlot: chains.headSlot })),
  )
  const { server } = await start(t, chains, { nodes })
  const isServed = async (): Promise<void> => {
    const latest = await ask(server, 'latest')
    assert.deepEqual(
      [latest.number, latest.verified, latest.head, latest.signers],
      [54, 'proof', 'consensus', '32/32'],
    )
    for (const tag of ['safe', 'finalized']) {
      const final = await ask(server, tag)
      assert.deepEqual([final.number, final.head, final.signers], [50, 'consensus', '32/32'])
    }
  }
  await until(isServed, withinMs)
  assert.equal(await equivocations(server), 0)
  const [, second] = nodes
  const other = createBeaconChain({
    spec: chains.chain.spec,
    salt: 'other',
    blockHash: () => blockAt(chains.stub.recorded, 40).hash,
  })
  if (second !== undefined) {
    second.knobs.falsify = (kind, data) =>
      kind === 'optimistic_update' ? other.optimisticUpdate(slotOf(data), { signers: 25 }) : data
  }
  await until(async () => assert.ok(((await equivocations(server)) ?? 0) >= 1), withinMs)
  assert.match(server.log(), /sync_committee_equivocation/)
  await until(isServed, withinMs)
})

test('a false beacon node changes no answer, and its data is in the log of invalid replies', async (t) => {
  const chains = await openChains()
  const other = createBeaconChain({
    spec: chains.chain.spec,
    firstKey: (period) => 900 + period,
    blockHash: () => blockAt(chains.stub.recorded, 40).hash,
  })
  const nodes = await Promise.all(
    [other, chains.chain].map((chain) =>
      startBeaconNode(t, { chain, headSlot: chains.headSlot, sign: { signers: 30 } }),
    ),
  )
  const { server } = await start(t, chains, { nodes, require: 'consensus' })
  await until(async () => {
    const latest = await ask(server, 'latest')
    assert.deepEqual([latest.number, latest.signers], [54, '30/32'])
    const { lies } = await server.cli('upstreams')
    const found = (lies as readonly { upstream: string; method: string }[] | undefined) ?? []
    const [first] = found.filter(({ upstream }) => upstream.startsWith('beacon '))
    assert.equal(first?.upstream, `beacon ${new URL(nodes[0]?.url ?? '').host}`)
  }, withinMs)
})

test('a restart needs no checkpoint', async (t) => {
  const chains = await openChains()
  const dataDir = await temporaryFolder()
  const first = await start(t, chains, { dataDir, require: 'consensus' })
  await until(async () => assert.equal((await ask(first.server, 'finalized')).number, 50), withinMs)
  await first.server.stop()
  const { server, nodes } = await start(t, chains, {
    dataDir,
    require: 'consensus',
    checkpoint: null,
  })
  const [node] = nodes
  await until(async () => {
    // The first start's key is in the data folder; the second start prints none.
    const latest = await ask({ ...server, apiKey: first.server.apiKey }, 'latest')
    assert.deepEqual([latest.number, latest.head], [54, 'consensus'])
  }, withinMs)
  assert.deepEqual(
    node?.requests.filter((path) => path.includes('bootstrap')),
    [],
  )
})

test('without a signed head tags are refused with the reason, or served by votes', async (t) => {
  const chains = await openChains()
  const refused = await start(t, chains, { checkpoint: null, require: 'consensus' })
  await until(async () => {
    const { error, number } = await ask(refused.server, 'latest')
    assert.equal(number, null)
    assert.match(error ?? '', /heads\.require requires it: no checkpoint: set heads\.checkpoint/)
  }, withinMs)
  const voted = await start(t, chains, { checkpoint: null })
  await until(async () => {
    const latest = await ask(voted.server, 'latest')
    assert.deepEqual([latest.number, latest.head, latest.signers], [54, 'quorum:2/2', null])
  }, withinMs)
})

test('with consensus+trusted the newest block of a trusted upstream is served ahead of its signature', async (t) => {
  const chains = await openChains()
  const behind = createBeaconChain({
    spec: chains.chain.spec,
    blockHash: (slot) => blockAt(chains.stub.recorded, slot >= 380 ? 52 : 50).hash,
  })
  const nodes = [await startBeaconNode(t, { chain: behind, headSlot: chains.headSlot })]
  const { server } = await start(t, chains, {
    nodes,
    trust: 'consensus+trusted',
    require: 'consensus',
    trusted: true,
    checkpoint: toHex(behind.rootAt(288)),
  })
  await until(async () => {
    const latest = await ask(server, 'latest')
    assert.deepEqual([latest.number, latest.head, latest.signers], [54, 'trusted', null])
    assert.equal((await ask(server, 'finalized')).head, 'consensus')
  }, withinMs)
})

test('with heads by votes nothing of the light client is loaded, and no beacon node is asked', async (t) => {
  const chains = await openChains()
  const folder = await temporaryFolder()
  const off = join(folder, 'off')
  const voted = await start(t, chains, { trust: 'votes', loaded: off })
  await until(async () => assert.equal((await ask(voted.server, 'latest')).number, 54), withinMs)
  assert.equal(existsSync(off), false)
  assert.deepEqual(voted.nodes[0]?.requests, [])
  const on = join(folder, 'on')
  await start(t, chains, { loaded: on })
  assert.match(readFileSync(on, 'utf8'), /open-beacon/)
})
