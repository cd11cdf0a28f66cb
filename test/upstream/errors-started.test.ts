// An upstream's own error reaches the client unchanged: code, message and data. Cairn first queries other upstreams that may
// succeed, and no message reveals the URL of an upstream.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type CairnWithUpstreams, startBehind } from '../behind-upstreams.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'

const address = `0x${'11'.repeat(20)}`
let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

async function open(
  t: Parameters<typeof startBehind>[0],
  count: number,
): Promise<readonly [CairnWithUpstreams, ...StubUpstream[]]> {
  const stubs = await Promise.all(Array.from({ length: count }, () => startStubUpstream(t, chain)))
  const upstreams = stubs.map(({ url }, at) => ({ url, name: `n${at}`, trusted: at === 0 }))
  const network = { chainId: Number(chain.chainId), verify: 'prefer' }
  return [await startBehind(t, upstreams, network), ...stubs]
}

type Said = { readonly code: number; readonly message: string; readonly data?: unknown }

function refuse(stub: StubUpstream, methods: RegExp, error: Said): void {
  stub.knobs.falsify = ({ method, params }) =>
    methods.test(method) && params[0] !== 'latest' && !String(params[0]).startsWith('0x36')
      ? { error }
      : null
}

test('the error of a node is forwarded with its code, message and data', async (t) => {
  const [cairn, stub] = await open(t, 1)
  const errors: readonly Said[] = [
    { code: -32603, message: 'Internal error', data: { why: 'the node says so' } },
    { code: -32603, message: 'execution aborted (timeout = 5s)' },
    { code: -32000, message: 'tracer not supported' },
    { code: -32000, message: 'state overrides are not supported here', data: ['x'] },
    { code: -32003, message: 'transaction type not supported' },
    { code: -38014, message: 'insufficient funds' },
    { code: -32602, message: 'invalid argument 0: hex string of odd length' },
    { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
  ]
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_call', [{ to: address }, 'latest']],
    ['eth_gasPrice', []],
    ['debug_traceCall', [{ to: address }, 'latest', {}]],
    ['zks_unlisted', []],
    ['eth_sendRawTransaction', [signed]],
  ]
  for (const error of errors) {
    for (const [method, params] of calls) {
      refuse(stub ?? assert.fail(), new RegExp(`^${method}$`), error)
      const answer = await cairn.ask(method, params)
      assert.deepEqual(answer.error, error, `${method} ${JSON.stringify(error)}`)
    }
  }
})

test('if nothing can be proved, the error of the node for the read itself is forwarded', async (t) => {
  const [cairn, stub] = await open(t, 1)
  const error = { code: -32603, message: 'Internal error' }
  for (const [method, params] of [
    ['eth_getBalance', [address, '0x14']],
    ['eth_getTransactionByHash', [`0x${'ab'.repeat(32)}`]],
    ['eth_getTransactionReceipt', [`0x${'ab'.repeat(32)}`]],
  ] as const) {
    refuse(stub ?? assert.fail(), /getProof|getBalance|getTransaction/, error)
    assert.deepEqual((await cairn.ask(method, params)).error, error, method)
  }
})

test('another upstream is queried before an error is returned', async (t) => {
  const [cairn, first] = await open(t, 2)
  for (const error of [
    { code: -32603, message: 'Internal error' },
    { code: -32000, message: 'pending state is not supported' },
    { code: -32601, message: 'the method eth_gasPrice does not exist/is not available' },
    { code: -32000, message: 'missing trie node abc' },
  ]) {
    refuse(first ?? assert.fail(), /^eth_gasPrice$/, error)
    const answer = await cairn.ask('eth_gasPrice', [])
    assert.equal(typeof answer.result, 'string', error.message)
  }
})

test('an error message does not reveal the URL of an upstream', async (t) => {
  const [cairn, stub] = await open(t, 1)
  const { host } = new URL(stub?.url ?? assert.fail())
  const message = `dial tcp 10.1.2.3:8551 for ${host} at http://u:p@geth-0.internal/key: refused`
  refuse(stub ?? assert.fail(), /^eth_gasPrice$/, { code: -32603, message, data: { host } })
  assert.deepEqual((await cairn.ask('eth_gasPrice', [])).error, {
    code: -32603,
    message: 'dial tcp <redacted> for <redacted> at http://<redacted> refused',
    data: { host: '<redacted>' },
  })
})

const signed =
  '0xf8ad835e472485174876e800830249f0944b9c25ca0224aef6a7522cabdbc3b2e125b7ca5080b8446ea056a9000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bd8d7fa6f8cc0025a0d1556332df97e3bd911068651cfad6f975a30381f4ff3a55df7ab3512c78b9eca066b51cbb10cd1b2a09aaff137d9f6d4255bf73cb7702b666ebd5af502ffa4410'
