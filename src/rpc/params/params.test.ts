// The accepted forms of each argument, and the exact error messages for all others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { createRpcOperations } from '../methods/index.ts'
import { parseBlockNumber, parseBlockParameter } from './block-parameter.ts'
import { parseTraceCallConfig, parseTraceConfig } from './trace-config.ts'
import { callKey, parseCallInput } from './call-input.ts'
import {
  parseAddress,
  parseCount,
  parseHash,
  parseIndex,
  parseStoragePosition,
} from './arguments.ts'

const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})
const address = `0x${'aB'.repeat(20)}`
const hash = `0x${'Cd'.repeat(32)}`

function refusal(parse: () => unknown): string {
  try {
    parse()
  } catch (thrown) {
    assert(thrown instanceof Fault)
    assert.equal(thrown.code, 'bad_params')
    return thrown.message
  }
  return 'accepted'
}

function refusalOf(method: string, params: readonly unknown[]): string {
  const operation = operations.get(method)
  assert(operation !== undefined)
  return refusal(() => operation.parse(params))
}

const json = 'json: cannot unmarshal'

test('an address is 20 bytes of prefixed hex in any case, else refused in words of geth', () => {
  const into = 'into Go value of type common.Address'
  const cases: readonly (readonly [unknown, string])[] = [
    ['ab', `${json} hex string without 0x prefix ${into}`],
    ['0xabc', `${json} hex string of odd length ${into}`],
    [`0x${'zz'.repeat(20)}`, `${json} invalid hex string ${into}`],
    [7, `${json} non-string ${into}`],
    [null, `${json} non-string ${into}`],
    [{}, `${json} non-string ${into}`],
    ['0xabcd', 'hex string has length 4, want 40 for common.Address'],
    ['0xzz', 'hex string has length 2, want 40 for common.Address'],
    ['', 'hex string has length 0, want 40 for common.Address'],
    [`${address}00`, 'hex string has length 42, want 40 for common.Address'],
  ]
  for (const [value, text] of cases) {
    assert.equal(
      refusal(() => parseAddress(value, 0)),
      `invalid argument 0: ${text}`,
    )
  }
  assert.equal(toHex(parseAddress(address.replace('0x', '0X'), 0)), address.toLowerCase())
})

test('a hash is 32 bytes, and the text names its own type', () => {
  const into = 'into Go value of type common.Hash'
  assert.equal(
    refusal(() => parseHash('latest', 0)),
    `invalid argument 0: ${json} hex string without 0x prefix ${into}`,
  )
  assert.equal(
    refusal(() => parseHash('0x00', 1)),
    'invalid argument 1: hex string has length 2, want 64 for common.Hash',
  )
  assert.equal(toHex(parseHash(hash, 0)), hash.toLowerCase())
})

test('every spelling of one storage slot gives the same 32 bytes', () => {
  for (const text of ['', '0x', '0X', '0', '0x0', '0X00', '000', '0'.repeat(64)]) {
    assert.equal(toHex(parseStoragePosition(text, 1)), `0x${'0'.repeat(64)}`)
  }
  assert.equal(BigInt(toHex(parseStoragePosition('10', 1))), 16n)
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 256n - 1n), fc.nat(63), (slot, width) => {
      const digits = slot.toString(16)
      const expected = `0x${digits.padStart(64, '0')}`
      const padded = digits.padStart(Math.min(64, Math.max(width, digits.length)), '0')
      for (const text of [padded, `0x${padded}`, `0X${padded.toUpperCase()}`]) {
        assert.equal(toHex(parseStoragePosition(text, 1)), expected)
      }
    }),
    { numRuns: 50 },
  )
})

