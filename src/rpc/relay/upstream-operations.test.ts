// The operations of a network behind upstreams, and the calls that it relays: pinned, labelled, and only allowed ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../test/fakes/rpc-call.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Relayed, RelayedCall } from '../../chain/relay.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import { buildFirstBlock } from '../../devchain/first-block.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import type { RpcOperation } from '../operation.ts'
import { createRpcOperations } from '../methods/index.ts'
import type { RelayLists } from './relay-lists.ts'
import type { VerifyMode } from './prove-or-relay.ts'
import { createUpstreamOperations } from './upstream-operations.ts'

const address = `0x${'11'.repeat(20)}`
const blocks = Array.from({ length: 60 }, (_, number) => ({
  network: 'test',
  hash: new Uint8Array(32).fill(number + 1),
  number: BigInt(number),
  anchor: 'quorum:2/3' as const,
}))
const head = toHex(new Uint8Array(32).fill(60))
const own = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})

function rig(
  options: {
    readonly verify?: VerifyMode
    readonly lists?: Partial<RelayLists>
    readonly answer?: Relayed | Fault
    readonly obtainFails?: FaultCode
    readonly items?: readonly UnverifiedItem[]
    readonly blocks?: readonly BlockRef[]
  } = {},
) {
  const { verify = 'require', lists, answer = { result: '0x2a', level: 'none' } } = options
  const relayed: RelayedCall[] = []
  const network = createFakeNetwork({
    head: createFakeHead(options.blocks ?? blocks),
    obtain:
      options.obtainFails === undefined
        ? createFakeObtain(options.items ?? [])
        : () => Promise.reject(new Fault(options.obtainFails as FaultCode)),
    executor: null,
    relay: {
      upstreams: () => [],
      async call(call) {
        relayed.push(call)
        if (answer instanceof Fault) throw answer
        return answer
      },
    },
  })
  const operations = createUpstreamOperations(own, {
    verifyOf: () => verify,
    lists: { allow: null, deny: [], ...lists },
  })
  const run = (method: string, params: readonly unknown[]) => {
    const operation = operations.find(method)
    assert(operation !== null, `${method} is not offered`)
    return runOperation(operation, network, params)
  }
  return { operations, relayed, run }
}

test('a known read is handed on with its tag fixed as a block, and labelled as the relay says', async () => {
  const answered = { result: '0x01', level: 'quorum:2/3' } as const
  const { run, relayed } = rig({ verify: 'prefer', answer: answered })
  const answer = await run('eth_call', [{ to: address }, 'latest'])
  assert.deepEqual([answer.result, answer.levels], ['0x01', ['quorum:2/3']])
  assert.equal(answer.blocks[0]?.anchor, 'quorum:2/3')
  const [call] = relayed
  assert.deepEqual([call?.method, call?.class, call?.provable], ['eth_call', 'read', undefined])
  assert.deepEqual([call?.pin?.at, call?.pin?.form], [1, 'object'])
  assert.equal(toHex(call?.pin?.block.hash ?? new Uint8Array()), head)
})

test('without a block a known read means the latest one; pending is not pinned', async () => {
  const { run, relayed } = rig({ verify: 'prefer' })
  await run('eth_feeHistory', ['0x4', 'latest', []])
  await run('eth_estimateGas', [{ to: address }])
  await run('eth_call', [{ to: address }, 'pending'])
  assert.deepEqual(
    relayed.map(({ pin }) => [pin?.at, pin?.form, pin?.block.number]),
    [
      [1, 'number', 59n],
      [1, 'object', 59n],
      [undefined, undefined, undefined],
    ],
  )
})

