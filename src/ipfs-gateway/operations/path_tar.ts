// `/ipfs/<cid>[/path]` as `tar`: a file or directory with everything below it, as an archive whose single top entry is named by its
// CID. Rule: https://specs.ipfs.tech/http-gateways/path-gateway/
// Tested by src/ipfs-gateway/path-tar.test.ts
import { Fault } from '../../base/fault.ts'
import { bufferStart } from '../../base/buffer-start.ts'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import type { ContentPath } from '../../ipfs/read/path.ts'
import { tarTree } from '../../ipfs/read/tar-tree.ts'
import type { PathCall, PathOperation } from '../path-operation.ts'
import { traceToBlock } from '../traced-block.ts'

type TarInput = { readonly path: ContentPath; readonly fileName: string | null }

/** Maximum number of files and folders in one archive. */
const entriesMax = 1_000_000
/** Bytes that are buffered before the status is sent: most invalid names and missing blocks are found by then. */
const bufferedBytes = 65_536
/** Modification time of entries without one, so that the same content always yields the same archive. */
const epoch = { seconds: 0n, nanos: 0 }

export const pathTar: PathOperation<TarInput> = {
  name: 'ipfs/tar',
  recursive: true,
  parse: ({ root, segments, query }) => ({
    path: { root, segments, ipld: false },
    fileName: query.get('filename') ?? null,
  }),
  async run({ path, fileName }, call) {
    const { cid, roots } = await traceToBlock(path, call)
    const { patience, signal } = call
    if (cid.code !== dagPbCodec && cid.code !== rawCodec) {
      const detail = `${cid.toString()} is not a file or directory: request it with ?format=raw`
      throw new Fault('bad_argument', { detail })
    }
    const name = cid.toString()
    return {
      kind: 'content',
      tag: `W/"${name}.x-tar"`,
      async describe() {
        const files = checkedFiles(call)
        const stat = await files.stat(cid, patience, signal)
        const terms = { precise: true, now: epoch, entriesMax }
        return {
          type: 'application/x-tar',
          size: null,
          ranged: false,
          roots,
          disposition: 'attachment',
          fileName: fileName ?? `${name}.tar`,
          policy: null,
          open: () =>
            bufferStart(
              tarTree(files, { cid, name, stat }, terms, patience, signal),
              bufferedBytes,
            ),
        }
      },
    }
  },
}

/** Each entry is looked up once before it is written; this checks its CID against the deny rules. */
function checkedFiles({ files, checkAllowed }: PathCall): Parameters<typeof tarTree>[0] {
  return {
    list: (...args) => files.list(...args),
    open: async (...args) => await files.open(...args),
    async stat(cid, patience, signal) {
      checkAllowed(cid)
      return await files.stat(cid, patience, signal)
    },
  }
}
