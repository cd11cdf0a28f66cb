// Replies of an honest stub upstream to each method, computed from its chain. Other replies were recorded from go-ethereum on the
// same chain.
import { type Hex, keccak256 } from 'viem'
import { fromHex, toHex, toQuantity } from '../../../src/base/hex.ts'
import { readTranscripts } from '../../api/transcripts.ts'
import { chainFolder } from '../chain-vectors.ts'
import type { StubBlock, StubChain } from './stub-chain.ts'
import {
  blockJson,
  headerJson,
  type Json,
  logsJson,
  receiptJson,
  transactionJson,
  uncleJson,
} from './stub-json.ts'
import type { StubKnobs } from './stub-knobs.ts'
import { createStubState } from './stub-state.ts'
import { StubError, type StubView } from './stub-view.ts'

export type StubParts = {
  readonly chain: StubChain
  readonly view: StubView
  readonly knobs: StubKnobs
  /** Received raw transactions, in order. */
  readonly sent: string[]
}

type Answer = (...params: readonly unknown[]) => unknown

/** Rejects with StubError. */
export function createStubAnswers(parts: StubParts) {
  const { chain, view, knobs, sent } = parts
  const recorded = readRecorded()
  const answers: Readonly<Record<string, Answer>> = {
    ...chainAnswers(parts),
    ...stateAnswers(parts),
    ...bodyAnswers(parts),
    ...rawAnswers(parts),
    ...poolAnswers(sent),
  }
  return async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (knobs.lacks(method)) throw noMethod(method)
    const reply =
      view.head.number === 54n
        ? findRecorded(recorded, method, plainOf(method, params, chain))
        : undefined
    if (reply !== undefined && 'error' in reply) {
      throw new StubError(reply.error.code, reply.error.message, reply.error.data)
    }
    const answer = answers[method]
    if (reply !== undefined && (answer === undefined || method === 'eth_call')) return reply.result
    if (answer === undefined) throw noMethod(method)
    return answer(...params)
  }
}

function noMethod(method: string): StubError {
  return new StubError(-32601, `the method ${method} does not exist/is not available`)
}

type Recorded = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

function readRecorded(): ReadonlyMap<string, Recorded> {
  const replies = new Map<string, Recorded>()
  for (const { request, response } of readTranscripts(chainFolder)) {
    const { method, params } = JSON.parse(request) as { method: string; params?: unknown[] }
    replies.set(JSON.stringify([method, params ?? []]), JSON.parse(response) as Recorded)
  }
  return replies
}

/** A recorded call names its block by tag or number; maps a call by block hash to the recorded one for the same block. */
function plainOf(method: string, params: readonly unknown[], chain: StubChain): readonly unknown[] {
  if (method === 'eth_getLogs') return params
  const last = chain.recorded.at(-1)?.hash
  return params.map((param) => {
    const isPin = typeof param === 'object' && param !== null && 'blockHash' in param
    return isPin && param.blockHash === last ? 'latest' : param
  })
}

/** The recorded call may omit the newest block. */
function findRecorded(
  replies: ReadonlyMap<string, Recorded>,
  method: string,
  params: readonly unknown[],
): Recorded | undefined {
  const named = replies.get(JSON.stringify([method, params]))
  if (named !== undefined || params.at(-1) !== 'latest') return named
  return replies.get(JSON.stringify([method, params.slice(0, -1)]))
}

function chainAnswers({ view, knobs, chain }: StubParts): Readonly<Record<string, Answer>> {
  return {
    web3_clientVersion: () => knobs.clientVersion,
    eth_chainId: () => toQuantity(knobs.chainId),
    net_version: () => knobs.chainId.toString(),
    eth_syncing: () => false,
    eth_blockNumber: () => toQuantity(view.head.number),
    eth_gasPrice: () => toQuantity((view.head.view.header.baseFeePerGas ?? 0n) + 1n),
    eth_call: async (request, parameter) => {
      const { to, from, data, input, value, gas } = request as Record<string, string>
      const bytes = data ?? input
      const call = {
        ...(to === undefined ? {} : { to: fromHex(to) }),
        ...(from === undefined ? {} : { from: fromHex(from) }),
        ...(bytes === undefined ? {} : { data: fromHex(bytes) }),
        ...(value === undefined ? {} : { value: BigInt(value) }),
        ...(gas === undefined ? {} : { gas: BigInt(gas) }),
      }
      return toHex(await chain.call(call, blockOf(view, parameter)))
    },
  }
}