test('a read at pending goes to an upstream as it came, under every policy', async () => {
  const reads: readonly (readonly [method: string, params: readonly unknown[]])[] = [
    ['eth_getBlockByNumber', ['pending', true]],
    ['eth_getBlockTransactionCountByNumber', ['pending']],
    ['eth_getHeaderByNumber', ['pending']],
    ['eth_getRawTransactionByBlockNumberAndIndex', ['pending', '0x0']],
    ['eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0']],
    ['eth_getUncleCountByBlockNumber', ['pending']],
    ['eth_getUncleByBlockNumberAndIndex', ['pending', '0x0']],
    ['eth_getBlockReceipts', ['pending']],
    ['eth_getTransactionCount', [address, 'pending']],
    ['eth_getBalance', [address, 'pending']],
    ['eth_getBalance', [address, { blockNumber: 'pending' }]],
    ['eth_getCode', [address, 'pending']],
    ['eth_getStorageAt', [address, '0x0', 'pending']],
    ['eth_getStorageValues', [{ [address]: [head] }, 'pending']],
    ['eth_call', [{ to: address }, 'pending']],
    ['eth_estimateGas', [{ to: address }, 'pending']],
    ['eth_createAccessList', [{ to: address }, 'pending']],
    ['debug_traceCall', [{ to: address }, 'pending']],
    ['eth_feeHistory', ['0x1', 'pending', []]],
    ['eth_simulateV1', [{ blockStateCalls: [{}] }, 'pending']],
  ]
  for (const verify of ['require', 'prefer', 'header', 'off'] as const) {
    for (const level of ['none', 'trusted'] as const) {
      for (const [method, params] of reads) {
        const { run, relayed } = rig({ verify, answer: { result: '0x7', level } })
        const { result, levels, blocks: shown } = await run(method, params)
        const about = `${method} under ${verify}`
        assert.deepEqual([result, levels, shown], ['0x7', [level], []], about)
        assert.deepEqual(
          relayed.map((one) => [one.method, one.params, one.pin]),
          [[method, params, undefined]],
          about,
        )
      }
    }
  }
  // Calls that the method itself refuses are not relayed, and the address list of a key applies.
  const { run, relayed, operations } = rig()
  await assert.rejects(run('eth_getBalance', ['0x11', 'pending']), { code: 'bad_params' })
  assert.equal(relayed.length, 0)
  const operation = operations.find('eth_getBalance') as RpcOperation<unknown>
  const named = operation.addresses?.(operation.parse([address, 'pending']))
  assert.deepEqual(named?.map(toHex), [address])
})

test('a block that is not there is said before anybody is asked', async () => {
  const { run, relayed } = rig()
  await assert.rejects(run('eth_call', [{ to: address }, '0xff']), { code: 'unknown_block' })
  await assert.rejects(run('eth_call', [{ to: address }, 'Latest']), { code: 'bad_params' })
  assert.equal(relayed.length, 0)
})

test('require fails closed, prefer takes a word and says so, off takes it at once', async () => {
  const params = [address, '0x0', 'latest']
  for (const obtainFails of ['unprovable', 'unverified'] as const) {
    const closed = rig({ obtainFails })
    await assert.rejects(closed.run('eth_getStorageAt', params), { code: obtainFails })
    assert.equal(closed.relayed.length, 0)
    const open = rig({ verify: 'prefer', obtainFails })
    const { result, levels } = await open.run('eth_getStorageAt', params)
    assert.deepEqual([result, levels], ['0x2a', ['none']])
    assert.deepEqual([open.relayed[0]?.provable, open.relayed[0]?.pin?.at], [true, 2])
  }
  const off = rig({ verify: 'off' })
  assert.deepEqual((await off.run('eth_getStorageAt', params)).levels, ['none'])
})

test('under a proved header the rest is an upstream’s word, and an unknown block is null', async () => {
  const { hash, items } = buildFirstBlock(defaultGenesis)
  const { run, relayed } = rig({ verify: 'header', items })
  const known = await run('eth_getTransactionByBlockHashAndIndex', [toHex(hash), '0x0'])
  assert.deepEqual([known.result, known.levels], ['0x2a', ['block']])
  assert.deepEqual(relayed[0]?.params, [toHex(hash), '0x0'])
  const unknown = await run('eth_getTransactionByBlockHashAndIndex', [head, '0x0'])
  assert.deepEqual([unknown.result, unknown.levels, relayed.length], [null, ['none'], 1])
})

