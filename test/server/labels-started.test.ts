// Every JSON-RPC reply has `x-cairn-verified`: each operation of the table on both kinds of network, errors, refusals and batches.
// and batches.
import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { toHex } from '../../src/base/hex.ts'
import { createSenderCache } from '../../src/chain/sender-cache.ts'
import { createRpcOperations, listRpcMethods } from '../../src/rpc/methods/index.ts'
import { relayedMethods } from '../../src/rpc/relay/relayed-methods.ts'
import { startBehind } from '../behind-upstreams.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const address = `0x${'11'.repeat(20)}`
/** Address of an account with funds on the embedded chain. */
const holder = devAccounts[0]?.address ?? ''
const unknown = `0x${'ab'.repeat(32)}`
const slot = `0x${'00'.repeat(32)}`

type Label = 'proof' | 'trusted' | 'none'
/** `embedded`, `behind`: the label on the embedded chain, and behind one trusted upstream under \`require\`. */
type Row = {
  readonly params: readonly unknown[]
  readonly embedded: Label
  readonly behind: Label
}

function row(embedded: Label, behind: Label, ...params: readonly unknown[]): Row {
  return { params, embedded, behind }
}
const proved = (...params: readonly unknown[]) => row('proof', 'proof', ...params)
const trusted = (...params: readonly unknown[]) => row('trusted', 'trusted', ...params)
/** Errors, and unknown hashes. */
const none = (...params: readonly unknown[]) => row('none', 'none', ...params)

/** Refused with its example params, or always. */
const refusedDevMethods = [
  'anvil_setMinGasPrice',
  'anvil_setNextBlockTimestamp',
  'evm_setNextBlockTimestamp',
  'hardhat_setMinGasPrice',
]
const devRows = Object.fromEntries(
  listRpcMethods()
    .filter(({ development }) => development === true)
    .map(({ name, params }) => {
      const label = refusedDevMethods.includes(name) ? 'none' : 'trusted'
      return [name, row(label, 'none', ...params.map(({ type }) => type.example))]
    }),
)

