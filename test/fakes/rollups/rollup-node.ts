// A node with one block of a rollup, over real HTTP. Tests can falsify each reply.
import type { TestContext } from 'node:test'
import { toHex } from '../../../src/base/hex.ts'
import { errorAnswer, type ReceivedCall, startRpcUpstream } from '../upstream/json-rpc-upstream.ts'
import { type Json, rawBlock, type RollupBlock } from './rollup-blocks.ts'

export type RollupNode = {
  /** Called for each reply from now on; returns the result to send. */
  falsify: (method: string, result: unknown) => unknown
  readonly url: string
  readonly chain: { readonly chainId: bigint }
  /** Methods of received requests, in order. */
  receivedMethods(): readonly string[]
}

type Options = {
  /** The node supports the debug methods, which return raw bytes. */
  readonly hasRaw: boolean
}

export async function startRollupNode(
  t: Pick<TestContext, 'after'>,
  block: RollupBlock,
  { hasRaw }: Options,
): Promise<RollupNode> {
  const upstream = await startRpcUpstream((call, response) => {
    const result = answer(block, call, hasRaw)
    if (result !== undefined) return node.falsify(call.method, structuredClone(result))
    const error = { code: -32601, message: `the method ${call.method} does not exist` }
    return errorAnswer(error)(call, response)
  })
  t.after(() => upstream[Symbol.asyncDispose]())
  const node: RollupNode = {
    url: upstream.url,
    chain: { chainId: block.chainId },
    falsify: (_, result) => result,
    receivedMethods: () => upstream.received.map(({ method }) => method),
  }
  return node
}

function answer(block: RollupBlock, { method, params }: ReceivedCall, hasRaw: boolean): unknown {
  const { json, receipts, hash } = block
  const [blockId, full] = params
  const first =
    typeof blockId === 'object' && blockId !== null ? (blockId as Json)['blockHash'] : blockId
  const isIt = typeof first === 'string' && first.toLowerCase() === hash
  const tags: readonly unknown[] = ['latest', 'safe', 'finalized', json['number']]
  const shown = (isFull: unknown): Json =>
    isFull === true ? json : { ...json, transactions: json.transactions.map((one) => one['hash']) }
  const ofHash = (list: readonly Json[], name: string) =>
    list.find((one) => one[name] === first) ?? null
  switch (method) {
    case 'eth_chainId':
      return `0x${block.chainId.toString(16)}`
    case 'eth_blockNumber':
      return json['number']
    case 'eth_syncing':
      return false
    case 'eth_getBlockByNumber':
      return tags.includes(first) ? shown(full) : null
    case 'eth_getBlockByHash':
      return isIt ? shown(full) : null
    case 'eth_getTransactionByHash':
      return ofHash(json.transactions, 'hash')
    case 'eth_getTransactionReceipt':
      return ofHash(receipts, 'transactionHash')
    case 'eth_getBlockReceipts':
      return isIt ? receipts : null
    case 'debug_getRawHeader':
      return hasRaw && isIt ? toHex(block.header) : undefined
    case 'debug_getRawBlock':
      return hasRaw && isIt ? rawBlock(block) : undefined
    case 'debug_getRawReceipts':
      return hasRaw && isIt ? block.rawReceipts : undefined
    default:
      return undefined
  }
}
