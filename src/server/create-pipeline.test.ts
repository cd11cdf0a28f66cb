import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestMeters } from '../../test/fakes/files/transfer-meters.ts'
import { openPaths } from '../../test/fakes/files/path-rules.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { compileAllowlists } from '../access/accounts/allowlists.ts'
import type { Caller } from '../access/accounts/caller.ts'
import {
  defaultAccountSettings,
  defaultKeySettings,
  type KeySettings,
} from '../access/accounts/key-settings.ts'
import { changeKeySettings } from '../access/accounts/parse-key-settings.ts'
import { systemClock } from '../base/clock.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { silentLog } from '../base/log.ts'
import { importProfiles } from '../codec/ipld/import-profile.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import type { Files } from '../ipfs/files.ts'
import { type PipelineDeps, createPipeline } from './open-gateway.ts'
import { createInspector } from '../pipeline/inspector/inspector.ts'
import { createAnswerCache } from '../rpc/answer-cache.ts'
import type { RpcItem, RpcOutcome } from '../rpc/rpc-pipeline.ts'
import type { KuboCommand } from '../kubo/kubo-command.ts'
import type { BlockParameter, Operations, RpcOperation } from '../rpc/operation.ts'
import { Revocable, rollbackAll } from '../rpc/revocable.ts'
import type { ProofBundle } from '../rpc/bundles/proof-bundle.ts'
import type { Level } from '../chain/level.ts'
import { completeRead, fetched, resolvedRead } from '../chain/read.ts'

const caller: Caller = {
  accountId: 'a',
  accountName: 'first',
  keyId: 'k',
  hasCard: false,
  settings: defaultKeySettings,
  quotas: defaultAccountSettings,
  withSecret: false,
  allowlists: null,
}
const network = { name: 'dev', chainId: 1337n } as unknown as Network
const signal = new AbortController().signal

const operations: readonly RpcOperation<unknown>[] = [
  { name: 'x_one', units: 80, parse: (params) => params, run: async () => 1 },
  {
    name: 'x_strict',
    units: 150,
    parse: () => {
      throw new Fault('bad_params', { detail: 'missing value for required argument 0' })
    },
    run: async () => null,
  },
  {
    name: 'x_bug',
    units: 80,
    parse: (params) => params,
    run: async () => {
      throw new TypeError('a secret thing broke')
    },
  },
  {
    name: 'x_latest',
    units: 80,
    parse: (params) => params,
    run: async (_input, call) => {
      call.labels.level('proof')
      return Number((await completeRead(call.resolve({ tag: 'latest' }), call.signal)).number)
    },
  },
  {
    name: 'x_trusted',
    units: 80,
    parse: (params) => params,
    run: async (_input, call) => {
      call.labels.level('trusted')
      return 0
    },
  },
]

const served = [network]

const offering = (offered: readonly RpcOperation<unknown>[]): Operations => ({
  find: (method) => offered.find(({ name }) => name === method) ?? null,
})

function gateway(over: Partial<PipelineDeps> = {}) {
  const counted: { method: string; outcome: string; units: number }[] = []
  const admitted: number[] = []
  const refunded: number[] = []
  let head = 0n
  const made = createPipeline({
    networks: () => served,
    files: {} as Files,
    authenticate: (key, secret) => {
      if (key !== 'rightkey') throw new Fault('bad_key')
      if (secret !== null && secret !== 'right') throw new Fault('bad_secret')
      return { ...caller, withSecret: secret !== null }
    },
    cardGate: {},
    admitUnits: (_caller, units) => void admitted.push(units),
    refundUnits: (_caller, units) => void refunded.push(units),
    chargeUnits: () => {},
    admitFiles: () => {},
    transferMeters: createTestMeters(),
    importProfileOf: () => importProfiles['unixfs-v0-2015'],
    paths: openPaths,
    publicFiles: {} as Files,
    inspector: createInspector({ settingsOf: () => null, clock: systemClock }),
    count: ({ method, outcome, units }) => void counted.push({ method, outcome, units }),
    countBytes: () => {},
    operationsOf: () => offering(operations),
    resolveBlock: () =>
      fetched(async (): Promise<BlockRef> => ({
        network: 'dev',
        hash: new Uint8Array(32),
        number: ++head,
        anchor: 'embedded',
      })),
    answerCache: createAnswerCache({ bytesMax: 100_000 }),
    eventsOf: () => ({ join: () => () => {} }),
    clock: systemClock,
    log: silentLog,
    ...over,
  })
  return { made, counted, admitted, refunded }
}

