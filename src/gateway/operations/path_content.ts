// `/ipfs/<cid>[/path]` without a format: the bytes of a file, or a directory as its index.html or as a page. Only
// where the operator switched it on, and so that nothing of it runs with the rights of this server's origin.
// Rule: https://specs.ipfs.tech/http-gateways/path-gateway/
// Tested by src/http/path-content.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { dagCborCodec, dagJsonCodec, dagPbCodec, rawCodec } from '../../codec/cid.ts'
import { sortedByName } from '../../ipfs/import/import-directory.ts'
import type { DirectoryEntry } from '../../ipfs/read/listed.ts'
import type { TracedPath } from '../../ipfs/read/path.ts'
import type {
  PathCall,
  PathContent,
  PathOperation,
  PathReply,
  PathRequest,
} from '../path-operation.ts'
import { isActive, sniffedBytes, typeOfBytes, typeOfName } from '../replies/content-type.ts'
import { directoryPage, pageEdition, pagePolicy } from '../replies/directory-page.ts'

/** Entries of a page; a directory of more is shown in part. */
const entriesMax = 5000
const indexName = 'index.html'

/** An origin of its own for each answer: no cookies, no storage, no other answer's pages. */
const sandboxed = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads'
const still =
  "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox"

/** Codecs that are shown as their block. */
const blockTypes: ReadonlyMap<number, string> = new Map([
  [dagCborCodec, 'application/vnd.ipld.dag-cbor'],
  [dagJsonCodec, 'application/vnd.ipld.dag-json'],
  [0x51, 'application/cbor'],
  [0x0200, 'application/json'],
])

export const pathContent: PathOperation<PathRequest> = {
  name: 'ipfs/content',
  whole: true,
  parse: (request) => request,
  async run(request, call) {
    const { files, patience, judge, signal } = call
    const { root, segments, slash } = request
    const path = { root, segments, ipld: false }
    const traced = await files.trace(path, patience, signal)
    for (const cid of traced.roots) judge(cid)
    if (traced.rest.length > 0) {
      const detail = `${traced.cid.toString()} has no files below it`
      throw new Fault('not_found', { detail })
    }
    const { cid } = traced
    const blockType = blockTypes.get(cid.code)
    if (blockType !== undefined) return blockReply(traced, blockType, request, call)
    if (cid.code !== dagPbCodec && cid.code !== rawCodec) {
      const detail = `${cid.toString()} is no file: ask for it with ?format=raw`
      throw new Fault('bad_argument', { detail })
    }
    const { kind, size } = await files.stat(cid, patience, signal)
    if (kind === 'symlink') {
      throw new Fault('bad_argument', { detail: `${cid.toString()} is a symbolic link` })
    }
    const name = segments.at(-1) ?? null
    if (kind === 'file') return fileReply(traced.roots, { cid, size, name }, request, call)
    if (!slash) return { kind: 'moved' }
    return (await indexReply(traced, request, call)) ?? pageReply(traced, request, call)
  },
}

/** Null: the directory has no index.html that is a file. */
async function indexReply(
  { cid, roots }: TracedPath,
  request: PathRequest,
  call: PathCall,
): Promise<PathReply | null> {
  const { files, patience, judge, signal } = call
  const path = { root: cid, segments: [indexName], ipld: false }
  const index = await files.trace(path, patience, signal).catch((thrown: unknown) => {
    const absent = thrown instanceof Fault && thrown.message.startsWith('no link named')
    if (absent) return null
    throw thrown
  })
  if (index === null) return null
  judge(index.cid)
  if (index.cid.code !== dagPbCodec && index.cid.code !== rawCodec) return null
  const { kind, size } = await files.stat(index.cid, patience, signal)
  if (kind !== 'file') return null
  return fileReply(roots, { cid: index.cid, size, name: indexName }, request, call)
}

type ShownFile = { readonly cid: CID; readonly size: bigint; readonly name: string | null }

function fileReply(
  roots: readonly CID[],
  { cid, size, name }: ShownFile,
  request: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  const stretchOf = (offset: bigint, length: bigint | null) =>
    files.open(cid, { offset, length }, patience, signal)
  return {
    kind: 'content',
    tag: `"${cid.toString()}"`,
    async describe() {
      const shown = request.query.get('filename') ?? name
      const known = shown === null ? null : typeOfName(shown)
      const type = known ?? typeOfBytes(await startOf(await stretchOf(0n, BigInt(sniffedBytes))))
      return {
        ...shownAs(type, shown, request),
        size,
        ranged: true,
        roots,
        async *open(stretch) {
          const opened = await stretchOf(stretch?.offset ?? 0n, stretch?.length ?? null)
          yield* opened.chunks
        },
      }
    },
  }
}

/** A block of a codec that is no file: itself. */
function blockReply(
  { cid, roots }: TracedPath,
  type: string,
  request: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  return {
    kind: 'content',
    tag: `"${cid.toString()}"`,
    async describe() {
      const block = await files.block(cid, patience, signal)
      return {
        ...shownAs(type, request.query.get('filename') ?? null, request),
        size: BigInt(block.length),
        ranged: true,
        roots,
        async *open(stretch) {
          const start = Number(stretch?.offset ?? 0n)
          yield block.subarray(start, start + Number(stretch?.length ?? BigInt(block.length)))
        },
      }
    },
  }
}

function pageReply(
  { cid, roots }: TracedPath,
  { root, segments }: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  return {
    kind: 'content',
    tag: `"DirIndex-${pageEdition}_CID-${cid.toString()}"`,
    async describe() {
      return {
        type: 'text/html; charset=utf-8',
        size: null,
        ranged: false,
        roots,
        disposition: null,
        fileName: null,
        policy: pagePolicy,
        generated: true,
        async *open() {
          const entries: DirectoryEntry[] = []
          let isCut = false
          for await (const entry of files.list(cid, patience, signal)) {
            isCut = entries.length === entriesMax
            if (isCut) break
            entries.push(entry)
          }
          yield* directoryPage({
            path: ['/ipfs', root.toString(), ...segments].join('/'),
            cid: cid.toString(),
            entries: sortedByName(entries),
            isCut,
            hasParent: segments.length > 0,
          })
        },
      }
    },
  }
}

/** What could act as a page is saved and not shown, unless the origin is there for such pages. */
function shownAs(
  type: string,
  name: string | null,
  { query, ownOrigin }: PathRequest,
): Pick<PathContent, 'type' | 'disposition' | 'fileName' | 'policy'> {
  const saved = query.get('download') === 'true' || (isActive(type) && !ownOrigin)
  const named = query.has('filename')
  return {
    type,
    disposition: saved ? 'attachment' : named ? 'inline' : null,
    fileName: name,
    policy: ownOrigin ? sandboxed : still,
  }
}

async function startOf({ chunks }: { readonly chunks: AsyncIterable<Uint8Array> }) {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(Uint8Array.from(chunk))
  return Buffer.concat(parts)
}
