// The largest block that a client may put: 2 MiB, the limit of other peers, or 4 MiB with `allow-big-block`.
// Tested by src/kubo/commands/dag/blocks.test.ts
import { Fault } from '../../base/fault.ts'
import type { CommandRequest } from '../kubo-command.ts'
import { flag, valueOf } from '../command-options.ts'

/** `tooBig`: the message for a larger block. */
export type BlockSize = { readonly bytesMax: number; readonly tooBig: string }

const usual: BlockSize = {
  bytesMax: 2 * 1024 * 1024,
  tooBig:
    "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS for " +
    'automatic chunking of bigger files, or pass --allow-big-block to override',
}

const big: BlockSize = {
  bytesMax: 4 * 1024 * 1024,
  tooBig: 'produced block is over 4MiB: this server keeps no block that large',
}

export const allowBigBlock = flag('allow-big-block')

export function blockSizeOf(options: CommandRequest['options']): BlockSize {
  return valueOf(options, allowBigBlock) ? big : usual
}

/** The whole of `content`, at most `bytesMax` of it in memory. Throws `command_failed` `tooBig` past that. */
export async function readAtMost(
  content: AsyncIterable<Uint8Array>,
  { bytesMax, tooBig }: BlockSize,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Fault('command_failed', { detail: tooBig })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
