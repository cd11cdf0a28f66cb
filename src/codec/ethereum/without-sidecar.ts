// Removes the sidecar of a type-3 transaction, which is sent with its blobs but is in a block without them (EIP-4844, EIP-7594).
// Its hash is that of the form in the block.
import { Malformed, splitList } from './rlp.ts'

/** `raw`: in its network form or its block form; other types are returned unchanged. Throws `Malformed`. */
export function withoutSidecar(raw: Uint8Array): Uint8Array {
  if (raw[0] !== 3) return raw
  const payload = splitList(raw.subarray(1))[0]
  if (payload === undefined) throw new Malformed('a blob transaction with fields')
  // In the block form the first field is the chain ID; in the network form it is the whole transaction, a list.
  if ((payload[0] ?? 0) < 0xc0) return raw
  const stripped = new Uint8Array(1 + payload.length)
  stripped[0] = 3
  stripped.set(payload, 1)
  return stripped
}
