// How a block outside UnixFS files is served to readers: as itself, under the format of its codec.
// Nothing is converted from one codec to another (docs/explanation/decisions/0046).
// Tested by src/ipfs-gateway/path-dag.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { cborCodec, dagCborCodec, dagJsonCodec, jsonCodec } from '../codec/ipld/cid.ts'
import type { PathFormat } from './path-operation.ts'

type BlockFormat = 'dag-json' | 'dag-cbor' | 'json' | 'cbor'

export type BlockForm = {
  readonly format: BlockFormat
  readonly type: string
  /** Browsers can show it. */
  readonly isText: boolean
  /** Of the name it is saved under. */
  readonly extension: string
  /** It has links, so there is a page of it for people. */
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
 * The form of the block `cid` for `format`, null = none was asked for. Null for codecs of files, also where they are
 * asked for as `json` or `cbor`: then the file is meant. Throws `not_acceptable`.
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
