// hardhat_mine [blocks?, interval?]: makes blocks, each `interval` seconds after its parent; the interval does not apply to the
// first.
// Tested by test/api/dev-methods-started.test.ts
import { optionalParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount, parseTimeOrGas } from '../../params/amount.ts'
import { optional, parseArguments, refuseArgument } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

/** Limit per call: each block is executed, hashed and stored like any other. */
export const blocksMax = 10_000n

type Input = { readonly blocks: bigint; readonly interval: bigint | null }

export const hardhatMine = devMethods<Input>({
  names: ['hardhat_mine', 'anvil_mine'],
  summary: 'Makes up to 10,000 blocks now, an interval of seconds apart.',
  params: [optionalParam('blocks', wire.amount), optionalParam('interval', wire.amount)],
  result: wire.anything,
  parse(params) {
    const [blocks, interval] = parseArguments(params, [
      optional(parseBlocks, 1n),
      optional<bigint | null>(parseTimeOrGas, null),
    ])
    // viem sends 0 if its caller sets no interval. Blocks with equal times would be invalid.
    return { blocks, interval: interval === 0n ? null : interval }
  },
  async run({ blocks, interval }, sendOrder, { labels }, name) {
    labels.block(await sendOrder({ kind: 'mine', blocks: Number(blocks), interval }))
    return done(name)
  },
})

function parseBlocks(value: unknown, position: number): bigint {
  const blocks = parseAmount(value, position)
  if (blocks <= blocksMax) return blocks
  const advice = 'call it several times, or move the time instead (evm_increaseTime)'
  throw refuseArgument(position, `more than ${blocksMax} blocks at once: ${blocks}, ${advice}`)
}
