// Formats of blocks that are not UnixFS: a block is served unchanged, in the format of its codec. Cairn does not convert between
// codecs (docs/explanation/decisions/0046).
// Tested by src/ipfs-gateway/path-dag.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { cborCodec, dagCborCodec, dagJsonCodec, jsonCodec } from '../codec/ipld/cid.ts'
import type { PathFormat } from './path-operation.ts'

type BlockFormat = 'dag-json' | 'dag-cbor' | 'json' | 'cbor'

export type BlockForm = {
  readonly format: BlockFormat
  readonly type: string
  /** Browsers can display it. */
  readonly isText: boolean
  /** File extension of its download name. */
  readonly extension: string
  /** The block can have links, so there is an HTML page of it. */
  readonly hasPage: boolean
}

/** Formats of each codec, its own first. */
const formatsOf: ReadonlyMap<number, readonly BlockFormat[]> = new Map([
  [dagCborCodec, ['dag-cbor', 'cbor']],
  [dagJsonCodec, ['dag-json', 'json']],
  [cborCodec, ['cbor']],
  [jsonCodec, ['json']],
])

const types: Readonly<Record<BlockFormat, string>> = {
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  cbor: 'application/cbor',
  json: 'application/json',
}

/**
 * The form of the block `cid` for `format`; `format` null: none was requested. Returns null for codecs of files, also if `json` or
 * `cbor` is requested, which then means the file. Throws `not_acceptable`.
 */
export function blockFormOf(cid: CID, format: PathFormat | null): BlockForm | null {
  const formats = formatsOf.get(cid.code)
  if (formats === undefined) {
    if (format === 'dag-json' || format === 'dag-cbor') throw otherCodec(cid, format)
    return null
  }
  const found = formats.find((one) => format === null || one === format)
  if (found === undefined) throw otherCodec(cid, String(format))
  const isText = found.endsWith('json')
  return {
    format: found,
    type: types[found],
    isText,
    extension: isText ? 'json' : 'cbor',
    hasPage: cid.code === dagCborCodec || cid.code === dagJsonCodec,
  }
}

function otherCodec(cid: CID, format: string): Fault {
  const code = `0x${cid.code.toString(16)}`
  const detail = `${cid.toString()} has codec ${code} and is not converted to ${format}: ask for ?format=raw and convert it`
  return new Fault('not_acceptable', { detail })
}
