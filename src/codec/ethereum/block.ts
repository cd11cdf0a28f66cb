// A whole block as in debug_getRawBlock and chain files: [header, transactions, uncles, withdrawals?].
// The block is sliced, never re-encoded, so each part has the hash in the header.
import { Malformed, endOfItem, splitList } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'

/** Each part is RLP, a view. `withdrawals` is null before Shanghai. */
export type BlockParts = {
  readonly header: Uint8Array
  readonly transactions: Uint8Array
  readonly uncles: Uint8Array
  readonly withdrawals: Uint8Array | null
}

/** Splits one block; the content of the parts is not validated. Throws `Malformed`. */
export function splitBlock(bytes: Uint8Array): BlockParts {
  const [header, transactions, uncles, withdrawals, ...more] = splitList(bytes)
  if (header === undefined || transactions === undefined || uncles === undefined) {
    throw new Malformed('a block of 3 or 4 items')
  }
  if (more.length > 0) throw new Malformed(`a block of 3 or 4 items, got ${4 + more.length}`)
  return { header, transactions, uncles, withdrawals: withdrawals ?? null }
}

/** The reverse of `splitBlock`: one list of the unchanged parts. */
export function joinBlock(parts: BlockParts): Uint8Array {
  const { header, transactions, uncles, withdrawals } = parts
  const writer = new RlpWriter()
  if (withdrawals !== null) writer.raw(withdrawals)
  for (const part of [uncles, transactions, header]) writer.raw(part)
  writer.closeList(0)
  return writer.finish()
}

/** The blocks of a file of concatenated blocks, in order. Throws `Malformed`. */
export function* splitBlocks(bytes: Uint8Array): Generator<BlockParts> {
  for (let at = 0; at < bytes.length;) {
    const end = endOfItem(bytes, at)
    yield splitBlock(bytes.subarray(at, end))
    at = end
  }
}
