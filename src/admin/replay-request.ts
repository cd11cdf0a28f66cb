// Replays a recorded call as its key, at another block or from a single upstream, and reports the differences. A replay costs units
// like any call and counts in the key's usage. Only reads can be replayed.
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'
import { Fault } from '../base/fault.ts'
import type { FaultCode } from '../base/fault.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Network } from '../chain/network.ts'
import type { AnswerLabels } from '../pipeline/request-recorder.ts'
import type { RpcOutcome } from '../rpc/rpc-pipeline.ts'
import { findBlockPosition } from '../rpc/relay/relayed-methods.ts'
import { type Difference, differencesOf } from '../pipeline/inspector/differences.ts'
import type { InspectedRequest } from '../pipeline/inspector/inspected-request.ts'

export type ReplayOptions = {
  /** Index of the call in the request, from 0. */
  readonly call: number
  /** A tag, a QUANTITY or a hash that replaces the requested block. */
  readonly block?: string | undefined
  /** Name of an upstream. */
  readonly upstream?: string | undefined
}

/** `result`: a JSON value; for a fault its message and data; undefined: unknown, or too large to show. */
type ReplayedAnswer = { readonly outcome: 'ok' | FaultCode; readonly result?: unknown }

export type ReplayedRequest = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly before: ReplayedAnswer
  readonly after: ReplayedAnswer
  readonly labels: AnswerLabels
  /** Null: one of the two results is missing. */
  readonly differences: readonly Difference[] | null
  readonly differencesLeft: number
}

/** Reads without a block parameter, in addition to those of the tables. */
const otherReads: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_getLogs',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
])

const shownCharsMax = 262_144

/**
 * Throws `conflict` if the call cannot be replayed (its detail is the reason), `bad_input` for a block if the method has
 * none, `absent` for an unknown network or upstream, and any refusal of a call of the key.
 */
export async function replayRequest(
  parts: {
    readonly gateway: Pick<RpcPipeline, 'authenticateRpc' | 'runRpc'>
    readonly networks: () => readonly Network[]
  },
  { caller, request }: { readonly caller: Caller; readonly request: InspectedRequest },
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<ReplayedRequest> {
  const { method, params, before } = callOf(request, options.call)
  const network = parts.networks().find(({ name }) => name === request.network)
  if (network === undefined) throw new Fault('absent', { detail: 'that network is not served now' })
  const item = { method, params: withBlock(method, params, options.block) }
  if (options.upstream !== undefined) checkUpstream(network, method, options.upstream)
  await parts.gateway.authenticateRpc({ key: null, secret: null, caller }, network)
  const { outcomes, headers } = await parts.gateway.runRpc({
    caller,
    network,
    items: [item],
    batch: false,
    exchange: { signal },
    ...(options.upstream === undefined ? {} : { upstream: options.upstream }),
  })
  const after = answerOf(outcomes[0])
  const comparable = before.result !== undefined && after.result !== undefined
  const differences = comparable ? differencesOf(before.result, after.result) : null
  return {
    ...item,
    before,
    after,
    labels: headers,
    differences: differences?.found ?? null,
    differencesLeft: differences?.left ?? 0,
  }
}

function checkUpstream({ name, relay }: Network, method: string, upstream: string): void {
  if (relay === null || !relay.upstreams().includes(upstream)) {
    throw new Fault('absent', { detail: `${name} has no upstream of that name` })
  }
  if (findBlockPosition(method) === undefined) {
    throw new Fault('conflict', { detail: `Cairn does not send ${method} to upstreams` })
  }
}

function callOf(request: InspectedRequest, index: number) {
  const call = request.calls[index]
  if (request.face !== 'rpc') throw cannot('file commands are not run again')
  if (call === undefined) throw new Fault('absent', { detail: 'that call was not recorded' })
  const { method, params, result } = call
  if (findBlockPosition(method) === undefined && !otherReads.has(method)) {
    throw cannot(`${method.slice(0, 64)} is not known to be a read, so it is not run again`)
  }
  if (params.text === null) throw cannot('the key keeps no params: switch inspectBodies on')
  if (params.cut) throw cannot('its params were too long to be recorded')
  const parsed = parse(params.text)
  if (!Array.isArray(parsed) || params.text.includes('[redacted]')) {
    throw cannot('a credential was taken out of its params')
  }
  const known = result !== null && result.text !== null && !result.cut
  const before: ReplayedAnswer = {
    outcome: call.outcome,
    ...(known ? { result: parse(result.text) } : {}),
  }
  return { method, params: parsed as readonly unknown[], before }
}

function withBlock(
  method: string,
  params: readonly unknown[],
  block: string | undefined,
): readonly unknown[] {
  if (block === undefined) return params
  const place = findBlockPosition(method)
  if (place === undefined || place === null) {
    const detail = `block: ${method} names none`
    throw new Fault('bad_input', { detail, data: { field: 'block' } })
  }
  return Array.from({ length: Math.max(params.length, place.at + 1) }, (_, index) =>
    index === place.at ? block : (params[index] ?? null),
  )
}

function answerOf(outcome: RpcOutcome | undefined): ReplayedAnswer {
  if (outcome === undefined) return { outcome: 'internal' }
  if ('fault' in outcome) {
    const { code, rpcCode, message, data } = outcome.fault
    const result = { code: rpcCode, message, ...(data === undefined ? {} : { data }) }
    return { outcome: code, result }
  }
  const text = 'text' in outcome ? outcome.text : JSON.stringify(outcome.result)
  if (text === undefined || text.length > shownCharsMax) return { outcome: 'ok' }
  return { outcome: 'ok', result: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function cannot(detail: string): Fault {
  return new Fault('conflict', { detail })
}