test('a storage position is judged by length first, then by its digits', () => {
  const long = `0x${'0'.repeat(65)}`
  const cases: readonly (readonly [unknown, string])[] = [
    [long, `storage key too long (want at most 32 bytes): "${long}"`],
    ['z'.repeat(65), `storage key too long (want at most 32 bytes): "${'z'.repeat(65)}"`],
    ['0xasdf', 'invalid hex in storage key: "0xasdf"'],
    [' 0x1', 'invalid hex in storage key: " 0x1"'],
    ['"\n', 'invalid hex in storage key: "\\"\\n"'],
    [1, `invalid argument 1: ${json} number into Go value of type string`],
    [true, `invalid argument 1: ${json} bool into Go value of type string`],
    [[], `invalid argument 1: ${json} array into Go value of type string`],
    [{}, `invalid argument 1: ${json} object into Go value of type string`],
    [null, 'missing value for required argument 1'],
  ]
  for (const [value, text] of cases) {
    assert.equal(
      refusal(() => parseStoragePosition(value, 1)),
      text,
    )
  }
  const cut = refusal(() => parseStoragePosition('y'.repeat(5000), 1))
  assert.equal(cut, `storage key too long (want at most 32 bytes): "${'y'.repeat(256)}"`)
})

test('a block parameter is a tag, a number, a hash or one of both in an object', () => {
  const parse = (value: unknown) => parseBlockParameter(value, 2)
  assert.deepEqual(parse('safe'), { tag: 'safe' })
  assert.deepEqual(parse('0x0'), { number: 0n })
  assert.deepEqual(parse('0X1f'), { number: 31n })
  assert.deepEqual(parse('0x7fffffffffffffff'), { number: 2n ** 63n - 1n })
  const bytes = parseHash(hash, 0)
  assert.deepEqual(parse(hash), { hash: bytes, requireCanonical: false })
  assert.deepEqual(parse({ blockHash: hash }), { hash: bytes, requireCanonical: false })
  const canonical = { blockHash: hash, requireCanonical: true }
  assert.deepEqual(parse(canonical), { hash: bytes, requireCanonical: true })
  assert.deepEqual(parse({ blockNumber: '0x5' }), { number: 5n })
  assert.deepEqual(parse({ blockNumber: 'earliest' }), { tag: 'earliest' })
})

test('a block parameter of any other form is refused in words of geth', () => {
  const type = (what: string) => `${json} ${what} into Go value of type string`
  const cases: readonly (readonly [unknown, string])[] = [
    ['', 'empty hex string'],
    ['0x', 'hex string "0x"'],
    ['5', 'hex string without 0x prefix'],
    ['Latest', 'hex string without 0x prefix'],
    ['0x01', 'hex number with leading zero digits'],
    ['0xg', 'invalid hex string'],
    ['0xgffffffffffffffffff', 'invalid hex string'],
    ['0x10000000000000000', 'hex number > 64 bits'],
    ['0x8000000000000000', 'blocknumber too high'],
    [`0x${'g'.repeat(64)}`, 'invalid hex string'],
    ['a'.repeat(66), 'hex string without 0x prefix'],
    [5, type('number')],
    [true, type('bool')],
    [['0x1'], type('array')],
    [{ blockNumber: 5 }, type('object')],
    [{ blockHash: '0x12' }, type('object')],
    [{ blockHash: hash, requireCanonical: 'yes' }, type('object')],
    [{}, 'must specify either BlockHash or BlockNumber'],
    [
      { blockHash: hash, blockNumber: '0x1' },
      'cannot specify both BlockHash and BlockNumber, choose one or the other',
    ],
  ]
  for (const [value, text] of cases) {
    assert.equal(
      refusal(() => parseBlockParameter(value, 2)),
      `invalid argument 2: ${text}`,
    )
  }
})

test('a block number takes no hash and no bare number', () => {
  assert.deepEqual(parseBlockNumber('pending', 0), { tag: 'pending' })
  const refused = (value: unknown) => refusal(() => parseBlockNumber(value, 0))
  assert.equal(refused(hash), 'invalid argument 0: hex number > 64 bits')
  assert.equal(refused(5), 'invalid argument 0: hex string without 0x prefix')
  assert.equal(refused('0x8000000000000000'), 'invalid argument 0: block number larger than int64')
})

