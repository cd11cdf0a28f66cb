// evm_mine [timestamp?]: makes one block of the ready transactions in the pool, empty if there are none. Returns `0x0`, as
// development chains do. Also accepts anvil's object: a time and a number of blocks.
// Tested by test/api/pool-started.test.ts, test/api/dev-methods-started.test.ts
import { optionalParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount, parseTimeOrGas } from '../../params/amount.ts'
import {
  optional,
  parseArguments,
  readMembers,
  readOptional,
  refuseArgument,
} from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'
import { blocksMax } from './hardhat_mine.ts'

type Input = { readonly timestamp: bigint | null; readonly blocks: bigint }

export const evmMine = devMethods<Input>({
  names: ['evm_mine'],
  summary: 'Makes a block now.',
  params: [optionalParam('timestamp', wire.mineOptions)],
  result: wire.text,
  parse(params) {
    const [input] = parseArguments(params, [optional(parseInput, { timestamp: null, blocks: 1n })])
    return input
  },
  async run({ timestamp, blocks }, sendOrder, { labels }) {
    if (timestamp !== null) await sendOrder({ kind: 'plan', blocks: { nextTimestamp: timestamp } })
    labels.block(await sendOrder({ kind: 'mine', blocks: Number(blocks), interval: null }))
    return '0x0'
  },
})

function parseInput(value: unknown, position: number): Input {
  if (typeof value !== 'object' || value === null) {
    return { timestamp: parseTimeOrGas(value, position), blocks: 1n }
  }
  const reading = { position, path: 'MineOptions' }
  const members = readMembers(value, reading, 'MineOptions')
  const at = (member: unknown) => member
  const timestamp = readOptional(members, 'timestamp', reading, at)
  const blocks = readOptional(members, 'blocks', reading, at)
  const count = blocks === undefined ? 1n : parseAmount(blocks, position)
  if (count > blocksMax) throw refuseArgument(position, `more than ${blocksMax} blocks: ${count}`)
  return {
    timestamp: timestamp === undefined ? null : parseTimeOrGas(timestamp, position),
    blocks: count,
  }
}