/** Every operation of this server, and forwarded methods. `block`: a hash; `transaction`: hash of one behind upstreams. */
function rowsOf(block: string, transaction: string): Readonly<Record<string, Row>> {
  const call = { to: address }
  return {
    debug_getRawBlock: proved('latest'),
    debug_getRawHeader: proved('latest'),
    debug_getRawReceipts: proved('latest'),
    debug_getRawTransaction: row('none', 'proof', transaction),
    debug_storageRangeAt: trusted(block, 0, address, '0x', 1),
    // An error on the embedded chain: no bytes of a block.
    debug_traceBlock: row('none', 'trusted', '0xc0'),
    debug_traceBlockByHash: trusted(block),
    debug_traceBlockByNumber: row('none', 'trusted', '0x0'),
    debug_traceCall: trusted(call, 'latest', {}),
    debug_traceTransaction: row('none', 'trusted', transaction),
    eth_accounts: trusted(),
    eth_baseFee: row('proof', 'trusted'),
    eth_blobBaseFee: row('proof', 'trusted'),
    eth_blockNumber: proved(),
    eth_call: trusted(call, 'latest'),
    eth_capabilities: trusted(),
    eth_chainId: trusted(),
    eth_config: trusted(),
    // A transaction without a price requires a sender that can pay for it.
    eth_createAccessList: trusted({ from: holder, ...call }, 'latest'),
    eth_estimateGas: trusted(call),
    eth_feeHistory: row('proof', 'trusted', '0x1', 'latest', []),
    eth_fillTransaction: trusted({ from: holder, to: address }),
    eth_gasPrice: row('proof', 'trusted'),
    eth_getBalance: proved(address, 'latest'),
    eth_getBlockByHash: proved(block, false),
    eth_getBlockByNumber: proved('latest', true),
    eth_getBlockReceipts: proved('latest'),
    eth_getBlockTransactionCountByHash: proved(block),
    eth_getBlockTransactionCountByNumber: proved('latest'),
    eth_getCode: proved(address, 'latest'),
    eth_getFilterChanges: proved('$blockFilter'),
    eth_getFilterLogs: proved('$logFilter'),
    eth_getHeaderByHash: proved(block),
    eth_getHeaderByNumber: proved('latest'),
    eth_getLogs: proved({ fromBlock: 'latest' }),
    eth_getProof: proved(address, [slot], 'latest'),
    eth_getRawTransactionByBlockHashAndIndex: proved(block, '0xff'),
    eth_getRawTransactionByBlockNumberAndIndex: proved('latest', '0xff'),
    eth_getRawTransactionByHash: row('none', 'proof', transaction),
    eth_getStorageAt: proved(address, '0x0', 'latest'),
    eth_getStorageValues: proved({ [address]: [slot] }, 'latest'),
    eth_getTransactionByBlockHashAndIndex: proved(block, '0xff'),
    eth_getTransactionByBlockNumberAndIndex: proved('latest', '0xff'),
    eth_getTransactionByHash: row('none', 'proof', transaction),
    eth_getTransactionCount: proved(address, 'latest'),
    eth_getTransactionReceipt: row('none', 'proof', transaction),
    eth_getUncleByBlockHashAndIndex: proved(block, '0x0'),
    eth_getUncleByBlockNumberAndIndex: proved('latest', '0x0'),
    eth_getUncleCountByBlockHash: proved(block),
    eth_getUncleCountByBlockNumber: proved('latest'),
    eth_hashrate: trusted(),
    eth_maxPriorityFeePerGas: row('proof', 'trusted'),
    eth_mining: trusted(),
    eth_newBlockFilter: trusted(),
    eth_newFilter: trusted({}),
    eth_newPendingTransactionFilter: trusted(),
    eth_pendingTransactions: trusted(),
    eth_protocolVersion: trusted(),
    eth_requestAccounts: trusted(),
    eth_sendRawTransaction: none('0x00'),
    eth_sendRawTransactionSync: none('0x00'),
    eth_simulateV1: trusted({ blockStateCalls: [{ calls: [call] }] }, 'latest'),
    // Only over a persistent connection.
    eth_subscribe: none('newHeads'),
    eth_syncing: trusted(),
    eth_uninstallFilter: trusted('0x1'),
    eth_unsubscribe: none('0x1'),
    net_listening: trusted(),
    net_peerCount: trusted(),
    net_version: trusted(),
    'rpc.discover': trusted(),
    trace_block: row('none', 'trusted', 'latest'),
    trace_call: row('none', 'trusted', call, ['trace'], 'latest'),
    trace_callMany: row('none', 'trusted', [[call, ['trace']]], 'latest'),
    trace_filter: row('none', 'trusted', {}),
    trace_transaction: row('none', 'trusted', transaction),
    txpool_content: trusted(),
    txpool_contentFrom: trusted(address),
    txpool_inspect: trusted(),
    txpool_status: trusted(),
    web3_clientVersion: trusted(),
    web3_sha3: trusted('0x68656c6c6f'),
    // Last, because they change the chain.
    ...devRows,
  }
}

const options = { clientVersion: 'x', clock: systemClock, findSender: createSenderCache(1).find }
const names = new Set([
  ...createRpcOperations(options).keys(),
  ...relayedMethods.map(({ name }) => name),
])

type Said = { readonly result?: unknown; readonly error?: unknown; readonly label: string | null }

async function post(url: string, body: unknown): Promise<Said> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const reply = (await response.json()) as Omit<Said, 'label'>
  return { ...reply, label: response.headers.get('x-cairn-verified') }
}

const itemOf = (method: string, params: readonly unknown[]) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})

