// `/ipfs/<cid>[/path]` without a format: the bytes of a file, or a directory as its index.html or as a page. Only if the operator
// enabled it, and so that content cannot run with the rights of this server's origin.
// Rule: https://specs.ipfs.tech/http-gateways/path-gateway/
// Tested by src/ipfs-gateway/path-content.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { sortedByName } from '../../ipfs/import/import-directory.ts'
import type { DirectoryEntry } from '../../ipfs/read/listed.ts'
import type { TracedPath } from '../../ipfs/read/path.ts'
import type {
  ContentOrigin,
  PathCall,
  PathContent,
  PathOperation,
  PathReply,
  PathRequest,
} from '../path-operation.ts'
import { type BlockForm, blockFormOf } from '../block-form.ts'
import { blockPage } from '../block-page.ts'
import {
  inertType,
  isActive,
  isViewed,
  sniffedBytes,
  typeOfBytes,
  typeOfName,
} from '../content-type.ts'
import { directoryPage } from '../directory-page.ts'
import { pageEdition, pagePathOf, pagePolicy } from '../html-page.ts'
import { gatherChunks } from '../gather-chunks.ts'
import { findSiteTarget } from '../site-redirects.ts'
import { findPath, traceToBlock, traceToFile } from '../traced-block.ts'

/** Maximum number of entries on a page; a larger directory is shown in part. */
const entriesMax = 5000
const indexName = 'index.html'

/** Gives each reply an opaque origin: no cookies, no storage, no access to other replies. */
const sandboxed = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads'
/** For types with a browser viewer: Chromium's PDF viewer shows nothing in a sandbox. */
const viewed =
  "default-src 'none'; media-src 'self'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
/** A symbolic link is served as its target text, and never followed. */
const symlinkType = 'inode/symlink'
const still =
  "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox"

export const pathContent: PathOperation<PathRequest> = {
  name: 'ipfs/content',
  recursive: true,
  parse: (request) => request,
  async run(request, call) {
    const { root, segments } = request
    const path = { root, segments, ipld: false }
    // The rules of a site apply to paths that it does not contain, on its own origin (web-redirects-file, Evaluation).
    if (request.origin.kind !== 'root' || request.format !== null) {
      return await tracedReply(await traceToBlock(path, call), request, call)
    }
    const traced = await findPath(path, call)
    return await (traced === null ? siteReply(request, call) : tracedReply(traced, request, call))
  },
}

/** Applies a rule of the site to the absent path. Throws as `traceToBlock` if no rule matches. */
async function siteReply(request: PathRequest, call: PathCall): Promise<PathReply> {
  const { root, segments } = request
  const target = await findSiteTarget(request, call)
  if (target?.kind === 'move') return { ...target, kind: 'redirected' }
  const path = { root, segments: target?.segments ?? segments, ipld: false }
  call.checkAllowed(root, path.segments)
  const traced =
    (target === null ? null : await findPath(path, call)) ??
    (await traceToBlock({ ...path, segments }, call))
  const shown = { ...request, segments: path.segments, slash: true }
  const reply = await tracedReply(traced, shown, call)
  if (target === null || target.status === 200 || reply.kind !== 'content') return reply
  return { ...reply, status: target.status }
}

async function tracedReply(
  traced: TracedPath,
  request: PathRequest,
  call: PathCall,
): Promise<PathReply> {
  const { files, patience, signal } = call
  const { segments, slash } = request
  const { cid, roots } = traced
  const form = blockFormOf(cid, request.format)
  if (form !== null) {
    if (!request.acceptsHtml || !form.hasPage) return blockReply(traced, form, request, call)
    return slash ? blockPageReply(traced, form, request, call) : { kind: 'moved' }
  }
  if (cid.code !== dagPbCodec && cid.code !== rawCodec) {
    const detail = `${cid.toString()} is not a file: request it with ?format=raw`
    throw new Fault('bad_argument', { detail })
  }
  const { kind, size } = await files.stat(cid, patience, signal)
  const tag = `"${cid.toString()}"`
  if (kind !== 'directory') {
    const type = kind === 'symlink' ? symlinkType : null
    const file = { cid, size, name: segments.at(-1) ?? null, type }
    return fileReply({ roots, tag }, file, request, call)
  }
  if (!slash) return { kind: 'moved' }
  return (await indexReply(traced, tag, request, call)) ?? pageReply(traced, request, call)
}