test('under a proved header no upstream says what the header is, or that there is none', async () => {
  const { hash, items } = buildFirstBlock(defaultGenesis)
  const lie = {
    hash: head,
    number: '0x7',
    stateRoot: head,
    baseFeePerGas: null,
    transactions: ['0x1'],
  }
  const result = (value: unknown) => ({ result: value, level: 'none' }) as const
  const { run } = rig({ verify: 'header', items, answer: result(lie) })
  const shown = (await run('eth_getBlockByHash', [toHex(hash), false])).result as typeof lie
  assert.deepEqual([shown.hash, shown.number], [toHex(hash), '0x0'])
  assert.ok(shown.stateRoot !== head && shown.baseFeePerGas !== null)
  assert.deepEqual(shown.transactions, ['0x1'])
  for (const [answer, code] of [
    [null, 'pruned'],
    ['0x', 'unverified'],
  ] as const) {
    const none = rig({ verify: 'header', items, answer: result(answer) })
    await assert.rejects(none.run('eth_getBlockByHash', [toHex(hash), false]), { code })
  }
  const lacking = rig({ verify: 'header', items, answer: result(null) })
  for (const method of ['eth_getBlockTransactionCountByHash', 'eth_getUncleCountByBlockHash']) {
    await assert.rejects(lacking.run(method, [toHex(hash)]), { code: 'pruned' }, method)
  }
  const past = await lacking.run('eth_getTransactionByBlockHashAndIndex', [toHex(hash), '0x7'])
  assert.equal(past.result, null)
})

test('under a proved header a number is asked for by its hash, and else is the word of one', async () => {
  const { hash, items } = buildFirstBlock(defaultGenesis)
  const first = { network: 'test', hash, number: 0n, anchor: 'single' } as const
  const at = { ...first, number: 5n }
  const one = rig({ verify: 'header', items, blocks: [...blocks.slice(0, 5), at] })
  const counted = await one.run('eth_getBlockTransactionCountByNumber', ['0x5'])
  assert.deepEqual(counted.levels, ['block'])
  assert.equal(one.relayed[0]?.method, 'eth_getBlockTransactionCountByHash')
  assert.deepEqual(one.relayed[0]?.params, [toHex(hash)])
  const answer = { result: [], level: 'none', byNumber: true } as const
  const other = rig({ verify: 'header', items, blocks: [...blocks.slice(0, 5), at], answer })
  assert.deepEqual((await other.run('eth_getBlockReceipts', ['0x5'])).levels, ['none'])
})

test('raw forms take a hash where nothing is proved too', async () => {
  const { hash, items } = buildFirstBlock(defaultGenesis)
  const { run, relayed } = rig({ verify: 'off', items })
  const methods = ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts']
  for (const method of methods) await run(method, [toHex(hash)])
  assert.deepEqual(
    relayed.map(({ method, pin }) => [method, pin?.form, toHex(pin?.block.hash ?? hash)]),
    methods.map((method) => [method, 'object', toHex(hash)]),
  )
})

test('an upstream that is away is no reason to take a word for a proof', async () => {
  const { run, relayed } = rig({ verify: 'prefer', obtainFails: 'no_upstream' })
  await assert.rejects(run('eth_getBalance', [address, 'latest']), { code: 'no_upstream' })
  assert.equal(relayed.length, 0)
})

test('only proved answers may be kept, and none where nothing is proved', () => {
  const cacheOf = (verify: VerifyMode) => rig({ verify }).operations.find('eth_getStorageAt')?.cache
  assert.notEqual(cacheOf('require'), undefined)
  assert.notEqual(cacheOf('prefer'), undefined)
  assert.equal(cacheOf('off'), undefined)
})

test('an unlisted method is forwarded unchanged, as a possible write', async () => {
  const { run, relayed } = rig()
  const params = [{ any: ['thing', 'latest'] }]
  await run('zks_getBridgeContracts', params)
  assert.deepEqual(relayed, [{ method: 'zks_getBridgeContracts', params, class: 'unlisted' }])
})

test('what drives a node, holds its keys or needs our own chain is not handed on', () => {
  const { operations } = rig()
  for (const method of [
    'admin_peers',
    'anvil_setBalance',
    'debug_setHead',
    'engine_newPayloadV4',
    'eth_sendTransaction',
    'eth_sign',
    'evm_mine',
    'evm_revert',
    'hardhat_reset',
    'miner_start',
    'personal_unlockAccount',
    // The same method in another case, which some nodes accept.
    'ADMIN_peers',
    'Debug_setHead',
    'ETH_sendRawTransaction',
    'eth_SendTransaction',
    'eth_Call',
    ' admin_peers',
    'eth_call\u0000',
    'eth_\u001b[31m',
    '',
    'x'.repeat(101),
  ]) {
    assert.equal(operations.find(method), null, method)
  }
})