const item = (method: string): RpcItem => ({ method, params: [] })

function faultOf(outcome: RpcOutcome | undefined): Fault {
  assert.ok(outcome !== undefined && 'fault' in outcome)
  return outcome.fault
}

async function refusal(work: Promise<unknown>): Promise<FaultCode> {
  const thrown = await work.then(
    () => assert.fail('was not refused'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Fault)
  return thrown.code
}

test('the counted units sum to the charged units: the extra unit of a batch has its own row', async () => {
  const { made, counted } = gateway()
  const items = [item('x_one'), item('x_one')]
  const { headers } = await made.runRpc({
    caller,
    network,
    items,
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(counted.at(-1), { method: 'batch', outcome: 'ok', units: 1 })
  assert.equal(
    counted.reduce((sum, { units }) => sum + units, 0),
    headers.units,
  )
})

test('a refusal is counted even if no units are left to charge for it', () => {
  const { made, counted } = gateway({
    admitUnits: () => {
      throw new Fault('over_quota')
    },
  })
  assert.equal(made.chargeRefusal(caller, network, new Fault('bad_json')), 0)
  assert.equal(gateway().made.chargeRefusal(caller, network, new Fault('bad_json')), 5)
  assert.deepEqual(counted, [{ method: '', outcome: 'bad_json', units: 0 }])
})

test('a method that needs a WebSocket is unknown over HTTP', async () => {
  const operation: RpcOperation<unknown> = {
    name: 'eth_subscribe',
    units: 5,
    lasting: true,
    parse: (params) => params,
    run: async (_input, { subscriptions }) => subscriptions?.add({ kind: 'newHeads' }),
  }
  const { made } = gateway({ operationsOf: () => offering([operation]) })
  const request = {
    caller,
    network,
    items: [item('eth_subscribe')],
    batch: false,
    exchange: { signal },
  }
  const [refused] = (await made.runRpc(request)).outcomes
  assert.equal(faultOf(refused).message, 'notifications not supported')
  const subscriptions = made.openSubscriptions({ caller, send: () => {}, end: () => {} }, network)
  const frame = subscriptions.openFrame()
  const [outcome] = (await made.runRpc({ ...request, subscriptions: frame })).outcomes
  assert.ok(outcome !== undefined && 'result' in outcome)
  assert.match(String(outcome.result), /^0x[0-9a-f]{32}$/)
})

test('a key that requires its secret reveals nothing of its networks without it', async () => {
  const settings = { ...defaultKeySettings, secretRequired: true, networks: ['mainnet'] }
  const { made } = gateway({
    authenticate: (_key, secret) => ({ ...caller, settings, withSecret: secret !== null }),
  })
  const enter = async (secret: string | null) =>
    await made.authenticateRpc({ key: 'rightkey', secret }, network)
  await assert.rejects(enter(null), {
    code: 'refused_by_setting',
    data: { reason: 'secret_required' },
  })
  await assert.rejects(enter('right'), {
    code: 'refused_by_setting',
    message: 'project ID does not have access to dev',
    data: { reason: 'network' },
  })
})

test('the whole request is priced before it runs: its items, plus one unit for a batch', async () => {
  const { made, admitted } = gateway()
  await made.runRpc({ caller, network, items: [item('x_one')], batch: false, exchange: { signal } })
  await made.runRpc({
    caller,
    network,
    items: [item('x_one'), item('x_one')],
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(admitted, [80, 161])
})

test('a request over its limit runs nothing and costs nothing', async () => {
  const { made, counted } = gateway({
    admitUnits: () => {
      throw new Fault('over_rate')
    },
  })
  const items = [item('x_one')]
  const run = async () =>
    await made.runRpc({ caller, network, items, batch: false, exchange: { signal } })
  assert.equal(await refusal(run()), 'over_rate')
  assert.deepEqual(counted, [{ method: 'x_one', outcome: 'over_rate', units: 0 }])
})

test('one bad item affects no other, and replies keep the order of the request', async () => {
  const { made, counted } = gateway()
  const bad = new Fault('bad_envelope')
  const { outcomes } = await made.runRpc({
    caller,
    network,
    items: [item('x_one'), bad, item('no_such'), item('x_strict'), item('x_one')],
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(outcomes[0], { result: 1 })
  assert.equal(faultOf(outcomes[1]), bad)
  assert.equal(faultOf(outcomes[2]).message, 'The method no_such does not exist/is not available')
  assert.equal(faultOf(outcomes[3]).message, 'missing value for required argument 0')
  assert.deepEqual(outcomes[4], { result: 1 })
  assert.deepEqual(
    counted.map(({ units }) => units),
    [80, 5, 5, 5, 80, 1],
  )
})

test('a method that is always refused costs as much as an unknown one', async () => {
  const { made, counted } = gateway()
  const items = [item('eth_sendTransaction')]
  const { outcomes } = await made.runRpc({
    caller,
    network,
    items,
    batch: false,
    exchange: { signal },
  })
  assert.equal(faultOf(outcomes[0]).code, 'method_not_offered')
  assert.deepEqual(counted, [{ method: 'other', outcome: 'method_not_offered', units: 5 }])
})

test('a bug is reported as internal, and its units are refunded', async () => {
  const { made, refunded, counted } = gateway()
  const { outcomes, headers } = await made.runRpc({
    caller,
    network,
    items: [item('x_bug')],
    batch: false,
    exchange: { signal },
  })
  assert.equal(faultOf(outcomes[0]).message, 'internal error')
  assert.deepEqual(refunded, [80])
  assert.equal(headers.units, 0)
  assert.deepEqual(counted, [{ method: 'x_bug', outcome: 'internal', units: 0 }])
})

test('`latest` is one block for every call of a batch, also while the head moves', async () => {
  const { made } = gateway()
  const { outcomes, headers } = await made.runRpc({
    caller,
    network,
    items: [item('x_latest'), item('x_latest'), item('x_latest')],
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(outcomes, [{ result: 1 }, { result: 1 }, { result: 1 }])
  assert.equal(headers.blockNumber, 1n)
  assert.equal(headers.head, 'embedded')
})

test('a batch carries the weakest label of its answers', async () => {
  const { made } = gateway()
  const labelOf = async (methods: string[]) =>
    (
      await made.runRpc({
        caller,
        network,
        items: methods.map(item),
        batch: true,
        exchange: { signal },
      })
    ).headers.verified
  assert.equal(await labelOf(['x_latest']), 'proof')
  assert.equal(await labelOf(['x_latest', 'x_trusted']), 'trusted')
  // Answers without a level and errors have no label of their own; they count only in a batch without other answers.
  assert.equal(await labelOf(['x_one']), 'trusted')
  assert.equal(await labelOf(['x_latest', 'x_one', 'x_missing']), 'proof')
  assert.equal(await labelOf(['x_missing']), 'none')
})

test('the JSON-RPC API requires a key, accepts a secret, and refuses a wrong one even if none is required', async () => {
  const { made } = gateway()
  const enter = async (key: string | null, secret: string | null, user = '') =>
    await made.authenticateRpc({ key, secret, user }, network)
  assert.equal((await enter('rightkey', null)).keyId, 'k')
  assert.equal((await enter('rightkey', 'right')).withSecret, true)
  assert.equal((await enter('rightkey', 'right', 'rightkey')).withSecret, true)
  assert.equal(await refusal(enter('rightkey', 'right', 'someone')), 'bad_secret')
  assert.equal(await refusal(enter('rightkey', 'wrong')), 'bad_secret')
  assert.equal(await refusal(enter('wrongkey', null)), 'bad_key')
  assert.equal(await refusal(enter(null, null)), 'no_credential')
})

test('the IPFS API requires key, secret and a card, in that order', async () => {
  const { made } = gateway()
  assert.equal(
    await refusal(made.authenticateFiles({ key: 'rightkey', secret: null }, 'version')),
    'no_credential',
  )
  assert.equal(
    await refusal(made.authenticateFiles({ key: 'wrongkey', secret: 'right' }, 'version')),
    'bad_key',
  )
  assert.equal(
    await refusal(made.authenticateFiles({ key: 'rightkey', secret: 'right' }, 'version')),
    'no_card',
  )
  const open = gateway({ cardGate: null }).made
  assert.equal(
    (await open.authenticateFiles({ key: 'rightkey', secret: 'right' }, 'version')).keyId,
    'k',
  )
})

test('an IPFS command is authorized, admitted and counted once, when its response has ended', async () => {
  const { made, counted } = gateway()
  const operation: KuboCommand<unknown> = {
    name: 'pin/rm',
    class: 'write',
    argument: null,
    body: 'none',
    options: [],
    parse: (request) => request,
    run: async () => ({ kind: 'object', value: {} }),
  }
  const request = { args: [], options: new Map(), entries: null, host: '' }
  const command = { caller, operation, request, connected: () => true, signal }
  const { settle } = await made.runFiles(command)
  assert.deepEqual(counted, [])
  settle(null, { in: 10, out: 20 })
  assert.deepEqual(counted, [{ method: 'pin/rm', outcome: 'ok', units: 0 }])
})

const where: BlockRef = {
  network: 'dev',
  hash: new Uint8Array(32).fill(7),
  number: 5n,
  anchor: 'embedded',
}

/** A cacheable operation that counts its runs and labels its answers with `level`. */
function caching(level: Level, block: BlockParameter | null = { tag: 'latest' }) {
  const ran: unknown[] = []
  const operation: RpcOperation<unknown> = {
    name: 'x_kept',
    units: 80,
    cache: { block: () => block, key: (input) => JSON.stringify(input) },
    parse: (params) => params,
    run: async (input, call) => {
      ran.push(input)
      await completeRead(call.resolve({ tag: 'latest' }), call.signal)
      call.labels.level(level)
      return { value: ran.length }
    },
  }
  const { made, counted } = gateway({
    operationsOf: () => offering([operation]),
    resolveBlock: () => resolvedRead(where),
  })
  const run = async (params: readonly unknown[] = []) => {
    const items = [{ method: 'x_kept', params }]
    const { outcomes, headers } = await made.runRpc({
      caller,
      network,
      items,
      batch: false,
      exchange: { signal },
    })
    const [outcome] = outcomes
    assert.ok(outcome !== undefined && !('fault' in outcome))
    const value: unknown = 'text' in outcome ? JSON.parse(outcome.text) : outcome.result
    return { value, headers }
  }
  return { run, ran, counted, made }
}

test('a proved answer is served from the cache, with the same labels, and charged the same', async () => {
  const { run, ran, counted } = caching('proof')
  const first = await run(['a'])
  const second = await run(['a'])
  assert.deepEqual(second, first)
  assert.equal(second.headers.verified, 'proof')
  assert.equal(second.headers.head, 'embedded')
  assert.deepEqual(second.headers.block, where.hash)
  assert.equal(ran.length, 1)
  assert.deepEqual(counted[1], counted[0])
  assert.equal(counted[1]?.units, 80)
})

test('a request for a proof runs again despite a cached answer, and is charged the same', async () => {
  const { run, ran, counted, made } = caching('proof')
  await run(['a'])
  const { outcomes, headers } = await made.runRpc({
    caller,
    network,
    items: [{ method: 'x_kept', params: ['a'] }],
    batch: false,
    proof: true,
    exchange: { signal },
  })
  assert.equal(ran.length, 2)
  assert.deepEqual(counted[1], counted[0])
  assert.equal(headers.verified, 'proof')
  // This operation does not support bundles, so its answer carries no proof.
  const proof: ProofBundle = {
    v: 1,
    chainId: '0x539',
    method: 'x_kept',
    params: ['a'],
    block: { hash: `0x${'07'.repeat(32)}`, number: '0x5' },
    verified: 'proof',
    head: 'embedded',
    header: null,
    nodes: [],
  }
  assert.deepEqual(outcomes, [{ result: { value: 2 }, proof }])
})

test('a revocable answer is sent with its proof, and is rolled back if it does not reach the client', async () => {
  let revoked = 0
  const operation: RpcOperation<unknown> = {
    name: 'x_once',
    units: 80,
    parse: (params) => params,
    run: async () => new Revocable([1], () => void revoked++),
  }
  const { made } = gateway({ operationsOf: () => ({ find: () => operation }) })
  const request = { caller, network, items: [item('x_once')], batch: false, exchange: { signal } }
  const { outcomes } = await made.runRpc({ ...request, proof: true })
  assert.partialDeepStrictEqual(outcomes, [{ result: [1], proof: { nodes: [] } }])
  rollbackAll(outcomes)
  assert.equal(revoked, 1)
})

test('a cached answer is returned synchronously', async () => {
  const { run, made } = caching('proof')
  await run()
  const items = [{ method: 'x_kept', params: [] }]
  const exchange = {
    get signal(): AbortSignal {
      throw new Error('a signal was made but not used')
    },
  }
  const answer = made.runRpc({ caller, network, items, batch: false, exchange })
  assert.ok(!(answer instanceof Promise))
})

test('another input is another cache entry', async () => {
  const { run, ran } = caching('proof')
  await run(['a'])
  await run(['b'])
  assert.equal(ran.length, 2)
})

test('an answer without a proof is never cached', async () => {
  for (const level of ['trusted', 'none'] as const) {
    const { run, ran } = caching(level)
    await run()
    await run()
    assert.equal(ran.length, 2, level)
  }
})

test('an input without a cache key runs each time', async () => {
  const { run, ran } = caching('proof', null)
  await run()
  await run()
  assert.equal(ran.length, 2)
})

test('an answer about the pending block runs each time', async () => {
  const { run, ran } = caching('proof', { tag: 'pending' })
  await run()
  await run()
  assert.equal(ran.length, 2)
})

test('a block is checked to be canonical each time', async () => {
  const { run, ran } = caching('proof', { hash: where.hash, requireCanonical: true })
  await run()
  await run()
  assert.equal(ran.length, 2)
})

test('a method that no upstream supports costs as little as an unknown one', async () => {
  const lacking: RpcOperation<unknown> = {
    name: 'x_trace',
    units: 1000,
    parse: (params) => params,
    run: () => Promise.reject(new Fault('no_method')),
  }
  const { made, counted, admitted, refunded } = gateway({ operationsOf: () => offering([lacking]) })
  const { headers } = await made.runRpc({
    caller,
    network,
    items: [item('x_trace')],
    batch: false,
    exchange: { signal },
  })
  assert.deepEqual([admitted, refunded, headers.units], [[1000], [995], 5])
  assert.deepEqual(counted, [{ method: 'x_trace', outcome: 'no_method', units: 5 }])
})

const listed = (changes: Partial<KeySettings>): Caller => {
  const settings = changeKeySettings(defaultKeySettings, changes)
  return { ...caller, settings, allowlists: compileAllowlists(settings) }
}

test('a method outside the key allowlist is refused in its place, before its params and its existence are checked', async () => {
  const { made, counted, admitted } = gateway()
  const { outcomes, headers } = await made.runRpc({
    caller: listed({ allowMethods: ['x_one', 'no_such'] }),
    network,
    items: ['x_one', 'x_strict', 'X_one', 'other', 'no_such'].map(item),
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(outcomes[0], { result: 1 })
  for (const outcome of outcomes.slice(1, 4)) {
    assert.equal(faultOf(outcome).code, 'refused_by_setting')
    assert.deepEqual(faultOf(outcome).data, { reason: 'method' })
  }
  assert.equal(faultOf(outcomes[4]).code, 'no_method')
  // Refusals by a setting are free; an unknown method costs its 5 units.
  assert.deepEqual([admitted, headers.units], [[86], 86])
  const refused = counted.filter(({ outcome }) => outcome === 'refused_by_setting')
  assert.deepEqual(
    refused.map(({ method, units }) => [method, units]),
    [
      ['x_strict', 0],
      ['other', 0],
      ['other', 0],
    ],
  )
})

test('a request in which no call is allowed costs nothing, even without units left', async () => {
  const { made, counted } = gateway({
    admitUnits: () => {
      throw new Fault('over_quota')
    },
  })
  for (const batch of [false, true]) {
    const { outcomes, headers } = await made.runRpc({
      caller: listed({ allowMethods: ['x_one'] }),
      network,
      items: [item('x_strict')],
      batch,
      exchange: { signal },
    })
    assert.equal(faultOf(outcomes[0]).code, 'refused_by_setting')
    assert.equal(headers.units, 0)
  }
  assert.equal(
    counted.some(({ method }) => method === 'batch'),
    false,
  )
})

test('allowlists of origins, user agents and addresses are checked after key, secret and network', async () => {
  const changes = { allowIps: ['192.0.2.1'], allowOrigins: ['a.example'], allowUserAgents: ['App'] }
  const enter = async (credential: object, settings: Partial<KeySettings> = {}) => {
    const { made } = gateway({ authenticate: () => listed({ ...changes, ...settings }) })
    return await made.authenticateRpc({ key: 'rightkey', secret: null, ...credential }, network)
  }
  const reason = (value: string) => ({ code: 'refused_by_setting', data: { reason: value } })
  const shown = { address: '192.0.2.1', origin: 'https://a.example', userAgent: 'App/1' }
  await enter(shown)
  await assert.rejects(enter({}), reason('ip'))
  await assert.rejects(enter({ ...shown, origin: undefined }), reason('origin'))
  await assert.rejects(enter({ ...shown, userAgent: 'curl' }), reason('user_agent'))
  await assert.rejects(enter({}, { networks: [] }), reason('network'))
  await assert.rejects(enter({}, { secretRequired: true }), reason('secret_required'))
})

test('the IPFS API checks allowlists and command before the card, and reveals no list', async () => {
  const enter = async (command: string, settings: Partial<KeySettings>) => {
    const { made } = gateway({ authenticate: () => listed(settings) })
    return await made.authenticateFiles({ key: 'rightkey', secret: 'right' }, command)
  }
  const reason = (value: string) => ({ code: 'refused_by_setting', data: { reason: value } })
  await assert.rejects(enter('pin/rm', { allowMethods: ['pin/add'] }), reason('method'))
  await assert.rejects(enter('pin/add', { allowOrigins: ['a.example'] }), reason('origin'))
  await assert.rejects(enter('pin/add', { allowMethods: ['pin/add'] }), { code: 'no_card' })
  await assert.rejects(enter('pin/add', { allowAddresses: [`0x${'01'.repeat(20)}`] }), {
    code: 'no_card',
  })
})

test('a read from memory needs no signal and no promise, is cached like any other, and its Fault is its outcome', () => {
  const requested: string[] = []
  const operation: RpcOperation<unknown> = {
    name: 'x_now',
    units: 80,
    cache: { block: () => ({ tag: 'latest' }), key: (input) => JSON.stringify(input) },
    parse: ([input]) => input,
    *read(input, call) {
      if (input === 'bad') throw new Fault('no_state')
      yield* call.resolve({ tag: 'latest' })
      call.labels.level('proof')
      requested.push(String(input))
      return `now ${String(input)}`
    },
  }
  const { made, counted } = gateway({
    operationsOf: () => offering([operation]),
    resolveBlock: () => resolvedRead(where),
  })
  const exchange = {
    get signal(): AbortSignal {
      return assert.fail('a signal was asked for')
    },
  }
  const items = ['a', 'bad', 'a'].map((input) => ({ method: 'x_now', params: [input] }))
  const run = () => made.runRpc({ caller, network, items, batch: true, exchange })
  const cached = { text: '"now a"', bytes: 7 }
  for (const answer of [run(), run()]) {
    assert.ok(!(answer instanceof Promise))
    const [first, fault, again] = answer.outcomes
    assert.deepEqual([first, again], [cached, cached])
    assert.equal(faultOf(fault).code, 'no_state')
    assert.equal(answer.headers.verified, 'proof')
    assert.equal(answer.headers.block, where.hash)
  }
  assert.deepEqual(requested, ['a'])
  assert.deepEqual(
    counted.slice(0, 3).map(({ outcome }) => outcome),
    ['ok', 'no_state', 'ok'],
  )
})

test('a read with missing content is completed, with other calls of the request already answered', async () => {
  const operation: RpcOperation<unknown> = {
    name: 'x_now',
    units: 80,
    parse: ([input]) => input,
    read: (input) => (input === 'later' ? fetched(async () => 'later') : resolvedRead('now')),
  }
  const { made } = gateway({ operationsOf: () => offering([operation]) })
  const items = ['now', 'later'].map((input) => ({ method: 'x_now', params: [input] }))
  const { outcomes } = await made.runRpc({
    caller,
    network,
    items,
    batch: true,
    exchange: { signal },
  })
  assert.deepEqual(outcomes, [{ result: 'now' }, { result: 'later' }])
})

test('a started read is resumed; its answer is labelled and cached, and its Fault is its outcome', async () => {
  let begun = 0
  const operation: RpcOperation<unknown> = {
    name: 'x_begun',
    units: 80,
    cache: { block: () => ({ tag: 'latest' }), key: (input) => JSON.stringify(input) },
    parse: ([input]) => input,
    *read(input, call) {
      begun += 1
      yield* call.resolve({ tag: 'latest' })
      const its = yield* fetched((given) => Promise.resolve(given))
      assert.equal(its, signal)
      if (input === 'bad') throw new Fault('no_state')
      call.labels.level('proof')
      return `went on with ${String(input)}`
    },
  }
  const { made } = gateway({
    operationsOf: () => offering([operation]),
    resolveBlock: () => resolvedRead(where),
  })
  const items = ['a', 'bad', 'b'].map((input) => ({ method: 'x_begun', params: [input] }))
  const run = () => made.runRpc({ caller, network, items, batch: true, exchange: { signal } })
  for (const _ of [1, 2]) {
    const { outcomes, headers } = await run()
    const [first, fault, other] = outcomes
    assert.deepEqual(first, { text: '"went on with a"', bytes: 16 })
    assert.deepEqual(other, { text: '"went on with b"', bytes: 16 })
    assert.equal(faultOf(fault).code, 'no_state')
    assert.deepEqual([headers.verified, headers.block], ['proof', where.hash])
  }
  assert.equal(begun, 4, 'a cached answer does not run again')
})

test('requests that a known key refuses before their body is read are counted by reason and status', async () => {
  const counted: object[] = []
  const count: PipelineDeps['count'] = ({ method, outcome, reason, status, units, ms }) =>
    void counted.push({ method, outcome, reason, status, units, ms })
  const row = { units: 0, ms: null }
  const listing = { allowMethods: ['pin/add'], allowOrigins: ['a.example'] }
  const strict = gateway({ count, authenticate: () => listed(listing) }).made
  const origin = 'https://a.example'
  const credential = { key: 'rightkey', secret: 'right' }
  await assert.rejects(async () => await strict.authenticateRpc(credential, network))
  await assert.rejects(strict.authenticateFiles({ ...credential, origin }, 'pin/rm'))
  await assert.rejects(strict.authenticateFiles({ ...credential, origin }, 'x/y', 'other'))
  await assert.rejects(strict.authenticateFiles({ ...credential, origin }, 'pin/add'))
  const { made } = gateway({ count })
  await assert.rejects(
    async () => await made.authenticateRpc({ ...credential, secret: 'wrong' }, network),
  )
  await assert.rejects(
    async () => await made.authenticateRpc({ key: 'nobodys', secret: null }, network),
  )
  const refused = { outcome: 'refused_by_setting', status: 403, ...row }
  assert.deepEqual(counted, [
    { ...refused, method: '', reason: 'origin' },
    { ...refused, method: 'pin/rm', reason: 'method' },
    { ...refused, method: 'other', reason: 'method' },
    { method: 'pin/add', outcome: 'no_card', reason: '', status: 402, ...row },
    { method: '', outcome: 'bad_secret', reason: '', status: 401, ...row },
  ])
})

test('calls that ran have a duration, refused calls have none', async () => {
  const counted: object[] = []
  const clock = createManualClock()
  const slow: RpcOperation<unknown> = {
    name: 'x_slow',
    units: 80,
    parse: (params) => params,
    run: async () => clock.advance(250),
  }
  const { made } = gateway({
    clock,
    count: ({ method, ms }) => void counted.push({ method, ms }),
    operationsOf: () => offering([slow, ...operations]),
  })
  const items = [item('x_slow'), item('x_strict'), item('x_none')]
  await made.runRpc({ caller, network, items, batch: true, exchange: { signal } })
  made.countRefusal(caller, 'add', new Fault('bad_argument'))
  assert.deepEqual(counted, [
    { method: 'x_slow', ms: 250 },
    { method: 'x_strict', ms: null },
    { method: 'other', ms: null },
    { method: 'batch', ms: null },
    { method: 'add', ms: null },
  ])
})
