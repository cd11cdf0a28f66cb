// Reads a chain file (`chain.rlp`: concatenated blocks without delimiters) and runs each block that the chain lacks.
import { readFile, stat } from 'node:fs/promises'
import { equalBytes } from '../../base/hex.ts'
import { splitBlocks } from '../../codec/ethereum/block.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { Malformed } from '../../codec/ethereum/rlp.ts'
import type { ChainIndex } from '../chain-index.ts'
import { BadBlock } from './block-commit.ts'

/** Limit, because a chain file is read as a whole. */
const chainFileBytesMax = 1024 * 1024 * 1024

/**
 * `run` executes one block and stores it, possibly later, or throws. Returns the number of new blocks; blocks that are already
 * stored are compared by hash. Throws `BadBlock` at the first block that does not follow or is invalid.
 */
export async function importBlocks(
  path: string,
  chain: Pick<ChainIndex, 'hashOf'>,
  run: (block: BlockParts) => Promise<void>,
): Promise<number> {
  const { size } = await stat(path)
  if (size > chainFileBytesMax) {
    throw new BadBlock(`chain file of ${size} bytes, at most ${chainFileBytesMax} are read`)
  }
  let read = 0
  let added = 0
  try {
    for (const block of splitBlocks(await readFile(path))) {
      const { number } = decodeHeader(block.header)
      const storedHash = chain.hashOf(number)
      if (storedHash === null) {
        await run(block)
        added += 1
      } else if (!equalBytes(storedHash, keccak256(block.header))) {
        throw new BadBlock(`block ${number} of the file differs from the stored block`)
      }
      read += 1
    }
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    throw new BadBlock(`the file cannot be read behind its first ${read} blocks`, { cause })
  }
  return added
}
