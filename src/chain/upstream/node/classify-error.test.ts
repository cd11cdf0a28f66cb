import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyError, errorRows } from './classify-error.ts'
import type { UpstreamErrorKind } from './upstream-error.ts'

type Case = readonly [
  kind: UpstreamErrorKind,
  code: number | null,
  message: string,
  status?: number,
]

/** Error messages of nodes and providers, by error kind. */
const cases: readonly Case[] = [
  ['rate_limit', null, '<html>slow down</html>', 429],
  ['rate_limit', 429, 'slow down'],
  ['rate_limit', -32005, 'daily limit'],
  ['rate_limit', -32007, '50/second'],
  ['rate_limit', -33200, 'x'],
  ['rate_limit', -33300, 'x'],
  ['rate_limit', -32000, 'Your app has exceeded its rate limit'],
  ['rate_limit', -32000, 'Too Many Requests'],
  ['rate_limit', -32000, 'requests limited to 10/s'],
  ['rate_limit', -32000, 'project ID request rate exceeded'],
  ['rate_limit', -32000, 'limit exceeded'],
  ['rate_limit', -32000, 'we are under too much load'],
  ['rate_limit', -32000, 'request limit reached'],
  ['billing', null, '', 402],
  ['billing', 402, 'pay'],
  ['billing', -33000, 'x'],
  [
    'billing',
    -32000,
    'Monthly capacity limit exceeded, visit https://x.example/billing'.replace(' exceeded', ''),
  ],
  ['billing', -32000, 'limit for your current plan'],
  ['billing', -32000, 'you have reached the free tier'],
  ['billing', -32000, 'reached the quota'],
  ['billing', -32000, 'daily request count exceeded, request rate limited'.split(',')[0] ?? ''],
  ['credentials', null, 'no', 401],
  ['credentials', -32600, 'no', 403],
  ['credentials', 401, 'no'],
  ['credentials', 403, 'no'],
  ['credentials', -32002, 'rejected due to project ID settings'],
  ['rate_limit', -32097, 'Too many request, try again later'],
  ['credentials', -32000, 'invalid api key'],
  ['credentials', -32000, 'this key is inactive'],
  ['credentials', -32000, 'Unauthorized'],
  ['credentials', -32600, 'invalid project id'],
  ['credentials', -32600, 'project id required in the url'],
  ['range', -32005, 'query returned more than 10000 results'],
  ['range', -32000, 'block range extends beyond current head block'],
  ['range', -32602, 'range too large'],
  ['range', -32000, 'exceeds the range allowed for your plan'],
  ['range', -32602, 'query exceeds max results 20000'],
  ['range', -32003, 'response too large'],
  ['range', -32000, 'query exceeds limit'],
  ['range', -32000, 'eth_getLogs is limited to a 5 range'],
  ['range', -32000, 'please specify less number of addresses'],
  ['no_tag', -32000, 'safe block not found'],
  ['no_tag', -39001, 'finalized block not found'],
  ['no_tag', -32000, 'pending block not found'],
  ['no_tag', -32000, 'pending block is not available'],
  ['no_tag', -32000, 'pending state is not available'],
  ['no_tag', -32000, '"safe" is not a supported tag'],
  ['no_tag', -32000, 'not a supported commitment level'],
  ['no_tag', -32602, 'malformed blockNumber'],
  ['proof_window', -32602, 'distance to target block exceeds maximum proof window'],
  [
    'proof_window',
    -32000,
    'requested block is too old, block must be within 1000 blocks of the head',
  ],
  ['proof_window', -32000, 'root hash mismatch'],
  ['pruned', 4444, 'x'],
  ['pruned', -32000, 'pruned history unavailable'],
  ['pruned', -32001, 'block body has been pruned'],
  ['pruned', -32000, 'old data not available due to pruning'],
  [
    'missing_state',
    -32000,
    'missing trie node 00ff (path ) state 0x00ff is not available, not found',
  ],
  ['missing_state', -32000, 'historical state 00ff is not available'],
  ['missing_state', -32000, "state histories haven't been fully indexed yet"],
  ['missing_state', -32000, 'historical state not available in path scheme yet'],
  ['missing_state', -32002, 'No state available for block 0x1'],
  ['missing_state', -32603, 'no state available for block 0x1'],
  ['missing_state', -32000, 'node state is pruned'],
  ['missing_state', -32000, 'state already discarded for block 1'],
  ['missing_state', -32000, 'required historical state unavailable (reexec=128)'],
  ['missing_state', -32002, 'project ID is required to access archive state'],
  [
    'missing_state',
    -32000,
    'access to archival, debug, or trace data is not included in your plan',
  ],
  ['unknown_block', -32000, 'header not found'],
  ['unknown_block', -32000, 'header for hash not found'],
  ['unknown_block', -32001, 'block not found: hash 0x00'],
  ['unknown_block', -39001, 'Unknown block'],
  ['unknown_block', -32000, 'could not find block: 0x1'],
  ['unknown_block', -32000, 'request beyond head block: requested 9, head 8'],
  ['unknown_block', -32000, 'cannot query unfinalized data after last accepted block'],
  ['unknown_block', -32000, 'requested number is greater than latest'],
  ['unknown_block', null, 'Not Found\n', 404],
  ['not_canonical', -32000, 'hash 0x00 is not currently canonical'],
  ['execution', 3, 'execution reverted: rate limit exceeded'],
  ['execution', -32000, 'execution reverted'],
  ['execution', -32015, 'VM exception while processing transaction: invalid opcode'],
  ['execution', -32000, 'out of gas: gas required exceeds allowance'],
  ['execution', -32000, 'EVM error: StackUnderflow'],
  ['already_known', -32000, 'already known'],
  ['already_known', -32000, 'known transaction: 00ff'],
  ['already_known', -32010, 'transaction with the same hash was already imported'],
  ['already_known', -32000, 'tx already in the mempool'],
  ['already_known', -32000, 'transaction already exists'],
  ['nonce_too_low', -32000, 'nonce too low: next nonce 2, tx nonce 1'],
  ['unsupported', -32601, 'the method debug_x does not exist/is not available'],
  ['unsupported', -32004, 'x'],
  ['unsupported', null, '', 405],
  ['unsupported', null, '', 415],
  ['unsupported', -32000, 'method not supported'],
  ['unsupported', -32000, 'method is not whitelisted'],
  ['unsupported', -32000, 'debug_traceCall is disabled'],
  ['unsupported', -32000, 'Module debug not available'],
  ['client_fault', -32602, 'x'],
  ['client_fault', -32600, 'x'],
  ['client_fault', -32000, 'invalid argument 0: hex string has length 3'],
  ['client_fault', -32000, 'block param is required'],
  ['trouble', null, 'Bad Gateway', 502],
  ['trouble', -32603, 'internal error'],
  ['trouble', -32603, 'whatever', 500],
  ['trouble', null, '<html></html>'],
  ['trouble', null, ''],
  ['other', -32000, 'insufficient funds for gas * price + value'],
]

