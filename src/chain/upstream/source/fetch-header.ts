// A header: its bytes if the upstream supplies them, otherwise encoded from JSON. JSON with the wrong hash may have a
// field unknown to Cairn, so the bytes are requested before the reply counts as invalid.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { equalBytes, toHex } from '../../../base/hex.ts'
import { encodeHeaderJson } from '../../../codec/ethereum/header-json.ts'
import { bytesOf, recordOf } from '../../../codec/ethereum/json-fields.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import type { Offer } from '../../../content/source.ts'
import { auditHash } from './audit-json.ts'
import type { RawCalls } from './raw-calls.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

export type FetchHeaderParts = {
  readonly raw: RawCalls
  /** Called if the JSON lacked a field that the header has, which Cairn's encoder does not know. */
  readonly onUnknownFields: (upstream: Upstream) => void
}

/** `hash`: of the block, 32 bytes. Throws UpstreamError, `Malformed`. */
export async function fetchHeader(
  { raw, onUnknownFields }: FetchHeaderParts,
  upstream: Upstream,
  { hash, offer }: { readonly hash: Uint8Array; readonly offer: Offer },
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const method = 'debug_getRawHeader'
  const first = await raw.byHash(upstream, method, hash, signal)
  // A raw header that is null is no answer: the block's JSON shows whether the block exists.
  if (first !== null && first.result !== null) {
    const bytes = bytesOf(first.result, 'header')
    return accepts(offer, bytes) ? 'taken' : invalidReplyOf({ method, ...first }, hash, bytes)
  }
  const request = { method: 'eth_getBlockByHash', params: [toHex(hash), false] }
  const result = await upstream.call(request.method, request.params, signal)
  if (result === null) return 'absent'
  const encoded = encodeHeaderJson(result)
  if (equalBytes(keccak256(encoded), hash)) {
    if (!accepts(offer, encoded)) return 'failed'
    const wrong = auditHash(recordOf(result, 'block'), hash)
    const evidence = { ...request, response: result, blockHash: hash }
    return wrong === null ? 'taken' : { invalidReply: { ...evidence, ...wrong } }
  }
  const bytes = await rawByNumber(upstream, recordOf(result, 'block')['number'], signal)
  if (bytes !== null && equalBytes(keccak256(bytes), hash) && accepts(offer, bytes)) {
    onUnknownFields(upstream)
    return 'taken'
  }
  return invalidReplyOf({ ...request, result }, hash, encoded)
}

/** The block of that number may be another one. Null if this upstream lacks the method. */
async function rawByNumber(
  upstream: Upstream,
  number: unknown,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  try {
    const result = await upstream.call('debug_getRawHeader', [number], signal)
    return bytesOf(result, 'header')
  } catch (thrown) {
    if (thrown instanceof UpstreamError && thrown.kind !== 'trouble') return null
    throw thrown
  }
}

function accepts(offer: Offer, bytes: Uint8Array): boolean {
  return offer([{ kind: 'header', bytes }]) === 'taken'
}

function invalidReplyOf(
  reply: {
    readonly method: string
    readonly params: readonly unknown[]
    readonly result: unknown
  },
  hash: Uint8Array,
  bytes: Uint8Array,
): AttemptOutcome {
  const { method, params, result } = reply
  const differs = { expected: toHex(hash), computed: toHex(keccak256(bytes)) }
  return { invalidReply: { method, params, response: result, blockHash: hash, ...differs } }
}