test('an index is a QUANTITY of 64 bits that cannot wrap', () => {
  const into = 'into Go value of type hexutil.Uint'
  assert.equal(parseIndex('0xffffffffffffffff', 1), 2n ** 64n - 1n)
  const cases: readonly (readonly [unknown, string])[] = [
    [0, 'non-string'],
    ['0', 'hex string without 0x prefix'],
    ['', 'hex string without 0x prefix'],
    ['0x', 'hex string "0x"'],
    ['0x00', 'hex number with leading zero digits'],
    ['0xz', 'invalid hex string'],
    ['0x10000000000000000', 'hex number > 64 bits'],
  ]
  for (const [value, what] of cases) {
    const text = `invalid argument 1: ${json} ${what} ${into}`
    assert.equal(
      refusal(() => parseIndex(value, 1)),
      text,
    )
  }
})

test('a count is a number, decimal text or hex', () => {
  assert.deepEqual(
    [5, '5', '0x5'].map((value) => parseCount(value, 0)),
    [5n, 5n, 5n],
  )
  const text = refusal(() => parseCount('five', 0))
  assert.equal(text, 'invalid argument 0: invalid hex or decimal integer "five"')
})

test('arguments are judged left to right, missing ones and too many by their place', () => {
  const method = 'eth_getStorageAt'
  assert.equal(refusalOf(method, []), 'missing value for required argument 0')
  assert.equal(refusalOf(method, [address]), 'missing value for required argument 1')
  assert.equal(refusalOf(method, [address, '0x0']), 'accepted')
  assert.equal(refusalOf(method, [address, '0x0', null]), 'accepted')
  assert.equal(
    refusalOf(method, [address, '0x0', 'latest', 1]),
    'too many arguments, want at most 3',
  )
  assert.equal(refusalOf(method, [address, 'zz', 'never']), 'invalid hex in storage key: "zz"')
  const byPlace = 'eth_getTransactionByBlockHashAndIndex'
  assert.equal(refusalOf(byPlace, [hash]), 'missing value for required argument 1')
  assert.equal(refusalOf(byPlace, [hash, '0x0', 0]), 'too many arguments, want at most 2')
  assert.equal(refusalOf('eth_chainId', [1]), 'too many arguments, want at most 0')
})

test('a call takes input or data, and input when both are given', () => {
  const parse = (call: unknown) => parseCallInput([call]).request
  assert.deepEqual(parse({ input: '0x01' }), { data: Uint8Array.of(1) })
  assert.deepEqual(parse({ data: '0x01' }), { data: Uint8Array.of(1) })
  assert.deepEqual(parse({ data: '0x02', input: '0x01' }), { data: Uint8Array.of(1) })
  assert.deepEqual(parse({ data: '0x02', input: '0x' }), { data: new Uint8Array(0) })
  assert.deepEqual(parse({ data: null, foo: 1, type: '0x2', to: null }), {})
})

test('an entry of an access list names its address and its slots', () => {
  const address = `0x${'11'.repeat(20)}`
  const parse = (entry: unknown) => refusal(() => parseCallInput([{ accessList: [entry] }]))
  const missing = (name: string) =>
    `invalid argument 0: missing required field '${name}' for AccessTuple`
  assert.equal(parse({ address }), missing('storageKeys'))
  assert.equal(parse({ address, storageKeys: null }), missing('storageKeys'))
  assert.equal(parse({ storageKeys: [] }), missing('address'))
  const { request } = parseCallInput([{ accessList: [{ address, storageKeys: [] }] }])
  assert.equal(request.accessList?.length, 1)
})

test('a bad member of a call is named with its Go type', () => {
  const field = (name: string, type: string) =>
    `into Go struct field TransactionArgs.${name} of type ${type}`
  const cases: readonly (readonly [unknown, string])[] = [
    [{ to: '12' }, `${json} hex string without 0x prefix ${field('to', 'common.Address')}`],
    [{ to: '0x12' }, 'hex string has length 2, want 40 for common.Address'],
    [{ gas: 5 }, `${json} non-string ${field('gas', 'hexutil.Uint64')}`],
    [
      { value: '0x01' },
      `${json} hex number with leading zero digits ${field('value', '*hexutil.Big')}`,
    ],
    [
      { value: `0x1${'0'.repeat(64)}` },
      `${json} hex number > 256 bits ${field('value', '*hexutil.Big')}`,
    ],
    [{ data: '0x1' }, `${json} hex string of odd length ${field('data', 'hexutil.Bytes')}`],
    [{ accessList: 1 }, `${json} number ${field('accessList', 'types.AccessList')}`],
    ['0x', `${json} string into Go value of type ethapi.TransactionArgs`],
  ]
  for (const [value, text] of cases) {
    assert.equal(
      refusal(() => parseCallInput([value])),
      `invalid argument 0: ${text}`,
    )
  }
})