test('debug_ methods that only read go to an upstream, unproved; those that change or expose the node do not', async () => {
  const { operations, run, relayed } = rig()
  const reads: readonly (readonly [string, readonly unknown[]])[] = [
    ['debug_accountRange', ['0x10', '0x', 1, true, true, false]],
    ['debug_getAccessibleState', ['0x1', '0x2']],
    ['debug_getBadBlocks', []],
    ['debug_getModifiedAccountsByHash', [head]],
    ['debug_getModifiedAccountsByNumber', [1, 2]],
    ['debug_intermediateRoots', [head]],
    ['debug_printBlock', [16]],
    ['debug_storageRangeAt', [head, 0, address, '0x', 1]],
    ['debug_traceBadBlock', [head]],
    ['debug_traceBlock', ['0xc0', {}]],
  ]
  for (const [method, params] of reads) {
    await run(method, params)
    assert.partialDeepStrictEqual(relayed.at(-1), { method, params, class: 'trace' }, method)
  }
  assert.throws(() => operations.find('debug_getBadBlocks')?.parse(['/etc/file']), {
    message: 'too many arguments, want at most 0',
  })
  for (const name of [
    'blockProfile',
    'chaindbCompact',
    'chaindbProperty',
    'cpuProfile',
    'dbAncient',
    'dbGet',
    'freeOSMemory',
    'gcStats',
    'goTrace',
    'memStats',
    'preimage',
    'setGCPercent',
    'setHead',
    'setTrieFlushInterval',
    'stacks',
    'standardTraceBlockToFile',
    'standardTraceBadBlockToFile',
    'sync',
    'traceBlockFromFile',
    'verbosity',
    'vmodule',
    'writeMemProfile',
  ]) {
    assert.equal(operations.find(`debug_${name}`), null, name)
  }
})

test('the lists say what else is handed on: deny wins, allow opens what it names', () => {
  const offers = (lists: Partial<RelayLists>, method: string) =>
    rig({ lists }).operations.find(method) !== null
  assert.equal(offers({ deny: ['zks_*'] }, 'zks_estimateFee'), false)
  assert.equal(offers({ deny: ['eth_call'] }, 'eth_call'), false)
  assert.equal(offers({ deny: ['eth_call'] }, 'ETH_call'), false)
  assert.equal(offers({ deny: ['zks_*'] }, 'ZKS_estimateFee'), false)
  assert.equal(offers({ deny: ['trace_*'] }, 'trace_filter'), false)
  assert.equal(offers({ allow: ['zks_*'] }, 'zks_estimateFee'), true)
  assert.equal(offers({ allow: ['zks_*'] }, 'arb_getInfo'), false)
  assert.equal(offers({ allow: ['anvil_setBalance'] }, 'anvil_setBalance'), true)
  assert.equal(offers({ allow: ['zks_*'] }, 'eth_getStorageAt'), true)
})

test('every read that can be proved is an operation of this server, and knows its block', () => {
  const { operations } = rig()
  for (const [name, { development = false }] of own) {
    assert.equal(operations.find(name) === null, development, name)
  }
})

test('a short search is proved, a long one is handed on with its ends as numbers', async () => {
  const { run, relayed } = rig({ answer: { result: [], level: 'none' } })
  await assert.rejects(run('eth_getLogs', [{ fromBlock: '0x10', toBlock: '0x20' }]), {
    code: 'unverified',
  })
  assert.equal(relayed.length, 0)
  const long = await run('eth_getLogs', [{ fromBlock: 'earliest', address }])
  assert.deepEqual(long.levels, ['none'])
  assert.deepEqual(relayed[0]?.params, [{ fromBlock: '0x0', toBlock: '0x3b', address }])
  // Members that Cairn did not check are not relayed, because nodes written in Go would read them.
  await run('eth_getLogs', [{ fromBlock: '0x0', address, Address: `0x${'22'.repeat(20)}` }])
  assert.deepEqual(relayed[1]?.params, [{ fromBlock: '0x0', toBlock: '0x3b', address }])
})