test('every message of the table gets its class', () => {
  for (const [kind, code, message, status = 200] of cases) {
    assert.equal(classifyError({ status, code, message }), kind, `${status} ${code} ${message}`)
  }
})

test('every row of the table has a message here', () => {
  const seen = new Set(cases.map(([kind]) => kind))
  assert.deepEqual(
    errorRows.map(({ kind }) => kind).filter((kind) => !seen.has(kind)),
    [],
  )
})

test('a revert in the form of Parity is an execution', () => {
  const signals = { status: 200, code: -32015, message: 'whatever', data: 'Reverted 0x08c379a0' }
  assert.equal(classifyError(signals), 'execution')
})

test('text that the caller wrote into the request cannot make an upstream rest', () => {
  const echoes = ['rate limit', 'Invalid API key', 'monthly capacity limit', 'missing trie node']
  for (const words of echoes) {
    const requestText = JSON.stringify({ params: [{ tracer: words }] })
    const message = `ReferenceError: ${words} is not defined`
    assert.equal(classifyError({ status: 200, code: -32000, message, requestText }), 'other')
    assert.notEqual(classifyError({ status: 200, code: -32000, message, requestText: '' }), 'other')
  }
})

test('text in the reason of a revert or in the name of a method cannot make an upstream rest', () => {
  for (const words of ['too many requests', 'unauthorized', 'reached the quota']) {
    const revert = { status: 200, code: 3, message: `execution reverted: ${words}` }
    const method = { status: 200, code: -32601, message: `the method ${words} does not exist` }
    assert.equal(classifyError(revert), 'execution')
    assert.equal(classifyError(method), 'unsupported')
  }
})