function stateAnswers({ chain, view, knobs }: StubParts): Readonly<Record<string, Answer>> {
  const state = createStubState(chain.store)

  function readable(parameter: unknown): StubBlock {
    const block = blockOf(view, parameter)
    const age = view.head.number - block.number
    if (knobs.stateWindow !== null && age > knobs.stateWindow) throw noState(block)
    return block
  }

  function provable(parameter: unknown): StubBlock {
    const block = readable(parameter)
    const age = view.head.number - block.number
    const { proofWindow } = knobs
    if (proofWindow === null || age <= proofWindow.blocks) return block
    if (proofWindow.client === 'geth') throw noState(block)
    if (proofWindow.client === 'reth') {
      throw new StubError(-32602, 'distance to target block exceeds maximum proof window')
    }
    throw new StubError(
      -32000,
      `requested block is too old, block must be within ${proofWindow.blocks} blocks of the head ` +
        `block number (currently ${view.head.number})`,
    )
  }

  function positionOf(text: unknown): string {
    const digits = String(text).replace(/^0x/i, '')
    if (knobs.wholeKeysOnly && digits.length !== 64) {
      throw new StubError(-32602, `odd number of digits or not 32 bytes: ${String(text)}`)
    }
    if (digits.length > 64) {
      throw new StubError(-32602, `storage key too long (want at most 32 bytes): "${String(text)}"`)
    }
    return `0x${digits.padStart(64, '0')}`
  }

  return {
    async eth_getBalance(address, parameter) {
      return (await state.account(readable(parameter).stateRoot, String(address))).balance
    },
    async eth_getTransactionCount(address, parameter) {
      return (await state.account(readable(parameter).stateRoot, String(address))).nonce
    },
    eth_getCode: (address, parameter) => state.code(readable(parameter).stateRoot, String(address)),
    eth_getStorageAt: (address, position, parameter) =>
      state.slot(readable(parameter).stateRoot, String(address), positionOf(position)),
    async eth_getProof(address, positions, parameter) {
      const slots = positions as readonly string[]
      if (slots.length > 1024) {
        throw new StubError(
          -32602,
          `too many storage keys requested (max 1024, got ${slots.length})`,
        )
      }
      const { stateRoot } = provable(parameter)
      const name = String(address)
      const storageProof: Json[] = []
      for (const position of slots) {
        const key = positionOf(position)
        const isFullWord = position.replace(/^0x/i, '').length === 64
        storageProof.push({
          key: isFullWord ? key : toQuantity(BigInt(key)),
          value: toQuantity(BigInt(await state.slot(stateRoot, name, key))),
          proof: await state.slotProof(stateRoot, name, key),
        })
      }
      const account = await state.account(stateRoot, name)
      const accountProof = await state.accountProof(stateRoot, name)
      return { address: name.toLowerCase(), accountProof, ...account, storageProof }
    },
  }
}

function noState({ stateRoot }: StubBlock): StubError {
  const root = toHex(stateRoot)
  return new StubError(
    -32000,
    `missing trie node ${root.slice(2)} (path ) state ${root} is not available, not found`,
  )
}

function bodyAnswers({ view, knobs }: StubParts): Readonly<Record<string, Answer>> {
  const find = (parameter: unknown) => view.resolve(parameter)

  /** The block with its body; null if there is none. */
  function bodyOf(parameter: unknown): StubBlock | null {
    const block = find(parameter)
    if (block !== null && block.number < knobs.prunedBelow) {
      throw new StubError(4444, 'pruned history unavailable')
    }
    return block
  }

  function showBlock(parameter: unknown, full: unknown): Json | null {
    const block = full === true ? bodyOf(parameter) : find(parameter)
    return block === null ? null : blockJson(block, full === true)
  }

  function transactionAt(parameter: unknown, index: unknown): Json | null {
    const block = bodyOf(parameter)
    const at = Number(index)
    if (block === null || at >= block.view.transactions.length) return null
    return transactionJson(block, at)
  }

  function locate(hash: unknown): { block: StubBlock; index: number } | null {
    for (let number = view.head.number; number >= 0n; number -= 1n) {
      const block = view.byNumber(number)
      const index =
        block?.view.transactions.findIndex((it) => toHex(it.hash()) === String(hash)) ?? -1
      if (block !== null && index >= 0)
        return block.number < knobs.prunedBelow ? null : { block, index }
    }
    return null
  }

  const count = (parameter: unknown) => {
    const block = bodyOf(parameter)
    return block === null ? null : toQuantity(block.view.transactions.length)
  }
  return {
    eth_getBlockByHash: showBlock,
    eth_getBlockByNumber: showBlock,
    eth_getHeaderByHash: (hash) => {
      const block = find(hash)
      return block === null ? null : headerJson(block.parts.header)
    },
    eth_getBlockTransactionCountByHash: count,
    eth_getBlockTransactionCountByNumber: count,
    eth_getTransactionByBlockHashAndIndex: transactionAt,
    eth_getTransactionByBlockNumberAndIndex: transactionAt,
    eth_getUncleByBlockHashAndIndex: (hash, index) => {
      const block = bodyOf(hash)
      return block === null ? null : uncleJson(block, Number(index))
    },
    eth_getTransactionByHash: (hash) => {
      const found = locate(hash)
      return found === null ? null : transactionJson(found.block, found.index)
    },
    eth_getTransactionReceipt: (hash) => {
      const found = locate(hash)
      return found === null ? null : receiptJson(found.block, found.index)
    },
    eth_getBlockReceipts: (parameter) => {
      const block = bodyOf(parameter)
      return block === null ? null : block.receipts.map((_, index) => receiptJson(block, index))
    },
    eth_getLogs: (filter) => findLogs(view, filter as Json),
  }
}