async function checkAll(url: string, kind: 'embedded' | 'behind', transaction: string) {
  const ask = async (method: string, ...params: readonly unknown[]) =>
    await post(url, itemOf(method, params))
  // The first block has no parent state to trace.
  if (kind === 'embedded') await ask('evm_mine')
  const { result: latest } = await ask('eth_getBlockByNumber', 'latest', false)
  const rows = rowsOf((latest as { hash: string }).hash, transaction)
  // An operation without a row still has a label.
  for (const name of names)
    if (!(name in rows)) assert.notEqual((await ask(name)).label, null, name)
  for (const name of Object.keys(rows)) assert.ok(names.has(name), name)
  const filters: Readonly<Record<string, unknown>> = {
    $blockFilter: (await ask('eth_newBlockFilter')).result,
    $logFilter: (await ask('eth_newFilter', {})).result,
  }
  for (const [method, { params, ...labels }] of Object.entries(rows)) {
    const filled = params.map((param) =>
      typeof param === 'string' ? (filters[param] ?? param) : param,
    )
    const said = await ask(method, ...filled)
    assert.equal(said.label, labels[kind], `${method}: ${JSON.stringify(said).slice(0, 300)}`)
    if (said.label !== 'none') assert.equal(said.error, undefined, method)
    // With invalid params, the error is labelled too.
    const wrong = await ask(method, ...Array.from({ length: 9 }, () => ({ odd: ['params'] })))
    assert.notEqual(wrong.label, null, method)
    if (wrong.error !== undefined) assert.equal(wrong.label, 'none', method)
  }
}

async function checkOthers(url: string) {
  const known = itemOf('eth_getBalance', [address, 'latest'])
  const chainId = itemOf('eth_chainId', [])
  const missing = itemOf('x_missing', 'x' as never)
  assert.equal((await post(url, [chainId, known])).label, 'proof')
  assert.equal((await post(url, [known, missing])).label, 'proof')
  assert.equal((await post(url, [chainId, missing])).label, 'trusted')
  assert.equal((await post(url, [itemOf('txpool_status', []), known])).label, 'trusted')
  for (const refused of [missing, [missing], [], 7, [7], {}]) {
    assert.equal((await post(url, refused)).label, 'none', JSON.stringify(refused))
  }
  assert.equal((await post(`${url}x`, known)).label, 'none')
  const junk = await fetch(url, { method: 'POST', body: '{' })
  assert.equal(junk.headers.get('x-cairn-verified'), 'none')
  await junk.text()
}

test('on the embedded chain every operation’s reply is labelled', async (t: TestContext) => {
  const server = await startCairn({ dataDir: await temporaryFolder() })
  t.after(() => server.stop())
  const url = `${server.url}/v3/${server.apiKey}`
  await checkAll(url, 'embedded', unknown)
  await checkOthers(url)
})

let chain: StubChain
before(async () => {
  chain = await openStubChain()
})

test('behind upstreams every operation’s reply is labelled', async (t) => {
  const stub = await startStubUpstream(t, chain)
  // Forwarded calls return a fixed reply: this test checks only the label. The fork schedule of this chain is unknown, so calls and
  // fees are forwarded too.
  const calls = ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_simulateV1'].concat(
    'debug_traceCall',
  )
  const fees = ['eth_baseFee', 'eth_blobBaseFee', 'eth_feeHistory', 'eth_gasPrice'].concat(
    'eth_maxPriorityFeePerGas',
  )
  const handedOn = new Set([...relayedMethods.map(({ name }) => name), ...calls, ...fees])
  stub.knobs.falsify = ({ method }) => (handedOn.has(method) ? { result: '0x1' } : null)
  const cairn = await startBehind(t, [{ url: stub.url, trusted: true }], {
    chainId: Number(chain.chainId),
    verify: {
      default: 'require',
      ...Object.fromEntries(calls.map((name) => [name, 'prefer'])),
    },
    blobSchedule: [{ from: 420, baseFeeUpdateFraction: 11_684_671 }],
  })
  const { view } = chain.recorded[20] ?? assert.fail()
  const transaction = toHex(view.transactions[0]?.hash() ?? assert.fail())
  const url = `${cairn.url}/v3/${cairn.apiKey}`
  await checkAll(url, 'behind', transaction)
  await checkOthers(url)
})
