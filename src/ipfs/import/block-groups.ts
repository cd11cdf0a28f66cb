// Blocks on their way into a Batch, in groups: one is gathered while the one before is on its way to disk, so that at
// most two are in memory however many blocks come.
// Tested by src/ipfs/import/import.test.ts
import { toBareHex } from '../../base/hex.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { Batch } from '../../content/store.ts'

/** Bytes of one group, and blocks. */
const groupBytes = 2 * 1024 * 1024
const groupItems = 4096

export interface BlockGroups {
  /** Takes the block as it is. Null, or a promise to wait for; throws what putting an earlier group threw. */
  add(item: UnverifiedItem, tree: number): Promise<void> | null
  /** Hands over the rest; resolves when all bytes have left memory. Throws as `add`. */
  end(): Promise<void>
  /** Resolves when nothing is on its way any more, whether that worked or not. */
  settled(): Promise<void>
}

export function createBlockGroups(put: Batch['put']): BlockGroups {
  let group = new Map<string, { readonly item: UnverifiedItem; readonly tree: number }>()
  let held = 0
  let sending: Promise<unknown> = Promise.resolve()
  let moving: Promise<unknown> = sending

  async function send(): Promise<void> {
    await sending
    if (group.size === 0) return
    const trees = Map.groupBy(group.values(), ({ tree }) => tree)
    group = new Map()
    held = 0
    const puts = [...trees].map(([tree, members]) =>
      put(
        members.map(({ item }) => item),
        tree,
      ),
    )
    sending = Promise.all(puts)
    moving = Promise.allSettled(puts)
    // The next await reports it; until then it must not count as unhandled.
    sending.catch(() => {})
  }

  function hold(key: string, item: UnverifiedItem, tree: number): void {
    group.set(key, { item, tree })
    held += item.bytes.length
  }

  return {
    add(item, tree) {
      const key = `${tree} ${toBareHex(item.ref.hash)}`
      if (group.has(key)) return null
      const isFull = held + item.bytes.length > groupBytes || group.size >= groupItems
      if (isFull) return send().then(() => hold(key, item, tree))
      hold(key, item, tree)
      return null
    },
    async end() {
      await send()
      await sending
    },
    async settled() {
      await moving
    },
  }
}
