// eth_feeHistory [count, newest, percentiles]: fees of up to 1024 blocks, and of the block after them, computed from proved
// headers and receipts by the fork schedule.
// Tested by src/rpc/methods/fees/fees.test.ts, src/rpc/methods/blocks/by-hash.test.ts
import { Fault } from '../../../base/fault.ts'
import { toQuantity } from '../../../base/hex.ts'
import { feeRulesOf } from '../../../chain/network.ts'
import { type FeeHistory, feeHistoryBlocksMax, readFeeHistory } from '../../../chain/fee-history.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, parseCount, parseNumbers, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = {
  readonly count: number
  readonly newest: BlockParameter
  readonly percentiles: readonly number[]
}

const percentilesMax = 100

export const ethFeeHistory: RpcMethod<Input> = {
  name: 'eth_feeHistory',
  summary: 'Fees of the last blocks.',
  params: [
    requiredParam('blockCount', wire.quantity),
    requiredParam('newestBlock', wire.blockNumber),
    requiredParam('rewardPercentiles', wire.percentiles),
  ],
  result: wire.object,
  units: 80,
  upstream: { serve: 'prove', class: 'read', data: 'fees', block: { at: 1, form: 'number' } },
  cache: {
    block: ({ newest }) => newest,
    key: ({ count, percentiles }) => `${count} ${percentiles.join(' ')}`,
  },
  parse(params) {
    const [count, newest, percentiles] = parseArguments(params, [
      required(parseCount),
      required(parseBlockNumber),
      required(parsePercentiles),
    ])
    if (count > 0n) checkPercentiles(percentiles)
    const most = BigInt(feeHistoryBlocksMax)
    return { count: Number(count < most ? count : most), newest, percentiles }
  },
  async run({ count, newest, percentiles }, call) {
    if (count === 0) return { oldestBlock: '0x0', gasUsedRatio: null }
    feeRulesOf(call.network)
    const { head } = call.network
    if ('number' in newest && newest.number > head.latest().number) {
      throw new Fault('unknown_block', {
        detail: `request beyond head block: requested ${newest.number}, head ${head.latest().number}`,
      })
    }
    const block = await completeRead(resolveHeader(call, newest), call.signal)
    const options = { count, percentiles }
    const history = await readFeeHistory(call.network, block, options, call.signal)
    call.labels.level('proof')
    return render(history, percentiles.length > 0)
  },
}

function render(history: FeeHistory, withRewards: boolean): Readonly<Record<string, unknown>> {
  const { blocks } = history
  const baseFees = [...blocks.map(({ baseFee }) => baseFee), history.nextBaseFee]
  const blobFees = [...blocks.map(({ blobBaseFee }) => blobBaseFee), history.nextBlobBaseFee]
  const blobRatios = blocks.map(({ blobGasUsedRatio }) => blobGasUsedRatio)
  const knownBlobFees = blobFees.filter((fee) => fee !== null)
  const knowsBlobs = knownBlobFees.length === blobFees.length && !blobRatios.includes(null)
  return {
    oldestBlock: toQuantity(blocks[0]?.number ?? 0n),
    ...(withRewards ? { reward: blocks.map(({ rewards }) => rewards.map(toQuantity)) } : {}),
    baseFeePerGas: baseFees.map(toQuantity),
    gasUsedRatio: blocks.map(({ gasUsedRatio }) => gasUsedRatio),
    ...(knowsBlobs
      ? { baseFeePerBlobGas: knownBlobFees.map(toQuantity), blobGasUsedRatio: blobRatios }
      : {}),
  }
}

/** Null counts as an empty list, but the argument is required, as in geth. */
function parsePercentiles(value: unknown, position: number): readonly number[] {
  return value === null ? [] : parseNumbers(value, position)
}

function checkPercentiles(percentiles: readonly number[]): void {
  const refuse = (text: string) =>
    new Fault('execution_failed', { detail: `invalid reward percentile: ${text}` })
  if (percentiles.length > percentilesMax) throw refuse(`over the query limit ${percentilesMax}`)
  for (const [index, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw refuse(value.toFixed(6))
    const before = percentiles[index - 1] ?? -1
    if (value <= before) {
      throw refuse(`#${index - 1}:${before.toFixed(6)} >= #${index}:${value.toFixed(6)}`)
    }
  }
}
