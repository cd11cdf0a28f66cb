// Reads CARv1 and CARv2 forward only: roots first, then one block after another, with only the current section in memory. Every
// length is validated before allocation. The caller verifies the blocks against their CIDs.
// Rules: https://ipld.io/specs/transport/car/carv1/ and carv2/
// Tested by src/codec/ipld/car.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { ByteWindow } from './byte-window.ts'
import type { CarBlock } from './car-writer.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import type { IpldNode } from './ipld-node.ts'

export type CarLimits = {
  readonly headerBytesMax: number
  readonly rootsMax: number
  /** Maximum size of one block; a section may be longer by its CID. */
  readonly blockBytesMax: number
}

export type Car = {
  readonly version: 1 | 2
  readonly roots: readonly CID[]
  /** For one reader. Throws `command_failed` if the file is truncated, or has an invalid length or CID. */
  readonly blocks: AsyncGenerator<CarBlock>
}

export const carLimits: CarLimits = {
  headerBytesMax: 1024 * 1024,
  rootsMax: 1000,
  blockBytesMax: 4 * 1024 * 1024,
}

/** Maximum length of a CID in a section: v1, varints of 9 bytes, a digest of 128. */
const cidBytesMax = 160
/** Header of a CARv2: characteristics, offset and size of the data, offset of the index. */
const secondHeaderBytes = 40
const pragmaBytes = 11

/**
 * Reads the header of `file`. Data after the payload of a CARv2, such as its index, is skipped. Throws `command_failed` if
 * it is not a CAR or exceeds a limit, and the errors of `file`.
 */
export async function openCar(file: AsyncIterable<Uint8Array>, limits: CarLimits): Promise<Car> {
  const window = new ByteWindow(file)
  const first = await readHeader(window, limits)
  if (first.version === 1) {
    return { version: 1, roots: first.roots, blocks: readSections(window, limits) }
  }
  const { offset, size } = await readSecondHeader(window)
  await window.skip(offset - pragmaBytes - secondHeaderBytes)
  window.limit(size)
  const inner = await readHeader(window, limits)
  if (inner.version !== 1) throw refused(`invalid data payload version: ${inner.version}`)
  return { version: 2, roots: inner.roots, blocks: readSections(window, limits) }
}

async function* readSections(window: ByteWindow, limits: CarLimits): AsyncGenerator<CarBlock> {
  for (;;) {
    const length = await window.varint()
    if (length === null) return await window.drain()
    if (length > limits.blockBytesMax + cidBytesMax) {
      throw refused('invalid section data, length of read beyond allowable maximum')
    }
    const section = await window.read(length)
    let cid: CID
    let block: Uint8Array
    try {
      ;[cid, block] = CID.decodeFirst(section)
    } catch (cause) {
      throw refused('section without a valid cid', cause)
    }
    // As in decodeCid: a CID has only one encoding.
    if (cid.bytes.length + block.length !== section.length) {
      throw refused('section without a valid cid')
    }
    yield { cid, block }
  }
}

async function readHeader(
  window: ByteWindow,
  limits: CarLimits,
): Promise<{ readonly version: number; readonly roots: readonly CID[] }> {
  const length = await window.varint()
  if (length === null) throw refused('unexpected EOF')
  if (length > limits.headerBytesMax) {
    throw refused('invalid header data, length of read beyond allowable maximum')
  }
  const header = decodeDagCbor(await window.read(length))
  const version = header instanceof Map ? (header.get('version') as IpldNode | undefined) : null
  if (version !== 1n && version !== 2n) {
    const shown = typeof version === 'bigint' ? String(version) : 'none'
    throw refused(`invalid car version: expected either 1 or 2; got ${shown}`)
  }
  if (version === 2n) return { version: 2, roots: [] }
  const roots = (header as ReadonlyMap<string, IpldNode>).get('roots')
  if (!Array.isArray(roots) || !roots.every((root) => root instanceof CID)) {
    throw refused('invalid car header: roots are not a list of links')
  }
  if (roots.length > limits.rootsMax) {
    throw refused(`invalid car header: more than ${limits.rootsMax} roots`)
  }
  return { version: 1, roots }
}

async function readSecondHeader(window: ByteWindow): Promise<{ offset: number; size: number }> {
  const bytes = await window.read(secondHeaderBytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const offset = Number(view.getBigUint64(16, true))
  const size = Number(view.getBigUint64(24, true))
  if (!Number.isSafeInteger(offset) || offset < pragmaBytes + secondHeaderBytes) {
    throw refused(`invalid data payload offset: ${offset}`)
  }
  if (!Number.isSafeInteger(size) || size < 1) throw refused(`invalid data payload size: ${size}`)
  return { offset, size }
}

function refused(detail: string, cause?: unknown): Fault {
  return new Fault('command_failed', { detail, cause })
}
