// What memory is for: content that many reads pass on their way. A file's block is read once from end to end,
// and a slot's leaf ends one walk, whose answer is kept elsewhere; both would push out what every read needs.
import { isSlotLeaf } from '../codec/trie-node.ts'
import type { ContentRef } from './ref.ts'

/** `bytes` are verified. */
export function isShared({ kind }: ContentRef, bytes: Uint8Array): boolean {
  return kind !== 'dag-block' && !(kind === 'trie-node' && isSlotLeaf(bytes))
}
