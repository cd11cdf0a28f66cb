// Receives the blocks of an import and computes their CIDs by its options. Blocks are stored in groups: an import holds at most two
// groups in memory, whatever its size.
// Tested by src/ipfs/import/import.test.ts
import { toBareHex } from '../../base/hex.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { Batch } from '../../content/block-store.ts'
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { type Yielder, createYielder } from '../../base/yielder.ts'
import { cidOf } from '../../codec/ipld/cid.ts'
import { encodeMultihash, identityCode, multihashOf } from '../../codec/ipld/multihash.ts'
import type { ImportOptions } from './upload-entry.ts'

/** Limits of one group. */
const groupBytes = 2 * 1024 * 1024
const groupItems = 4096

export interface BlockGroups {
  /** Does not copy the block. Null, or a promise to await; throws the error of an earlier group. */
  add(item: UnverifiedItem, tree: number): Promise<void> | null
  /** Passes on the last group; resolves when all bytes have left memory. Throws as `add`. */
  end(): Promise<void>
  /** Resolves when no group is being stored any more, also after a failure. */
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
    // The next await reports the error; until then it must not be an unhandled rejection.
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

/** Bytes that are hashed before yielding to other work (about 5 ms), and the fixed cost of a block in the same unit. */
const turnBytes = 1024 * 1024
const blockWork = 8192

/**
 * Blocks that any request may create, additional blocks for each entry, and bytes of content for one additional block. Each block
 * costs the server as much as some KiB of content: without this limit a body of 1 MiB could create millions.
 */
const freeBlocks = 16_384
const blocksPerEntry = 8
const bytesPerBlock = 32

/** Larger blocks are never built, because other peers refuse them. */
export const blockBytesMax = 2 * 1024 * 1024

export function overSize(): Fault {
  return new Fault('command_failed', { detail: 'produced block is over 2MiB' })
}

export interface BlockSink {
  /** Yields to other work: see base/fair-time-slices.ts. */
  readonly yielderFor: YielderFor
  /** Counts input of the request, which raises the number of blocks that it may create. */
  countInput(part: { readonly entries: number } | { readonly bytes: number }): void
  /**
   * Computes the CID of the block, and stores the block unless the CID contains it. Waits while a group is being
   * stored.
   */
  put(codec: number, version: 0 | 1, bytes: Uint8Array): Promise<CID>
  /**
   * Writes leaves to disk without creating blocks in memory; they count as blocks. Null: no block is stored, or the
   * options require another hash or inline blocks.
   */
  readonly leaves: Batch['leaves'] | null
  /** Starts the tree of the next root. Returns the completed tree. */
  endTree(): number
  /** Passes on the last group and resolves when all bytes have left memory. */
  flush(): Promise<void>
  /** Resolves when no group is being stored any more, also after a failure. */
  settled(): Promise<void>
}

/** Stores blocks. */
export type Keep = Pick<Batch, 'put' | 'leaves'>

/** Creates a counter of work that yields after each `most`. */
export type YielderFor = (most: number) => Yielder

/**
 * `keep`: null if no block is stored. Throws `too_large` past `blocksMax` blocks or past the number that the counted
 * input allows, `command_failed` for an identity block of more than 128 bytes or a block over 2 MiB, and the errors
 * of `keep`.
 */
export function createBlockSink(
  options: Pick<ImportOptions, 'hash' | 'inline' | 'inlineLimit'>,
  blocksMax: number,
  keep: Keep | null,
  yielderFor: YielderFor = createYielder,
): BlockSink {
  const groups = keep === null ? null : createBlockGroups(keep.put)
  let tree = 0
  let blocks = 0
  let entries = 0
  let inputBytes = 0
  const yieldAfter = yielderFor(turnBytes)

  function checkCount(): void {
    if (blocks <= blocksMax) return
    throw new Fault('too_large', { detail: `request creates more than ${blocksMax} blocks` })
  }

  function checkShare(): void {
    if (blocks <= freeBlocks) return
    const most = freeBlocks + entries * blocksPerEntry + Math.floor(inputBytes / bytesPerBlock)
    if (blocks <= most) return
    throw new Fault('too_large', {
      detail: `request creates more than ${most} blocks of ${inputBytes} bytes in ${entries} entries; use larger chunks or more links`,
    })
  }

  const openLeaves: Batch['leaves'] | null =
    keep === null || options.hash !== 'sha2-256' || options.inline
      ? null
      : (cut, onLeaf) => {
          const writer = keep.leaves(
            cut,
            (leaf) => {
              blocks += 1
              inputBytes += leaf.bytes
              onLeaf(leaf)
            },
            tree,
          )
          return {
            write(piece) {
              checkCount()
              return writer.write(piece)
            },
            async end() {
              await writer.end()
              checkCount()
            },
          }
        }

  return {
    leaves: openLeaves,
    yielderFor,
    countInput(part) {
      if ('entries' in part) entries += part.entries
      else inputBytes += part.bytes
    },
    async put(codec, version, bytes) {
      const turn = yieldAfter(bytes.length + blockWork)
      if (turn !== null) await turn
      blocks += 1
      checkCount()
      checkShare()
      if (bytes.length > blockBytesMax) throw overSize()
      if (options.inline && bytes.length <= options.inlineLimit) {
        return cidOf(1, codec, encodeMultihash(identityCode, bytes))
      }
      const multihash = multihashOf(options.hash, bytes)
      if (options.hash === 'identity') return cidOf(1, codec, multihash)
      const full = groups?.add({ ref: { kind: 'dag-block', hash: multihash }, bytes }, tree) ?? null
      if (full !== null) await full
      return cidOf(options.hash === 'sha2-256' ? version : 1, codec, multihash)
    },
    endTree() {
      tree += 1
      return tree - 1
    },
    async flush() {
      await groups?.end()
    },
    async settled() {
      await groups?.settled()
    },
  }
}
