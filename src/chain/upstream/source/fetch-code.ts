// Code by eth_getCode, checked against the code hash of a proved account.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { toHex } from '../../../base/hex.ts'
import { bytesOf } from '../../../codec/ethereum/json-fields.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import type { Offer } from '../../../content/source.ts'
import type { RequestedBlockHash, CallAt } from './block-parameter.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

/** `hash`: keccak256 of the code. */
export type RequestedCode = {
  readonly hash: Uint8Array
  readonly block: RequestedBlockHash
  readonly address: Uint8Array
  readonly offer: Offer
}

/** Throws UpstreamError, `Malformed`. */
export async function fetchCode(
  callAt: CallAt,
  upstream: Upstream,
  { hash, block, address, offer }: RequestedCode,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const request = { method: 'eth_getCode', params: [toHex(address)], block }
  const reply = await callAt(upstream, request, signal)
  const bytes = bytesOf(reply.result, 'code')
  if (offer([{ kind: 'code', bytes }]) === 'taken') return 'taken'
  // A request by number may return code at another block of that number.
  if (!reply.pinned) return 'failed'
  const computed = toHex(keccak256(bytes))
  const evidence = { params: reply.params, response: reply.result, blockHash: block.hash }
  return { invalidReply: { method: request.method, ...evidence, expected: toHex(hash), computed } }
}
