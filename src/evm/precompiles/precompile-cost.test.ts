import assert from 'node:assert/strict'
import test from 'node:test'
import { createVM } from '@ethereumjs/vm'
import { fromHex } from '../../base/hex.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import { boundPrecompiles } from './bound-precompiles.ts'
import { createCrypto } from '../chain-crypto.ts'
import { createRules } from '../chain-rules.ts'
import { precompileCost } from './precompile-cost.ts'

const newest = rulesOf({})
const older = rulesOf({ osakaTime: undefined, pragueTime: undefined, cancunTime: undefined })

function rulesOf(changes: Readonly<Record<string, unknown>>) {
  const config = { ...defaultGenesis.config, ...changes }
  const genesis = { ...defaultGenesis, config: JSON.parse(JSON.stringify(config)) as typeof config }
  return createRules(genesis, createCrypto()).at({ number: 1n, timestamp: 1_900_000_000n })
}

const address = (at: number) => at.toString(16).padStart(40, '0')
const zeros = (bytes: number) => new Uint8Array(bytes)
const rounds = (count: number) =>
  fromHex(`0x${count.toString(16).padStart(8, '0')}${'00'.repeat(209)}`)

function modexp(base: number, exponent: number, modulus: number, sent = base + exponent + modulus) {
  const heads = [base, exponent, modulus].map((it) => it.toString(16).padStart(64, '0')).join('')
  return fromHex(`0x${heads}${'ff'.repeat(sent)}`)
}

const msOf = (at: number, data: Uint8Array, rules = newest) =>
  precompileCost(address(at), data, rules).ms

test('a run of seconds has a price of seconds, and the inputs that contracts really use have not', () => {
  const dear = [
    [9, rounds(40_000_000)],
    [8, zeros(192 * 1200)],
    [0xc, zeros(160 * 512)],
    [0xe, zeros(288 * 128)],
    [0xf, zeros(384 * 100)],
  ] as const
  for (const [at, data] of dear) assert.ok(msOf(at, data) > 1000, `${at}: ${msOf(at, data)}`)
  const usual = [
    [1, zeros(128)],
    [2, zeros(100_000)],
    [3, zeros(10_000)],
    [4, zeros(100_000)],
    [5, modexp(256, 3, 256)],
    [5, modexp(32, 32, 32)],
    [6, zeros(128)],
    [7, zeros(96)],
    [8, zeros(192 * 4)],
    [9, rounds(12)],
    [0xa, zeros(192)],
    [0xb, zeros(256)],
    [0xc, zeros(160 * 4)],
    [0xe, zeros(288 * 2)],
    [0xf, zeros(384 * 4)],
    [0x10, zeros(64)],
    [0x11, zeros(128)],
    [0x100, zeros(160)],
  ] as const
  for (const [at, data] of usual) assert.ok(msOf(at, data) < 100, `${at}: ${msOf(at, data)}`)
})

test('the price of modexp follows the exponent, as the library works, until EIP-7823 bounds it', () => {
  assert.ok(msOf(5, modexp(1, 1_000_000, 1), older) > 10_000)
  assert.ok(msOf(5, modexp(1, 1_000_000, 1), newest) < 1)
  assert.ok(msOf(5, modexp(1024, 1024, 1024), newest) < 100)
  // Only the lengths, without the bytes: the exponent is zero.
  assert.ok(msOf(5, modexp(1, 1_000_000, 1, 0), older) < 1)
  assert.ok(msOf(5, modexp(0, 1_000_000, 0), older) < 1)
})

test('a contract that has too little gas fails before its price counts', async () => {
  const vm = await createVM({ common: newest })
  const estimates: number[] = []
  boundPrecompiles(vm, (ms) => {
    estimates.push(ms)
    return null
  })
  const blake = vm.evm.precompiles.get(address(9))
  const run = (gasLimit: bigint) =>
    blake?.({ data: rounds(1_000), gasLimit, common: newest, _EVM: vm.evm as never })
  assert.equal((await run(999n))?.exceptionError?.error, 'out of gas')
  assert.deepEqual(estimates, [])
  assert.equal((await run(1_000n))?.executionGasUsed, 1_000n)
  assert.equal(estimates.length, 1)
})

test('no contract takes less gas than its price says it needs', async () => {
  for (const common of [newest, older]) {
    const vm = await createVM({ common })
    const inputs = [
      modexp(32, 32, 32),
      modexp(64, 200, 64),
      zeros(192 * 2),
      rounds(5),
      zeros(384),
      zeros(288),
      zeros(160),
      zeros(256),
      zeros(512),
      zeros(128),
      zeros(64),
    ]
    for (const [name, run] of vm.evm.precompiles) {
      for (const data of inputs) {
        const { gas } = precompileCost(name, data, common)
        const { executionGasUsed, exceptionError } = await run({
          data,
          gasLimit: 10n ** 15n,
          common,
          _EVM: vm.evm as never,
        })
        // A failure uses all gas.
        if (exceptionError === undefined) {
          assert.ok(Number(executionGasUsed) >= gas - 1, `${name}: ${executionGasUsed}, not ${gas}`)
        }
      }
    }
  }
})
