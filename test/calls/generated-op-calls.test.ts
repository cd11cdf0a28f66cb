// Calls on proved state of an OP Stack chain return the same as op-geth, in each fork that changes its EVM: return data, errors and
// gas of generated calls, and of the precompiles that the OP Stack limits or adds. In the last fork also traces. CAIRN_CALLS sets the
// number of calls per fork, CAIRN_SEED the first seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from '../../src/base/hex.ts'
import { missingOpGeth, startOpGeth } from '../engines/geth.ts'
import { assertSameCalls, callsEach, seed, startBehindGeth } from './behind-geth.ts'
import { type Fork, type GeneratedChain, generateChain } from './generated-contracts.ts'
import { assertSameTraces, opTracers } from './generated-traces.ts'

/** In the order of their activation, with the Ethereum fork that each contains. */
const opForks: readonly (readonly [name: string, contains: Fork])[] = [
  ['regolith', 'paris'],
  ['canyon', 'shanghai'],
  ['ecotone', 'cancun'],
  ['fjord', 'cancun'],
  ['granite', 'cancun'],
  ['holocene', 'cancun'],
  ['isthmus', 'prague'],
  ['jovian', 'prague'],
]

/** When the first fork that Cairn does not know begins, in seconds. */
const karstTime = 2_000_000_000

for (const [index, [fork, contains]] of opForks.entries()) {
  test(
    `generated requests on ${fork} are answered as op-geth does, with a proof`,
    { skip: missingOpGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const chain = generateChain(seed + 100 + index, contains)
      const config = configOf(chain.genesis, opForks.slice(0, index + 1))
      const geth = await startOpGeth(t, { ...chain.genesis, config })
      const cairn = await startBehindGeth(t, geth)
      const own = precompileCalls(fork)
      const count = callsEach + own.length
      const nextCall = () => own.pop() ?? chain.nextCall()
      await t.test(`${count} calls`, () => assertSameCalls(geth, cairn, { count, nextCall }))
      if (index < opForks.length - 1) return
      await t.test(`${callsEach} traces`, () => assertSameTraces(geth, cairn, chain, opTracers))
      await t.test('calls of a fork that Cairn does not know have no proof', async () => {
        const [call] = chain.nextCall()
        const at = (time: number) =>
          cairn.call('eth_call', [call, 'latest', {}, { time: `0x${time.toString(16)}` }])
        assert.equal((await at(karstTime - 1)).verified, 'proof')
        assert.match(
          (await at(karstTime)).error?.message ?? '',
          /is of a fork that Cairn does not know/,
        )
      })
    },
  )
}

/** Input sizes in bytes just over the limit, by address. */
const granite = { 0x08: 112_688 }
const limits: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  granite,
  holocene: granite,
  isthmus: { ...granite, 0x0c: 513_920, 0x0e: 488_736, 0x0f: 235_392 },
  jovian: { 0x08: 82_176, 0x0c: 289_120, 0x0e: 279_072, 0x0f: 157_056 },
}

/** Inputs over the limits of the fork; the signature check with a valid signature, too little gas and other inputs. */
function precompileCalls(fork: string): (readonly unknown[])[] {
  const overLimits = Object.entries(limits[fork] ?? {})
  const zeros: readonly (readonly [address: number, bytes: number])[] = [
    ...overLimits.map(([address, bytes]) => [Number(address), bytes] as const),
    [0x08, 192],
    [0x0c, 160],
    [0x0e, 288],
    [0x0f, 384],
    [0x100, 159],
    [0x100, 160],
  ]
  return [
    ...zeros.map(([address, bytes]) => callOf(address, toHex(new Uint8Array(bytes)))),
    callOf(0x100, validSignature),
    callOf(0x100, validSignature, { gas: '0xa410' }),
  ]
}

function callOf(address: number, data: string, more: object = {}): readonly unknown[] {
  return [{ to: `0x${address.toString(16).padStart(40, '0')}`, data, ...more }, 'latest']
}

/** Hash, r, s, x, y (EIP-7951). Source: go-ethereum core/vm/testdata/precompiles/p256Verify.json, the first case. */
const validSignature = [
  '0x4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d',
  'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac',
  '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60',
  '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3',
  '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
].join('')

function configOf(
  genesis: GeneratedChain['genesis'],
  begun: readonly (readonly [name: string, contains: Fork])[],
): Readonly<Record<string, unknown>> {
  return {
    ...(genesis['config'] as object),
    // The OP Stack has no blobs.
    blobSchedule: undefined,
    bedrockBlock: 0,
    ...Object.fromEntries(begun.map(([name]) => [`${name}Time`, 0])),
    ...(begun.length === opForks.length && { karstTime }),
    optimism: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
  }
}
