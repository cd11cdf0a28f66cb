// `/ipfs/<cid>` as `raw`: one block, for readers who check it by its name (contract-files 10).
// Tested by src/http/path-face.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import type { PathOperation } from '../path-operation.ts'

type RawInput = { readonly cid: CID; readonly fileName: string }

export const pathRaw: PathOperation<RawInput> = {
  name: 'ipfs/raw',
  whole: false,
  parse({ root, segments, query }) {
    if (segments.length > 0) {
      throw new Fault('bad_argument', {
        detail: 'a raw block is asked for by its CID, without a path',
      })
    }
    return { cid: root, fileName: query.get('filename') ?? `${root.toString()}.bin` }
  },
  async run({ cid, fileName }, { files, patience, signal }) {
    return {
      kind: 'content',
      tag: `"${cid.toString()}.raw"`,
      async describe() {
        const block = await files.block(cid, patience, signal)
        return {
          type: 'application/vnd.ipld.raw',
          size: BigInt(block.length),
          ranged: true,
          roots: [cid],
          disposition: 'attachment',
          fileName,
          policy: null,
          async *open(stretch) {
            if (stretch === null) yield block
            else {
              const start = Number(stretch.offset)
              yield block.subarray(start, start + Number(stretch.length))
            }
          },
        }
      },
    }
  },
}
