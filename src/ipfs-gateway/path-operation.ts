// What a reader of `/ipfs/<cid>[/path]` may ask for, and what is answered. Conditions, ranges and headers are of
// the HTTP endpoint; which content it is, and how to read it, stands here.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import type { CID } from 'multiformats/cid'
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { IpnsName } from '../codec/ipld/ipns-name.ts'
import type { FilesDownload } from '../pipeline/transfer.ts'
import type { Files, FetchPolicy } from '../ipfs/files.ts'
import type { PageStatus, RedirectStatus } from './redirects-file.ts'

/** What a reader may ask for by name, as in `?format=`. */
export type PathFormat =
  | 'raw'
  | 'car'
  | 'tar'
  | 'dag-json'
  | 'dag-cbor'
  | 'json'
  | 'cbor'
  | 'ipns-record'

/**
 * The origin of the reply. `shared`: that of the APIs, where content must not act as a page. `content`: a host for content
 * alone. `root`: a host for one root CID or name alone, `authority`; `gateway` is the content host above it, null for the
 * site of a DNS name. Both with the port.
 */
export type ContentOrigin =
  | { readonly kind: 'shared' }
  | { readonly kind: 'content' }
  | { readonly kind: 'root'; readonly gateway: string | null; readonly authority: string }

/** An IPNS name that stands for the root. `depth`: how many of the segments its path has. */
type PathMount = { readonly name: string; readonly depth: number }

/** A request off the wire, its name resolved. */
export type PathRequest = {
  /** For the record of a name, the CID of its key. */
  readonly root: CID
  /** Null: the path names the root by its CID. */
  readonly mount: PathMount | null
  /** Decoded and cleaned: none is empty, `.` or `..`. */
  readonly segments: readonly string[]
  /** The path ended with a slash. */
  readonly slash: boolean
  /** Null: the request names none. */
  readonly format: PathFormat | null
  /** The request names no format, and the client accepts HTML. */
  readonly acceptsHtml: boolean
  /** The query as sent, without `?`. */
  readonly search: string
  /** The first value of each query parameter. */
  readonly query: ReadonlyMap<string, string>
  /** Parameters of the media type that chose the format; empty when the query chose it. */
  readonly accepted: ReadonlyMap<string, string>
  readonly origin: ContentOrigin
}

/** What an operation may touch. `caller` null: a client without a key. */
export type PathCall = {
  readonly caller: Caller | null
  readonly files: Files
  readonly patience: FetchPolicy
  /** Throws `denied` or `denied_legally` for content that a deny rule is about. */
  readonly checkAllowed: (cid: CID, segments?: readonly string[]) => void
  /** The newest valid record of a name, and how long it may be repeated. Throws `not_found`. */
  readonly getRecord: (
    name: IpnsName,
  ) => Promise<{ readonly bytes: Uint8Array; readonly ttlMs: number }>
  readonly signal: AbortSignal
}

/** A stretch of the content: `offset` lies inside it, `length` does not pass its end. */
type PathStretch = { readonly offset: bigint; readonly length: bigint }

/**
 * `size`: of the whole, null when it is not known before its end. `ranged`: a stretch may be asked for. `roots`: CIDs
 * along the path. `policy`: of a Content-Security-Policy header.
 */
export type PathContent = {
  readonly type: string
  readonly size: bigint | null
  readonly ranged: boolean
  readonly roots: readonly CID[]
  readonly disposition: 'attachment' | 'inline' | null
  /** File name for saving; null: none. */
  readonly fileName: string | null
  readonly policy: string | null
  /** Changes with the server's version, so it is not for ever. */
  readonly generated?: true
  /** The first chunk is verified before the HTTP endpoint sends headers. Null: the whole. */
  open(stretch: PathStretch | null): AsyncIterable<Uint8Array>
}

/**
 * `tag`: the entity tag as in an ETag header, known without reading content; `describe` reads what the headers need.
 * `status`: of a page that a site shows in place of content. `moved`: the path is that of a directory, or of the page of a
 * block, and lacks its slash. `redirected`: by a rule of the site.
 */
export type PathReply =
  | {
      readonly kind: 'content'
      readonly tag: string
      /** How long it stays what the name stands for; absent: as long as the pipeline says. */
      readonly ttlMs?: number
      readonly status?: PageStatus
      describe(): Promise<PathContent>
    }
  | { readonly kind: 'moved' }
  | { readonly kind: 'redirected'; readonly status: RedirectStatus; readonly location: string }

export type PathOperation<Input> = {
  /** As usage and allowlists know it: `ipfs/raw`. */
  readonly name: string
  /** It gives what is below the last CID of the path too. */
  readonly whole: boolean
  /** It gives the record of an IPNS name, not content. */
  readonly ofName?: true
  /** Throws `bad_argument`. Pure. */
  parse(request: PathRequest): Input
  run(input: Input, call: PathCall): Promise<PathReply>
}

export type IpfsGatewayRequest = {
  /** Null: a client without a key. */
  readonly caller: Caller | null
  readonly address: string
  readonly operation: PathOperation<unknown>
  readonly request: Omit<PathRequest, 'root' | 'mount'>
  /** The first part of the path: a CID, or an IPNS name that is to be resolved. */
  readonly from: CID | string
  /** Only what is here is wanted. */
  readonly cachedOnly: boolean
  /** A person at this machine reads: pinned content needs no key. */
  readonly local: boolean
  /** Another Cairn asks for a caller of its own: were it looked for elsewhere, two could ask each other in a circle. */
  readonly forCairn: boolean
  /** A program reads block by block, as IPFS nodes do. */
  readonly readsBlocks: boolean
  readonly signal: AbortSignal
}

/** How the HTTP endpoint settles what it got: once, when the response has ended. */
export type PathRun = {
  readonly reply: PathReply
  /** How long the name of the path stands for this content; null: for ever. */
  readonly ttlMs: number | null
  /** Null: the reply is not counted for an account. */
  readonly download: FilesDownload | null
  /** `fault` null: it was answered, with this `status`. */
  settle(fault: Fault | null, bytesOut: number, status: number): void
}
