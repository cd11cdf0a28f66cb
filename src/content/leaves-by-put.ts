// LeafWriter for a Batch without its own files: each leaf is framed in memory and put like any other block.
// Tested by test/suites/block-store.suite.ts
import { leafPrefix, leafSuffix } from '../codec/ipld/leaf-frame.ts'
import { sha256Name } from '../codec/ipld/multihash.ts'
import { joinBytes } from '../codec/ipld/protobuf.ts'
import type { UnverifiedItem } from './ref.ts'
import type { FileLeaf, LeafCut, LeafWriter } from './block-store.ts'

/** `put`: receives the whole blocks of complete leaves. */
export function leavesByPut(
  { bytes: leafBytes, form }: LeafCut,
  onLeaf: (leaf: FileLeaf) => void,
  put: (items: readonly UnverifiedItem[]) => Promise<void>,
): LeafWriter {
  const slot = new Uint8Array(leafBytes)
  let filled = 0

  function cut(): UnverifiedItem {
    const data = slot.slice(0, filled)
    filled = 0
    const bytes =
      form === 'raw' ? data : joinBytes([leafPrefix(data.length), data, leafSuffix(data.length)])
    const multihash = sha256Name(bytes)
    onLeaf({ multihash, bytes: data.length, size: bytes.length })
    return { ref: { kind: 'dag-block', hash: multihash }, bytes }
  }

  return {
    write(piece) {
      const items: UnverifiedItem[] = []
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + leafBytes - filled)
        slot.set(part, filled)
        filled += part.length
        at += part.length
        if (filled === leafBytes) items.push(cut())
      }
      return items.length === 0 ? null : put(items)
    },
    async end() {
      if (filled > 0) await put([cut()])
    },
  }
}
