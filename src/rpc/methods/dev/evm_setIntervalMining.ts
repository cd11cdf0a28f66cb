// evm_setIntervalMining [period]: makes a block in each period; 0 turns this off. Hardhat counts milliseconds, or takes a range
// from which each period is chosen; anvil counts seconds under the same name. Numbers below 100 count as seconds, because no period
// is that short.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount } from '../../params/amount.ts'
import { parseArguments, refuseArgument, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

type Period = number | readonly [min: number, max: number]

const msMin = 100
const msMax = 86_400_000

export const evmSetIntervalMining = devMethods<Period>({
  names: ['evm_setIntervalMining'],
  summary: 'Makes a block in each period of milliseconds; 0: none. Below 100: seconds.',
  params: [requiredParam('period', wire.period)],
  result: wire.flag,
  parse: (params) => parseArguments(params, [required(parsePeriod)])[0],
  async run(intervalMs, sendOrder) {
    await sendOrder({ kind: 'plan', mining: { intervalMs } })
    return true
  },
})

export const anvilSetIntervalMining = devMethods<Period>({
  names: ['anvil_setIntervalMining'],
  summary: 'Makes a block in each period of seconds; 0: none.',
  params: [requiredParam('seconds', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseSeconds)])[0],
  async run(intervalMs, sendOrder, _call, name) {
    await sendOrder({ kind: 'plan', mining: { intervalMs } })
    return done(name)
  },
})

function parsePeriod(value: unknown, position: number): Period {
  if (!Array.isArray(value)) {
    const period = parseMs(value, position)
    return period < msMin ? period * 1000 : period
  }
  const [min = 0, max = 0] = value.map((each: unknown) => parseMs(each, position))
  if (value.length !== 2 || min < msMin || max < min) {
    const expected = `expected two numbers of milliseconds from ${msMin} on, the smaller one first`
    throw refuseArgument(position, `${JSON.stringify(value).slice(0, 80)}: ${expected}`)
  }
  return [min, max]
}

function parseSeconds(value: unknown, position: number): number {
  return checked(parseAmount(value, position) * 1000n, position)
}

function parseMs(value: unknown, position: number): number {
  return checked(parseAmount(value, position), position)
}

function checked(ms: bigint, position: number): number {
  if (ms <= msMax) return Number(ms)
  throw refuseArgument(position, `a period of ${ms} ms, at most ${msMax} (a day) is possible`)
}