test('a filter is searched for as eth_getLogs is: what is long is handed on', async () => {
  const { run, relayed } = rig({ answer: { result: [], level: 'none' } })
  const filter = { fromBlock: '0x0', address, topics: [null, [head]] }
  const { result: id } = await run('eth_newFilter', [filter])
  const { levels } = await run('eth_getFilterLogs', [id])
  assert.deepEqual(levels, ['none'])
  const [call] = relayed
  assert.equal(call?.method, 'eth_getLogs')
  const spelled = { fromBlock: '0x0', toBlock: '0x3b', address: [address], topics: [null, [head]] }
  assert.deepEqual(call?.params, [spelled])
})

test('a short search that cannot be proved is handed on with its tags as numbers too', async () => {
  const { run, relayed } = rig({ verify: 'prefer', obtainFails: 'unprovable' })
  const { levels } = await run('eth_getLogs', [{ address }])
  assert.deepEqual(levels, ['none'])
  assert.deepEqual(relayed[0]?.params, [{ address, fromBlock: '0x3b', toBlock: '0x3b' }])
})

test('pending is refused in a long search as in a short one', async () => {
  const { run, relayed } = rig()
  for (const fromBlock of ['0x0', '0x30']) {
    await assert.rejects(run('eth_getLogs', [{ fromBlock, toBlock: 'pending' }]), {
      message: 'pending logs are not supported',
    })
  }
  assert.equal(relayed.length, 0)
})

test("a call's address is judged by a key's list; one that could reach any account has none", () => {
  const { operations } = rig()
  const addresses = (method: string, params: readonly unknown[]) => {
    const operation = operations.find(method) as RpcOperation<unknown>
    return operation.addresses?.(operation.parse(params))?.map(toHex)
  }
  assert.deepEqual(addresses('eth_call', [{ to: address }, 'latest']), [address])
  assert.deepEqual(addresses('eth_call', [{ data: '0x00' }, 'latest']), [])
  assert.deepEqual(addresses('eth_call', [{ to: address, authorizationList: [] }]), [])
  assert.deepEqual(addresses('zks_getBridgeContracts', []), [])
  const other = `0x${'22'.repeat(20)}`
  // Nodes written in Go ignore the case of member names; the last one wins.
  assert.deepEqual(addresses('eth_call', [{ to: address, TO: other }, 'latest']), [])
  assert.deepEqual(
    addresses('eth_estimateGas', [{ to: address, 'authorizationLi\u017ft': [{}] }]),
    [],
  )
  for (const changed of [{ code: '0x00' }, { stateDiff: {} }, { Code: '0x00' }, { state: {} }]) {
    const overrides = { [address]: changed }
    assert.deepEqual(addresses('eth_call', [{ to: address }, 'latest', overrides]), [])
    const config = { tracer: 'callTracer', stateOverrides: overrides }
    assert.deepEqual(addresses('debug_traceCall', [{ to: address }, 'latest', config]), [])
    const simulated = { blockStateCalls: [{ stateOverrides: overrides, calls: [{ to: address }] }] }
    assert.deepEqual(addresses('eth_simulateV1', [simulated, 'latest']), [])
  }
  const funded = { [other]: { balance: '0x1', nonce: '0x2' } }
  assert.deepEqual(addresses('eth_call', [{ to: address }, null, funded]), [address])
  const traced = { tracer: 'callTracer', tracerConfig: { withLog: true }, stateOverrides: funded }
  assert.deepEqual(addresses('debug_traceCall', [{ to: address }, 'latest', traced]), [address])
  const program = { tracer: '{result: (c, db) => db.getState(other), fault: () => {}}' }
  assert.deepEqual(addresses('debug_traceCall', [{ to: address }, 'latest', program]), [])
  const calls = [{ to: address }, { to: other }]
  assert.deepEqual(addresses('eth_simulateV1', [{ blockStateCalls: [{ calls }] }]), [
    address,
    other,
  ])
  assert.deepEqual(addresses('eth_simulateV1', [{ blockStateCalls: [{ Calls: calls }] }]), [])
  assert.deepEqual(addresses('trace_call', [{ to: address }, ['trace'], 'latest']), [address])
  assert.deepEqual(addresses('trace_callMany', [[[{ to: other }, ['trace']]], 'latest']), [])
  assert.deepEqual(addresses('trace_filter', [{ toAddress: [other] }]), [])
  assert.deepEqual(addresses('eth_getStorageAt', [address, '0x0']), [address])
})
