// The recorded chain as a Network without state: headers, bodies, and those receipts that recorded replies contain completely,
// encoded again from their JSON.
import { fromHex, toBareHex, toHex } from '../../../src/base/hex.ts'
import { decodeEntries, encodeEntries } from '../../../src/codec/ethereum/list.ts'
import type { Header } from '../../../src/codec/ethereum/header.ts'
import { orderedRoot } from '../../../src/codec/ethereum/ordered-trie.ts'
import { encodeReceipt } from '../../../src/codec/ethereum/receipt.ts'
import { transactionHash } from '../../../src/codec/ethereum/transaction.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import { blobFeeFraction, feeRulesAt } from '../../../src/evm/blob-schedule.ts'
import { parseGenesis } from '../../../src/evm/genesis.ts'
import type { Network } from '../../../src/chain/network.ts'
import { readTranscripts } from '../../api/transcripts.ts'
import { testChain } from '../chain-facts.ts'
import { chainFolder, cutBlocks, readChain } from '../chain-vectors.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './network.ts'

/** The members of a receipt's JSON that its encoding needs. */
export type ReceiptJson = {
  readonly type: string
  readonly status?: string
  readonly root?: string
  readonly cumulativeGasUsed: string
  readonly logsBloom: string
  readonly blockHash: string
  readonly transactionIndex: string
  readonly logs: readonly { address: string; topics: readonly string[]; data: string }[]
}

export function createVectorNetwork(): Network {
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  const { config } = parseGenesis(JSON.parse(new TextDecoder().decode(readChain('genesis.json'))))
  const positions = new Map<string, { blockHash: Uint8Array; index: number }>()
  for (const { ref, bytes } of items) {
    if (ref.kind !== 'transactions') continue
    const root = toBareHex(ref.hash)
    const block = blocks.find(({ header }) => toBareHex(header.transactionsRoot) === root)
    if (block === undefined) continue
    for (const [index, raw] of decodeEntries(bytes).entries()) {
      positions.set(toBareHex(transactionHash(raw)), { blockHash: block.hash, index })
    }
  }
  const refs = blocks.map(({ hash, header }) => ({ network: 'dev', hash, number: header.number }))
  return createFakeNetwork({
    chainId: BigInt(testChain.chainId),
    head: createFakeHead(refs, {
      locate(hash) {
        const position = positions.get(toBareHex(hash))
        return position === undefined ? [] : [position]
      },
    }),
    obtain: createFakeObtain([...items, ...receiptItems(blocks)]),
    blobFeeFraction: (timestamp) => blobFeeFraction(config, timestamp),
    feeRules: (timestamp) => feeRulesAt(config, timestamp),
  })
}

function receiptItems(
  blocks: readonly { readonly hash: Uint8Array; readonly header: Header }[],
): readonly UnverifiedItem[] {
  const recorded = readTranscripts(chainFolder)
    .filter(({ method }) => ['eth_getTransactionReceipt', 'eth_getBlockReceipts'].includes(method))
    .map(({ response }) => JSON.parse(response) as { result: ReceiptJson | ReceiptJson[] | null })
    .flatMap(({ result }) => result ?? [])
  return blocks.flatMap(({ hash, header }) => {
    const entries: Uint8Array[] = []
    for (const json of recorded) {
      if (json.blockHash !== toHex(hash)) continue
      entries[Number(json.transactionIndex)] = encodeReceiptJson(json)
    }
    const full = entries.length > 0 && !Array.from(entries).includes(undefined as never)
    if (!full || toHex(orderedRoot(entries)) !== toHex(header.receiptsRoot)) return []
    const ref = { kind: 'receipts', hash: header.receiptsRoot } as const
    return [{ ref, bytes: encodeEntries(entries) }]
  })
}

/** Encodes the raw entry from which the JSON was rendered. */
export function encodeReceiptJson(json: ReceiptJson): Uint8Array {
  return encodeReceipt({
    type: Number(json.type),
    status: json.status === undefined ? null : json.status === '0x1',
    postState: json.root === undefined ? null : fromHex(json.root),
    cumulativeGasUsed: BigInt(json.cumulativeGasUsed),
    logsBloom: fromHex(json.logsBloom),
    logs: json.logs.map(({ address, topics, data }) => ({
      address: fromHex(address),
      topics: topics.map(fromHex),
      data: fromHex(data),
    })),
  })
}
