// JSON encoding of an embedded chain's plan in its database row: numbers as decimal text, bytes as hex.
// Tested by src/devchain/saved-plan.test.ts
import { fromHex, toHex } from '../base/hex.ts'
import type { BlockPlan, MiningPlan } from '../chain/dev-chain.ts'
import { type ChainPlan, noBlockPlan } from './block-plan.ts'

type Saved = { readonly [Name in keyof BlockPlan | keyof MiningPlan]?: unknown }

export function encodePlan({ blocks, mining }: ChainPlan): string {
  const { nextPrevRandao, coinbase, ...numbers } = blocks
  const texts = Object.entries(numbers).map(([name, value]) => [name, value?.toString() ?? null])
  return JSON.stringify({
    ...Object.fromEntries(texts),
    nextPrevRandao: nextPrevRandao === null ? null : toHex(nextPrevRandao),
    coinbase: coinbase === null ? null : toHex(coinbase),
    ...mining,
  })
}

/** Throws an Error with a message for the operator if the row is not in the format that Cairn writes. */
export function decodePlan(json: string): ChainPlan {
  try {
    const saved = JSON.parse(json) as Saved
    const intervalMs = (saved.intervalMs ?? null) as MiningPlan['intervalMs']
    return {
      blocks: {
        offset: number(saved.offset) ?? noBlockPlan.offset,
        nextTimestamp: number(saved.nextTimestamp),
        timestampInterval: number(saved.timestampInterval),
        nextBaseFee: number(saved.nextBaseFee),
        nextPrevRandao: bytes(saved.nextPrevRandao),
        coinbase: bytes(saved.coinbase),
        gasLimit: number(saved.gasLimit),
      },
      mining: {
        auto: saved.auto === undefined ? null : (saved.auto as boolean | null),
        intervalMs,
      },
    }
  } catch (cause) {
    throw new Error('the saved plan of the embedded chain is damaged: restore a backup', { cause })
  }
}

function number(value: unknown): bigint | null {
  return value === undefined || value === null ? null : BigInt(value as string)
}

function bytes(value: unknown): Uint8Array | null {
  return value === undefined || value === null ? null : fromHex(value as string)
}