test('of two spellings of an address to override the last one counts, also in the key of the cache', () => {
  const lower = address.toLowerCase()
  const both = [{}, 'latest', { [address]: { code: '0x60' }, [lower]: { balance: '0x1' } }]
  const last = [{}, 'latest', { [lower]: { balance: '0x1' } }]
  assert.deepEqual(parseCallInput(both).overrides, parseCallInput(last).overrides)
  assert.equal(callKey(parseCallInput(both)), callKey(parseCallInput(last)))
})

test('overrides are read as geth reads them, and what is not offered is refused by name', () => {
  const account = { balance: '0x1', nonce: '0x2', code: '0x60', stateDiff: { [hash]: hash } }
  const fields = { number: '0x5', time: '0x6', feeRecipient: address, unheardOf: 1 }
  const { overrides } = parseCallInput([{}, 'latest', { [address]: account }, fields])
  assert.partialDeepStrictEqual(overrides.state[0], { balance: 1n, nonce: 2n })
  assert.equal(overrides.state[0]?.stateDiff?.length, 1)
  assert.partialDeepStrictEqual(overrides.block, { number: 5n, time: 6n })
  const cases: readonly (readonly [unknown, unknown, RegExp])[] = [
    [{ [address]: { movePrecompileToAddress: '0x1' } }, null, /OverrideAccount.movePrecompileToA/],
    [
      { [address]: { stateDiff: { '0x1': hash } } },
      null,
      /odd length into Go struct field OverrideAccount.stateDiff/,
    ],
    [{ '0x10': {} }, null, /want 40 for common.Address/],
    [
      null,
      { withdrawals: [] },
      /^invalid argument 3: block override "withdrawals" is not supported/,
    ],
    [null, { time: 5 }, /of type hexutil.Uint64/],
  ]
  for (const [state, block, text] of cases) {
    assert.match(
      refusal(() => parseCallInput([{}, 'latest', state, block])),
      text,
    )
  }
})

test('a trace config names one of the tracers that are offered', () => {
  const struct = parseTraceConfig({ enableMemory: true, limit: 5, timeout: '10s', reexec: 128 }, 1)
  assert.partialDeepStrictEqual(struct, { kind: 'struct', enableMemory: true, limit: 5 })
  const call = parseTraceConfig({ tracer: 'callTracer', tracerConfig: { withLog: true } }, 1)
  assert.deepEqual(call, { kind: 'call', onlyTopCall: false, withLog: true })
  assert.equal(
    refusal(() => parseTraceConfig({ tracer: '{"js": 1}' }, 1)),
    'invalid argument 1: tracer "{\\"js\\": 1}" is not supported, only callTracer, prestateTracer, ' +
      '4byteTracer, noopTracer and none',
  )
  assert.match(
    refusal(() => parseTraceConfig({ tracer: 5 }, 1)),
    /cannot unmarshal number into Go struct field TraceConfig.tracer of type string/,
  )
  // A node may support a tracer that Cairn lacks.
  for (const [config, text] of [
    [{ txIndex: '0x1' }, /^txIndex is not supported/],
    [{ tracer: 'muxTracer', tracerConfig: { callTracer: 7 } }, /^tracer "muxTracer" is not/],
    [{ tracer: 'noopTracer' }, null],
  ] as const) {
    const { unsupported } = parseTraceCallConfig(config, 2)
    if (text === null) assert.equal(unsupported, null)
    else assert.match(unsupported ?? '', text)
  }
})

test('no JSON value makes a parser throw anything but a refusal', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (params) => {
      for (const operation of operations.values()) {
        try {
          operation.parse(params)
        } catch (thrown) {
          // geth has a different message for unknown subscription names.
          assert(thrown instanceof Fault)
          assert(['bad_params', 'no_subscription'].includes(thrown.code), thrown.code)
        }
      }
    }),
    { numRuns: 100 },
  )
})
