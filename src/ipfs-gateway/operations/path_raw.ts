// `/ipfs/<cid>[/path]` as `raw`: one block, for clients that verify it by its CID.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import type { ContentPath } from '../../ipfs/read/path.ts'
import type { PathOperation } from '../path-operation.ts'
import { traceToBlock } from '../traced-block.ts'

type RawInput = { readonly path: ContentPath; readonly fileName: string | null }

export const pathRaw: PathOperation<RawInput> = {
  name: 'ipfs/raw',
  recursive: false,
  parse: ({ root, segments, query }) => ({
    path: { root, segments, ipld: false },
    fileName: query.get('filename') ?? null,
  }),
  async run({ path, fileName }, call) {
    const { cid, roots } = await traceToBlock(path, call)
    const { files, patience, signal } = call
    return {
      kind: 'content',
      tag: `"${cid.toString()}.raw"`,
      async describe() {
        const block = await files.block(cid, patience, signal)
        return {
          type: 'application/vnd.ipld.raw',
          size: BigInt(block.length),
          ranged: true,
          roots,
          disposition: 'attachment',
          fileName: fileName ?? `${cid.toString()}.bin`,
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
