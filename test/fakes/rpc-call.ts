// One operation run against a Network as the gateway would: parse, resolve, run, and the labels it told.
import assert from 'node:assert/strict'
import { Fault } from '../../src/base/fault.ts'
import type { Caller } from '../../src/accounts/caller.ts'
import { type ContentRef, type HeldNode, refKey } from '../../src/content/ref.ts'
import type { BlockRef } from '../../src/ethereum/head.ts'
import type { Level } from '../../src/ethereum/level.ts'
import type { Network } from '../../src/ethereum/network.ts'
import { createHeaderMemory } from '../../src/ethereum/proved-header.ts'
import type { CallNow, RpcCall, RpcOperation } from '../../src/gateway/operation.ts'
import { Unfinished } from '../../src/gateway/unfinished.ts'
import { resolveBlock } from '../../src/gateway/resolve-block.ts'

export type Answer = {
  readonly result: unknown
  readonly levels: readonly Level[]
  readonly blocks: readonly BlockRef[]
}

/**
 * What `run` gives. An operation that can answer at once must answer the same when all that `run` asked for is at
 * hand, and not at all when nothing is, or by going on from where something was not.
 */
export async function runOperation<Input>(
  operation: RpcOperation<Input>,
  network: Network,
  params: readonly unknown[],
): Promise<Answer> {
  const seen = new Map<string, Uint8Array>()
  const watched: Network = {
    ...network,
    async obtain(ref, hint, signal) {
      const bytes = await network.obtain(ref, hint, signal)
      seen.set(refKey(ref), bytes)
      return bytes
    },
  }
  const input = operation.parse(params)
  const answer = await runWaiting(operation, watched, input)
  if (operation.runNow !== undefined) {
    const held = (ref: ContentRef) => seen.get(refKey(ref)) ?? null
    const heldNode: HeldNode = (from, at) =>
      held({ kind: 'trie-node', hash: from.subarray(at, at + 32) })
    const headers = createHeaderMemory(0)
    const at = { ...network, held, heldNode, headers }
    const now = await runNow(operation, at, input)
    if (now.result !== undefined) assert.deepEqual(now, answer)
    const last = [...seen.keys()].at(-1)
    if (last !== undefined) seen.delete(last)
    const goneOn = await runNow(operation, at, input)
    if (goneOn.result !== undefined) assert.deepEqual(goneOn, answer)
  }
  return answer
}

async function runWaiting<Input>(
  operation: RpcOperation<Input>,
  network: Network,
  input: Input,
): Promise<Answer> {
  const { labels, levels, blocks } = collectLabels()
  const { signal } = new AbortController()
  const call: RpcCall = {
    // No operation of this face looks at the caller; the gateway judged it before.
    caller: {} as Caller,
    network,
    labels,
    signal,
    async resolve(parameter) {
      const block = await resolveBlock(network, parameter, { signal })
      labels.block(block)
      return block
    },
  }
  const result = await operation.run(input, call)
  return { result, levels, blocks }
}

/** `result` undefined: something would have to be waited for, and it did not begin. */
async function runNow<Input>(
  operation: RpcOperation<Input>,
  network: Network,
  input: Input,
): Promise<Answer> {
  const { labels, levels, blocks } = collectLabels()
  const { signal } = new AbortController()
  const call: CallNow = {
    network,
    labels,
    resolveNow(parameter) {
      if ('hash' in parameter) return null
      const block = resolveBlock(network, parameter, { signal })
      if (block instanceof Promise) {
        // `run` has said already what became of it.
        block.catch(() => {})
        return null
      }
      labels.block(block)
      return block
    },
  }
  const begun = operation.runNow?.(input, call)
  const result = begun instanceof Unfinished ? await begun.goOn(signal) : begun
  return { result, levels, blocks }
}

function collectLabels() {
  const levels: Level[] = []
  const blocks: BlockRef[] = []
  const labels: RpcCall['labels'] = {
    level: (level) => void levels.push(level),
    block: (block) => void blocks.push(block),
  }
  return { labels, levels, blocks }
}

/** A face reduced to its least: one call in, one JSON text out, always HTTP 200. */
export function createFakePost(
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
  network: Network,
): (body: string) => Promise<{ status: number; text: string }> {
  return async (body) => {
    const { id, method, params } = JSON.parse(body) as {
      id: unknown
      method: string
      params?: unknown[]
    }
    const head = { jsonrpc: '2.0', id }
    const operation = operations.get(method)
    if (operation === undefined) return { status: 200, text: JSON.stringify(head) }
    try {
      const { result } = await runOperation(operation, network, params ?? [])
      return { status: 200, text: JSON.stringify({ ...head, result }) }
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      const error = { code: thrown.row.rpc, message: thrown.message }
      return { status: 200, text: JSON.stringify({ ...head, error }) }
    }
  }
}
