// Runs one operation on a Network as the gateway does (parse, resolve, run) and returns its result with labels.
import assert from 'node:assert/strict'
import { Fault } from '../../src/base/fault.ts'
import type { Caller } from '../../src/access/accounts/caller.ts'
import { defaultKeySettings } from '../../src/access/accounts/key-settings.ts'
import { type ContentRef, type PeekNode, refKey } from '../../src/content/ref.ts'
import type { BlockRef } from '../../src/chain/head.ts'
import type { Level } from '../../src/chain/level.ts'
import type { Network } from '../../src/chain/network.ts'
import { createHeaderMemory } from '../../src/chain/proved-memory.ts'
import { type RpcCall, type RpcOperation, runOperation as runAny } from '../../src/rpc/operation.ts'
import { resolveBlock } from '../../src/rpc/request-context.ts'

export type Answer = {
  readonly result: unknown
  readonly levels: readonly Level[]
  readonly blocks: readonly BlockRef[]
}

/**
 * Returns the result of the operation. A read must return the same from memory if it contains everything the read needs, and if the
 * last needed item must be fetched.
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
  const answer = await runOn(operation, watched, input)
  if (operation.read !== undefined && seen.size > 0) {
    const peek = (ref: ContentRef) => seen.get(refKey(ref)) ?? null
    const peekNode: PeekNode = (from, at) =>
      peek({ kind: 'trie-node', hash: from.subarray(at, at + 32) })
    const headers = createHeaderMemory(0)
    const at = { ...network, peek, peekNode, headers }
    assert.deepEqual(await runOn(operation, at, input), answer)
    const last = [...seen.keys()].at(-1)
    seen.delete(last ?? '')
    assert.deepEqual(await runOn(operation, { ...at, obtain: watched.obtain }, input), answer)
  }
  return answer
}

async function runOn<Input>(
  operation: RpcOperation<Input>,
  network: Network,
  input: Input,
): Promise<Answer> {
  const { labels, levels, blocks } = collectLabels()
  const { signal } = new AbortController()
  const call: RpcCall = {
    // Operations do not use the caller: the gateway has authorized it.
    caller: { settings: defaultKeySettings } as Caller,
    network,
    labels,
    signal,
    *resolve(parameter) {
      const block = yield* resolveBlock(network, parameter)
      labels.block(block)
      return block
    },
  }
  const result = await runAny(operation, input, call)
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

/** A minimal JSON-RPC API: one call in, one JSON text out, always HTTP 200. */
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
