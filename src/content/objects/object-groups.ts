// Combines the blocks of small commits into objects: while one object is being sent, the next one is filled. There is no timer.
// Tested by src/content/objects/object-groups.test.ts
import { Fault } from '../../base/fault.ts'
import type { ObjectStore } from './object-store.ts'
import { objectName } from './range-cache.ts'
import type { CompleteSegment } from '../../tables/objects/object-segments.ts'
import type { SegmentIds } from './segment-ids.ts'

/** Where blocks were written: one offset for each, in order. */
export type WrittenBlocks = { readonly segment: CompleteSegment; readonly at: readonly number[] }

export type ObjectGroups = {
  /** Resolves when the blocks are durable, in one object that no row refers to yet. Throws as `ObjectStore.put`. */
  add(blocks: readonly Uint8Array[]): Promise<WrittenBlocks>
  /** Number of objects being sent. */
  readonly sending: number
}

const groupBytesMax = 8 * 1024 * 1024
const groupBlocksMax = 4096
/** Maximum number of objects being sent; those after the first are full. */
const sendingMax = 4
/** Maximum bytes of all blocks that are queued or being sent. */
const queuedBytesMax = 128 * 1024 * 1024

type Group = {
  readonly blocks: Uint8Array[]
  bytes: number
  readonly written: PromiseWithResolvers<CompleteSegment>
}

export function createObjectGroups(
  objects: Pick<ObjectStore, 'put'>,
  ids: Pick<SegmentIds, 'next'>,
): ObjectGroups {
  /** The last group is being filled. */
  const queue: Group[] = []
  const never = new AbortController().signal
  let sending = 0
  let queuedBytes = 0

  function isFull(group: Group, blocks: number, bytes: number): boolean {
    if (group.blocks.length === 0) return false
    return group.blocks.length + blocks > groupBlocksMax || group.bytes + bytes > groupBytesMax
  }

  function groupFor(blocks: number, bytes: number): Group {
    const last = queue.at(-1)
    if (last !== undefined && !isFull(last, blocks, bytes)) return last
    const group: Group = { blocks: [], bytes: 0, written: Promise.withResolvers() }
    queue.push(group)
    return group
  }

  function sendNext(): void {
    while (queue.length > 0 && sending < sendingMax && (sending === 0 || queue.length > 1)) {
      const group = queue.shift()
      if (group === undefined) return
      sending += 1
      send(group)
        .then(group.written.resolve, group.written.reject)
        .finally(() => {
          sending -= 1
          queuedBytes -= group.bytes
          sendNext()
        })
    }
  }

  async function send(group: Group): Promise<CompleteSegment> {
    const segment = await ids.next()
    await objects.put(objectName(segment.id), Buffer.concat(group.blocks), never)
    return { ...segment, bytes: group.bytes }
  }

  return {
    async add(blocks) {
      const bytes = blocks.reduce((sum, block) => sum + block.length, 0)
      if (queuedBytes + bytes > queuedBytesMax) throw new Fault('overloaded')
      const group = groupFor(blocks.length, bytes)
      const at: number[] = []
      for (const block of blocks) {
        at.push(group.bytes)
        group.blocks.push(block)
        group.bytes += block.length
      }
      queuedBytes += bytes
      sendNext()
      return { segment: await group.written.promise, at }
    },
    get sending() {
      return sending
    },
  }
}
