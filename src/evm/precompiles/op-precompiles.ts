// Precompiled contracts of the OP Stack: in calls, its EVM differs from Ethereum's only in them, because its fees do not apply.
// Sources: specs.optimism.io, exec-engine of Fjord, Granite, Isthmus and Jovian; op-geth core/vm/contracts.go.
// Tested by test/calls/generated-op-calls.test.ts
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getActivePrecompiles } from '@ethereumjs/evm'
import type { VM } from '@ethereumjs/vm'
import type { OpFork } from '../op-config.ts'

type Precompiles = ReturnType<typeof getActivePrecompiles>
type Precompile = NonNullable<ReturnType<Precompiles['get']>>

/** Changes relative to the precompiled contracts of Ethereum's fork. */
export type PrecompileChanges = {
  readonly added: NonNullable<EVMOpts['customPrecompiles']>
  /** Call after all other changes to the contracts of `vm`: an input over its limit then uses no time. */
  limitInputs(vm: VM): void
}

type Limit = { readonly bytesMax: number; readonly error: string }

const pairing = (bytesMax: number): Limit => ({
  bytesMax,
  error: 'bad elliptic curve pairing input size',
})
const bls = (operation: string, bytesMax: number): Limit => ({
  bytesMax,
  error: `${operation} input size exceeds maximum`,
})

/** Input limits by address. A longer input fails and uses all gas. */
const limits: Readonly<Record<OpFork, Readonly<Record<number, Limit>>>> = {
  fjord: {},
  granite: { 0x08: pairing(112_687) },
  isthmus: {
    0x08: pairing(112_687),
    0x0c: bls('g1 msm', 513_760),
    0x0e: bls('g2 msm', 488_448),
    0x0f: bls('pairing', 235_008),
  },
  jovian: {
    0x08: pairing(81_984),
    0x0c: bls('g1 msm', 288_960),
    0x0e: bls('g2 msm', 278_784),
    0x0f: bls('pairing', 156_672),
  },
}

/** RIP-7212. The library charges Ethereum's price, the one from Osaka on. */
const p256 = { address: 0x100, gas: 3_450n, libraryGas: 6_900n }

export function opPrecompiles(fork: OpFork): PrecompileChanges {
  const verify = { address: `0x${nameOf(p256.address)}`, function: p256Verify() } as const
  return {
    added: [verify],
    limitInputs({ evm: { precompiles } }) {
      for (const [address, limit] of Object.entries(limits[fork])) {
        const name = nameOf(Number(address))
        const run = precompiles.get(name)
        if (run !== undefined) precompiles.set(name, limited(run, limit))
      }
    },
  }
}

function nameOf(address: number): string {
  return address.toString(16).padStart(40, '0')
}

function limited(run: Precompile, { bytesMax, error }: Limit): Precompile {
  return (input) => {
    if (input.data.length <= bytesMax) return run(input)
    return {
      executionGasUsed: input.gasLimit,
      // The library's type of error texts is a closed union.
      exceptionError: new EVMError(error as EVMError['error']),
      returnValue: new Uint8Array(0),
    }
  }
}

function p256Verify(): Precompile {
  const osaka = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka })
  const run = getActivePrecompiles(osaka).get(nameOf(p256.address))
  if (run === undefined) throw new Error('the EVM library has no P256VERIFY')
  return async (input) => {
    if (input.gasLimit < p256.gas) return await run(input)
    const result = await run({ ...input, gasLimit: p256.libraryGas })
    return { ...result, executionGasUsed: p256.gas }
  }
}
