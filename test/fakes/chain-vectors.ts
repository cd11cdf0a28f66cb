// Where the vectors are, and their chain cut into items under their own hashes. Tests that need them skip
// with `missingVectors` when the folder is absent.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { splitBlocks } from '../../src/codec/block.ts'
import { decodeHeader, type Header } from '../../src/codec/header.ts'
import { keccak256 } from '../../src/codec/keccak.ts'
import type { UnverifiedItem } from '../../src/content/ref.ts'

const root = resolve(import.meta.dirname, '../..')
export const vectorsFolder = resolve(root, process.env['CAIRN_VECTORS'] ?? '../shared/vectors')

/** A reason to skip, or false when the vectors are there. */
export const missingVectors: string | false = existsSync(vectorsFolder)
  ? false
  : `no vectors at ${vectorsFolder}: set CAIRN_VECTORS`

export function readVector(path: string): Uint8Array {
  return new Uint8Array(readFileSync(join(vectorsFolder, path)))
}

export type VectorBlock = { readonly hash: Uint8Array; readonly header: Header }

/** Blocks one after the other, as headers with hashes and as items for `obtain`. */
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
