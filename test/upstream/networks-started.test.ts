// Cairn in front of upstream nodes, as a user starts it: proved and labelled reads, one upstream call for many
// clients, stored data served with all upstreams down, and the policies for unprovable answers.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import type { StubKnobs } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const { chainId, emitter: contract } = testChain
const slotZero = `0x${'00'.repeat(32)}`
const slotValue = testChain.emitted

type Reply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly verified: string | null
  readonly head: string | null
  readonly block: string | null
}

type Rig = {
  readonly stubs: readonly StubUpstream[]
  batch(calls: readonly (readonly [string, readonly unknown[]])[]): Promise<{
    readonly replies: readonly (Reply & { readonly id: number })[]
    readonly block: string | null
    readonly verified: string | null
  }>
  ask(method: string, params: readonly unknown[], network?: string): Promise<Reply>
}

async function rig(
  t: TestContext,
  options: {
    readonly upstreams?: readonly {
      readonly knobs?: Partial<StubKnobs>
      readonly trusted?: boolean
      readonly blocks?: number
    }[]
    readonly verify?: string
    readonly heads?: string
    readonly more?: string
    /** Adds the network `open`, with the same upstreams and `verify: prefer`. */
    readonly withOpen?: boolean
  } = {},
): Promise<Rig> {
  const { upstreams = [{}], verify = 'require', heads = '{pollMs: 100}', more = '' } = options
  const chain = await openStubChain()
  const stubs = await Promise.all(
    upstreams.map(({ knobs, blocks }) =>
      startStubUpstream(t, chain, {
        ...(knobs && { knobs }),
        ...(blocks !== undefined && { blocks }),
      }),
    ),
  )
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  const lines = stubs.map(
    ({ url }, at) =>
      `      - {url: "${url}", name: node-${at}, trusted: ${upstreams[at]?.trusted === true}}`,
  )
  const networkOf = (name: string, mode: string) => `  - name: ${name}
    chainId: ${chainId}
    verify: ${mode}
    heads: ${heads}
    upstreams:
${lines.join('\n')}
`
  const open = options.withOpen === true ? networkOf('open', 'prefer') : ''
  await writeFile(file, `networks:\n${networkOf('recorded', verify)}${open}${more}`)
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  const post = (network: string, body: unknown) =>
    fetch(`${server.url}${network}/v3/${server.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    stubs,
    async batch(calls) {
      const items = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
      const response = await post('', items)
      const replies = (await response.json()) as readonly (Reply & { readonly id: number })[]
      const label = (name: string) => response.headers.get(`x-cairn-${name}`)
      return { replies, block: label('block'), verified: label('verified') }
    },
    async ask(method, params, network = '') {
      const response = await post(network, { jsonrpc: '2.0', id: 1, method, params })
      const { headers } = response
      const body = (await response.json()) as Pick<Reply, 'result' | 'error'>
      return {
        ...body,
        verified: headers.get('x-cairn-verified'),
        head: headers.get('x-cairn-head'),
        block: headers.get('x-cairn-block'),
      }
    },
  }
}

/** Requests for proofs of the contract: the server also sends canary requests for other accounts. */
function proofsOf(stub: StubUpstream | undefined): number | undefined {
  return stub?.calls.filter(
    ({ method, params }) => method === 'eth_getProof' && params[0] === contract,
  ).length
}

test('a slot is proved through one upstream call, then served from memory', async (t) => {
  const { ask, stubs } = await rig(t, { upstreams: [{ trusted: true }] })
  const [stub] = stubs
  const first = await ask('eth_getStorageAt', [contract, '0x0', 'latest'])
  assert.deepEqual([first.result, first.verified, first.head], [slotValue, 'proof', 'trusted'])
  assert.equal(proofsOf(stub), 1)
  assert.equal(stub?.count('eth_getStorageAt'), 0)
  const again = await ask('eth_getStorageAt', [contract, '0x0', 'latest'])
  assert.deepEqual(again, first)
  assert.equal(proofsOf(stub), 1)
})

test('a thousand concurrent reads of one slot cost one upstream call', async (t) => {
  const { ask, stubs } = await rig(t, {
    upstreams: [{ knobs: { latencyMs: ({ method }) => (method === 'eth_getProof' ? 300 : 0) } }],
  })
  const asked = Array.from({ length: 1_000 }, () =>
    ask('eth_getStorageAt', [contract, '0x0', 'latest']),
  )
  const replies = await Promise.all(asked)
  assert.ok(replies.every(({ result, verified }) => result === slotValue && verified === 'proof'))
  assert.equal(proofsOf(stubs[0]), 1)
})

test('stored data is served with all upstreams down', async (t) => {
  const { ask, stubs } = await rig(t, { upstreams: [{}, {}] })
  const { block } = await ask('eth_getStorageAt', [contract, '0x0', 'latest'])
  const params = [contract, '0x0', { blockHash: block }]
  const index = [block, '0x0']
  const [slot, transaction, past, absent] = await Promise.all([
    ask('eth_getStorageAt', params),
    ask('eth_getTransactionByBlockHashAndIndex', index),
    ask('eth_getTransactionByBlockHashAndIndex', [block, '0xffff']),
    ask('eth_getStorageAt', [`0x${'99'.repeat(20)}`, slotZero, { blockHash: block }]),
  ])
  assert.deepEqual([past.result, past.verified], [null, 'proof'])
  assert.deepEqual([absent.result, absent.verified, absent.head], [slotZero, 'proof', null])
  for (const stub of stubs) await stub.stop()
  assert.deepEqual(await ask('eth_getStorageAt', params), slot)
  assert.deepEqual(await ask('eth_getTransactionByBlockHashAndIndex', index), transaction)
  const fresh = await ask('eth_getStorageAt', [contract, '0x1234', { blockHash: block }])
  assert.equal(fresh.verified, fresh.error === undefined ? 'proof' : 'none')
})

test('an unknown block is null if two upstreams agree, and an error with only one', async (t) => {
  const unknown = [`0x${'ab'.repeat(32)}`, '0x0']
  const two = await rig(t, { upstreams: [{}, {}] })
  const answer = await two.ask('eth_getTransactionByBlockHashAndIndex', unknown)
  assert.deepEqual([answer.result, answer.verified], [null, 'none'])
  const one = await rig(t)
  const refused = await one.ask('eth_getTransactionByBlockHashAndIndex', unknown)
  assert.equal(refused.error?.code, -32002)
})

test('require refuses old state without a proof; prefer forwards the answer of an upstream', async (t) => {
  const params = [contract, '0x0', '0x28']
  // Errors that a node returns: the proof depth is exceeded, or the state is gone.
  for (const [client, code] of [
    ['reth', -32002],
    ['geth', -32000],
  ] as const) {
    const upstreams = [{ knobs: { proofWindow: { blocks: 10, client } } }]
    const { ask } = await rig(t, { upstreams, withOpen: true })
    const refused = await ask('eth_getStorageAt', params)
    assert.deepEqual([refused.error?.code, refused.result], [code, undefined])
    const answer = await ask('eth_getStorageAt', params, '/open')
    assert.deepEqual([answer.verified, answer.head], ['none', 'single'])
    assert.equal((answer.result as string).length, 66)
  }
})

test('calls that cannot be proved are forwarded and labelled trusted or none', async (t) => {
  const call = [{ to: contract, data: '0x' }, 'latest']
  for (const trusted of [true, false]) {
    const { ask } = await rig(t, { upstreams: [{ trusted }] })
    const { verified, head } = await ask('eth_gasPrice', [])
    assert.deepEqual([verified, head], [trusted ? 'trusted' : 'none', null])
    const unlisted = await ask('made_up', call)
    assert.equal(unlisted.error?.code, -32601)
  }
})

test('all calls of a batch use one block, whether proved or forwarded', async (t) => {
  const { batch, stubs } = await rig(t, {
    upstreams: [{ blocks: 50 }],
    verify: '{default: require, eth_call: prefer}',
  })
  const [stub] = stubs
  assert.ok(stub)
  // The chain grows while one call of the batch is in progress, and the server has seen the new head before the
  // reply: the third poll follows the processing of the second.
  let looksLeft = 3
  const seen = Promise.withResolvers<void>()
  stub.knobs.falsify = async ({ method, params }) => {
    if (method === 'eth_call') {
      if (stub.view.head.number === 50n) stub.advance(3)
      await seen.promise
    } else if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      if (stub.view.head.number === 53n && --looksLeft === 0) seen.resolve()
    }
    return null
  }
  const { replies, block, verified } = await batch([
    ['eth_blockNumber', []],
    ['eth_call', [{ to: contract }, 'latest']],
    ['eth_getStorageAt', [contract, '0x0', 'latest']],
    ['made_up', [1]],
  ])
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error?.code]),
    [
      [0, undefined],
      [1, undefined],
      [2, undefined],
      [3, -32601],
    ],
  )
  assert.equal(replies[0]?.result, '0x32')
  const call = stub.calls.find(({ method }) => method === 'eth_call')
  assert.deepEqual(call?.params[1], { blockHash: block })
  assert.equal(verified, 'none')
})

test('the embedded chain is available in parallel, under its own name', async (t) => {
  const { ask } = await rig(t, { more: '  - {name: dev, embedded: true}\n' })
  assert.equal((await ask('eth_chainId', [])).result, `0x${chainId.toString(16)}`)
  assert.equal((await ask('eth_chainId', [], '/dev')).result, '0x539')
  const refused = await ask('eth_chainId', [], '/mainnet')
  assert.match(refused.error?.message ?? '', /mainnet is not served/)
})