/** Null: the directory has no index.html that is a file. `tag`: entity tag of the directory. */
async function indexReply(
  { cid, roots }: TracedPath,
  tag: string,
  request: PathRequest,
  call: PathCall,
): Promise<PathReply | null> {
  const index = await traceToFile({ root: cid, segments: [indexName], ipld: false }, call)
  if (index === null) return null
  call.checkAllowed(request.root, [...request.segments, indexName])
  const file = { ...index, name: indexName, type: null }
  return fileReply({ roots, tag }, file, request, call)
}

type ShownFile = {
  readonly cid: CID
  readonly size: bigint
  readonly name: string | null
  /** Null: determined by its name, otherwise by its first bytes. */
  readonly type: string | null
}

function fileReply(
  { roots, tag }: { readonly roots: readonly CID[]; readonly tag: string },
  { cid, size, name, type }: ShownFile,
  request: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  const stretchOf = (offset: bigint, length: bigint | null) =>
    files.open(cid, { offset, length }, patience, signal)
  const sniffed = async () => {
    const { chunks } = await stretchOf(0n, BigInt(sniffedBytes))
    return typeOfBytes(await gatherChunks(chunks), size <= BigInt(sniffedBytes))
  }
  return {
    kind: 'content',
    tag,
    async describe() {
      const shown = request.query.get('filename') ?? name
      const named = shown === null ? null : typeOfName(shown)
      return {
        ...shownAs(type ?? named ?? (await sniffed()), shown, request),
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

/** A block whose codec is not a file: served unchanged. */
function blockReply(
  { cid, roots }: TracedPath,
  { format, type, isText, extension }: BlockForm,
  { query, origin }: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  return {
    kind: 'content',
    tag: `"${cid.toString()}.${format}"`,
    async describe() {
      const block = await files.block(cid, patience, signal)
      return {
        type,
        disposition: isText && query.get('download') !== 'true' ? 'inline' : 'attachment',
        fileName: query.get('filename') ?? `${cid.toString()}.${extension}`,
        policy: policyOf(origin),
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

function blockPageReply(
  { cid, roots }: TracedPath,
  { format }: BlockForm,
  request: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  const path = pagePathOf(request)
  return {
    kind: 'content',
    tag: `"DagIndex-${pageEdition}_CID-${cid.toString()}"`,
    async describe() {
      const block = await files.block(cid, patience, signal)
      return { ...htmlPage, roots, open: () => blockPage({ path, cid, block, format }) }
    },
  }
}

const htmlPage = {
  type: 'text/html; charset=utf-8',
  size: null,
  ranged: false,
  disposition: null,
  fileName: null,
  policy: pagePolicy,
  generated: true,
} as const

function pageReply(
  { cid, roots }: TracedPath,
  request: PathRequest,
  { files, patience, signal }: PathCall,
): PathReply {
  return {
    kind: 'content',
    tag: `"DirIndex-${pageEdition}_CID-${cid.toString()}"`,
    async describe() {
      return {
        ...htmlPage,
        roots,
        async *open() {
          const entries: DirectoryEntry[] = []
          let isCut = false
          for await (const entry of files.list(cid, patience, signal)) {
            isCut = entries.length === entriesMax
            if (isCut) break
            entries.push(entry)
          }
          yield* directoryPage({
            path: pagePathOf(request),
            cid: cid.toString(),
            entries: sortedByName(entries),
            isCut,
          })
        },
      }
    },
  }
}

/** Active content is downloaded instead of shown, unless the origin is reserved for it. */
function shownAs(
  type: string,
  name: string | null,
  { query, origin }: PathRequest,
): Pick<PathContent, 'type' | 'disposition' | 'fileName' | 'policy'> {
  const isShared = origin.kind === 'shared'
  const saved = query.get('download') === 'true' || (isActive(type) && isShared)
  const named = query.has('filename')
  return {
    type: isShared ? inertType(type) : type,
    disposition: saved ? 'attachment' : named ? 'inline' : null,
    fileName: name,
    policy: origin.kind === 'content' && isViewed(type) ? viewed : policyOf(origin),
  }
}

/** Null: the origin contains only pages of its root, which may act as usual. */
function policyOf({ kind }: ContentOrigin): string | null {
  if (kind === 'root') return null
  return kind === 'content' ? sandboxed : still
}
