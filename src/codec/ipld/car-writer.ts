// Writes CARv1: a header with the roots, then each block with its length and CID. Streams; the source determines the order.
// Rule: https://ipld.io/specs/transport/car/carv1/
// Tested by src/codec/ipld/car.test.ts
import type { CID } from 'multiformats/cid'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { encodeVarint, joinBytes } from './protobuf.ts'

export type CarBlock = { readonly cid: CID; readonly block: Uint8Array }

/** Small blocks are joined to pieces of about this many bytes. */
const pieceBytes = 64 * 1024

/** The header of a CARv1 with these roots, including its length prefix. */
export function encodeCarHeader(roots: readonly CID[]): Uint8Array {
  const header = encodeDagCbor(
    new Map<string, readonly CID[] | bigint>([
      ['roots', roots],
      ['version', 1n],
    ]),
  )
  return joinBytes([encodeVarint(header.length), header])
}

/** Prefix of a block of `blockBytes`: the length of the section and the CID. */
export function carSectionHead(cid: CID, blockBytes: number): Uint8Array {
  return joinBytes([encodeVarint(cid.bytes.length + blockBytes), cid.bytes])
}

/**
 * The CAR of `blocks` in their order, unchanged: duplicates are written as they come. The first piece is returned once
 * the first block is available, so that its error precedes any byte. A piece may be a view of a block; it is valid
 * until the next is requested. Throws the errors of `blocks`.
 */
export async function* writeCar(
  roots: readonly CID[],
  blocks: AsyncIterable<CarBlock>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [encodeCarHeader(roots)]
  let waitingBytes = waiting[0]?.length ?? 0
  for await (const { cid, block } of blocks) {
    const head = carSectionHead(cid, block.length)
    waiting.push(head)
    waitingBytes += head.length
    if (waitingBytes + block.length < pieceBytes) {
      waiting.push(block)
      waitingBytes += block.length
      continue
    }
    yield joinBytes(waiting)
    waiting = []
    waitingBytes = 0
    if (block.length > 0) yield block
  }
  if (waitingBytes > 0) yield joinBytes(waiting)
}