const logRangeMax = 10_000n

function findLogs(view: StubView, filter: Json): readonly Json[] {
  const { blockHash, fromBlock, toBlock, address, topics } = filter
  const one = blockHash === undefined ? null : blockOf(view, blockHash)
  const first = one?.number ?? blockOf(view, fromBlock ?? 'latest').number
  const last = one?.number ?? blockOf(view, toBlock ?? 'latest').number
  if (first > last) throw new StubError(-32602, 'invalid block range params')
  if (last - first > logRangeMax) throw new StubError(-32005, 'exceeds the range')
  const addresses = [(address ?? []) as string | string[]].flat().map((it) => it.toLowerCase())
  const wanted = (topics ?? []) as readonly (string | readonly string[] | null)[]
  const logs: Json[] = []
  for (let number = first; number <= last; number += 1n) {
    const block = one ?? view.byNumber(number)
    if (block === null) continue
    for (const index of block.receipts.keys()) logs.push(...logsJson(block, index))
  }
  return logs.filter(({ address: emitter, topics: found }) => {
    if (addresses.length > 0 && !addresses.includes(String(emitter))) return false
    return wanted.every((choice, at) => {
      if (choice === null || choice.length === 0) return true
      return [choice].flat().includes((found as string[])[at] ?? '')
    })
  })
}

function rawAnswers({ view, knobs }: StubParts): Readonly<Record<string, Answer>> {
  function rawBlock(parameter: unknown): StubBlock {
    if (!knobs.rawByHash && typeof parameter === 'string' && parameter.length === 66) {
      throw new StubError(-32602, 'invalid argument 0: hex number > 64 bits')
    }
    const block = view.resolve(parameter)
    if (block === null) throw new StubError(-32000, 'header not found')
    return block
  }
  const body = (parameter: unknown) => {
    const block = rawBlock(parameter)
    if (block.number < knobs.prunedBelow) throw new StubError(4444, 'pruned history unavailable')
    return block
  }
  return {
    debug_getRawHeader: (parameter) => toHex(rawBlock(parameter).parts.header),
    debug_getRawBlock: (parameter) => toHex(body(parameter).raw),
    debug_getRawReceipts: (parameter) => body(parameter).receipts.map(toHex),
    debug_getRawTransaction: (hash) => {
      for (let number = view.head.number; number > 0n; number -= 1n) {
        const found = view
          .byNumber(number)
          ?.view.transactions.find((it) => toHex(it.hash()) === String(hash))
        if (found !== undefined) return toHex(found.serialize())
      }
      return '0x'
    },
  }
}

const sentMax = 10_000
const filtersMax = 1_000

function poolAnswers(sent: string[]): Readonly<Record<string, Answer>> {
  const filters = new Map<string, number>()
  return {
    eth_sendRawTransaction: (raw) => {
      if (sent.length >= sentMax) throw new StubError(-32000, 'txpool is full')
      if (sent.includes(String(raw))) throw new StubError(-32000, 'already known')
      sent.push(String(raw))
      return keccak256(raw as Hex)
    },
    eth_newPendingTransactionFilter: () => {
      if (filters.size >= filtersMax) throw new StubError(-32000, 'too many filters')
      const id = toQuantity(filters.size + 1)
      filters.set(id, sent.length)
      return id
    },
    eth_getFilterChanges: (id) => {
      const from = filters.get(String(id))
      if (from === undefined) throw new StubError(-32000, 'filter not found')
      filters.set(String(id), sent.length)
      return sent.slice(from).map((raw) => keccak256(raw as Hex))
    },
    eth_uninstallFilter: (id) => filters.delete(String(id)),
  }
}

/** Throws as go-ethereum's state methods do for an unknown block. */
function blockOf(view: StubView, parameter: unknown): StubBlock {
  const block = view.resolve(parameter)
  if (block !== null) return block
  const byHash = typeof parameter !== 'string' || parameter.length === 66
  throw new StubError(-32000, byHash ? 'header for hash not found' : 'header not found')
}
