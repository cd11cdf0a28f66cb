// A header that was proved by its hash, and a memory of such headers: each read starts at one, and decoding it costs
// more than the rest of a short walk.
// Tested by src/rpc/methods/state/golden.test.ts
import { toLatin1 } from '../base/hex.ts'
import type { Header } from '../codec/ethereum/header.ts'

/** `hash`: 32 bytes; `bytes`: its RLP. */
export type ProvedHeader = {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  readonly header: Header
}

export interface HeaderMemory {
  find(hash: Uint8Array): ProvedHeader | null
  add(block: ProvedHeader): void
}

/** Of at most `blocksMax` headers, about 2 KB each; the one added first leaves first. */
export function createHeaderMemory(blocksMax: number): HeaderMemory {
  const blocks = new Map<string, ProvedHeader>()
  return {
    find: (hash) => blocks.get(toLatin1(hash)) ?? null,
    add(block) {
      const [oldest] = blocks.size >= blocksMax ? blocks.keys() : []
      if (oldest !== undefined) blocks.delete(oldest)
      blocks.set(toLatin1(block.hash), block)
    },
  }
}
