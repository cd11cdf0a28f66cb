// Renders a simulated block as eth_simulateV1 returns it: a block with the results of its calls.
// Tested by test/api/simulate-started.test.ts
import { toHex, toQuantity } from '../base/hex.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeEntries } from '../codec/ethereum/list.ts'
import { transactionHash } from '../codec/ethereum/transaction.ts'
import { encodeTransaction } from '../codec/ethereum/transaction-encode.ts'
import { renderBlock } from './block-object.ts'
import type { SimulatedBlock, SimulatedCall } from './computation.ts'
import { renderLog } from './log-object.ts'
import { renderTransaction } from './transaction-object.ts'

/** An RLP list without items. */
const emptyList = Uint8Array.of(0xc0)

/** The JSON object; `full`: transactions as objects. */
export function renderSimulatedBlock(
  { header: bytes, withdrawals, transactions, calls }: SimulatedBlock,
  full: boolean,
): Readonly<Record<string, unknown>> {
  const header = decodeHeader(bytes)
  const blockHash = keccak256(bytes)
  const entries = transactions.map(({ transaction }) => encodeTransaction(transaction))
  const hashes = entries.map(transactionHash)
  const { number: blockNumber, timestamp: blockTimestamp, baseFeePerGas } = header
  const location = { blockHash, blockNumber, blockTimestamp, baseFeePerGas }
  const shown = transactions.map(({ transaction, from }, index) => {
    const hash = hashes[index] ?? emptyList
    if (!full) return toHex(hash)
    return renderTransaction({ transaction, from, hash }, { ...location, index })
  })
  let logIndex = 0
  const results = calls.map((call, index) => {
    const transactionHash = hashes[index] ?? emptyList
    const logs = call.logs.map((log, at) =>
      renderLog(log, { ...location, index }, { transactionHash, logIndex: logIndex + at }),
    )
    logIndex += logs.length
    return { ...renderCall(call), logs }
  })
  const lists = { transactions: encodeEntries(entries), uncles: emptyList, withdrawals }
  return { ...renderBlock({ hash: blockHash, bytes, header }, lists, shown), calls: results }
}

function renderCall({ returnData, gasUsed, maxUsedGas, status, error }: SimulatedCall) {
  return {
    returnData: toHex(returnData),
    gasUsed: toQuantity(gasUsed),
    maxUsedGas: toQuantity(maxUsedGas),
    status: status ? '0x1' : '0x0',
    ...(error === null ? {} : { error }),
  }
}
