// The location of the vectors, the chain that tests use, and a chain split into items by hash. Tests of the vectors' own data are
// skipped with `missingVectors` if the folder does not exist.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { splitBlocks } from '../../src/codec/ethereum/block.ts'
import { decodeHeader, type Header } from '../../src/codec/ethereum/header.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import type { UnverifiedItem } from '../../src/content/ref.ts'

const root = resolve(import.meta.dirname, '../..')
export const vectorsFolder = resolve(root, process.env['CAIRN_VECTORS'] ?? '../shared/vectors')

/** A reason to skip, or false if the vectors exist. */
export const missingVectors: string | false = existsSync(vectorsFolder)
  ? false
  : `this compares with data of others, and ${vectorsFolder} does not exist: set CAIRN_VECTORS to the folder of the vectors`

/** A reason to skip tests of forks before the merge. */
export const missingOldForks: string | false =
  missingVectors === false
    ? false
    : `this needs blocks from before the merge, which only the chain of the vectors has, and ${vectorsFolder} does not exist`

/** The chain that `npm run record` wrote. */
export const recordedFolder = join(root, 'test/recorded/rpc-compat')

/**
 * The folder of the chain that tests use, with `genesis.json`, `chain.rlp` and transcripts: that of the vectors if they exist,
 * because it also has forks before the merge; otherwise the recorded one. `testChain` contains its facts.
 */
export const chainFolder =
  missingVectors === false ? join(vectorsFolder, 'rpc-compat') : recordedFolder

export function readVector(path: string): Uint8Array {
  return new Uint8Array(readFileSync(join(vectorsFolder, path)))
}

/** Reads a file of the chain that tests use. */
export function readChain(name: 'genesis.json' | 'chain.rlp'): Uint8Array {
  return new Uint8Array(readFileSync(join(chainFolder, name)))
}

export type VectorBlock = { readonly hash: Uint8Array; readonly header: Header }

/** Splits the file into blocks: headers with hashes, and items for `obtain`. */
export function cutBlocks(bytes: Uint8Array): {
  readonly blocks: readonly VectorBlock[]
  readonly items: readonly UnverifiedItem[]
} {
  const blocks: VectorBlock[] = []
  const items: UnverifiedItem[] = []
  for (const parts of splitBlocks(bytes)) {
    const header = decodeHeader(parts.header)
    const hash = keccak256(parts.header)
    blocks.push({ hash, header })
    items.push({ ref: { kind: 'header', hash }, bytes: parts.header })
    items.push({
      ref: { kind: 'transactions', hash: header.transactionsRoot },
      bytes: parts.transactions,
    })
    items.push({ ref: { kind: 'uncles', hash: header.unclesHash }, bytes: parts.uncles })
    if (parts.withdrawals !== null && header.withdrawalsRoot !== undefined) {
      const ref = { kind: 'withdrawals', hash: header.withdrawalsRoot } as const
      items.push({ ref, bytes: parts.withdrawals })
    }
  }
  return { blocks, items }
}
