// A command of the IPFS API as a value, and what it may touch while it runs.
import type { Caller } from '../access/accounts/caller.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { Files } from '../ipfs/files.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'

/** What a file operation may touch. */
export type CommandCall = {
  readonly caller: Caller
  readonly files: Files
  /** Is the client still there? Asked right before a commit: if not, commit nothing. */
  connected(): boolean
  readonly signal: AbortSignal
}

/**
 * A value of an answer as text, for callers that ask with `encoding=text`: its line feeds included, '' for one that is
 * not shown. A reply without it stays JSON. Throws `command_failed` for a value that is an error.
 */
type AsText = (value: unknown) => string

/** The answer of a file operation; the face renders it. */
export type CommandReply =
  | { readonly kind: 'object'; readonly value: unknown; readonly text?: AsText }
  /** An object whose one member `name` is an object of very many entries, keys distinct; `{}` when there are none. */
  | {
      readonly kind: 'keyed'
      readonly name: string
      readonly entries: Iterable<readonly [string, unknown]>
      /** Of an entry `[name, value]`. */
      readonly text?: AsText
    }
  /** NDJSON. `live`: lines may go out while the request body still arrives (progress). */
  | {
      readonly kind: 'events'
      readonly lines: AsyncIterable<unknown>
      readonly live: boolean
      readonly text?: AsText
    }
  /**
   * `length`: bytes to come, when known. The first chunk is verified before the face sends headers; a chunk is
   * valid until the next one is asked for.
   */
  | {
      readonly kind: 'bytes'
      readonly chunks: AsyncIterable<Uint8Array>
      readonly length: bigint | null
      /** Content-Type; `text/plain` unless given. */
      readonly type?: string
      /** X-Content-Length of a stream whose own length is not known (the file inside a tar). */
      readonly contentLength?: bigint
    }

/** Which rate a file command draws on. */
export type CommandClass = 'read' | 'write'

export type KuboCommand<Input> = {
  /** Command path as on the wire: `pin/add`. */
  readonly name: string
  readonly class: CommandClass
  /**
   * Takes parsed arguments and options. `profile`: the import options that hold where the caller gives none. Throws
   * `bad_argument`, `unsupported_option`, `command_failed`. Pure.
   */
  parse(request: CommandRequest, profile: ImportProfile): Input
  run(input: Input, call: CommandCall): Promise<CommandReply>
}

/** A command line off the wire: typed by the command's declaration (kubo/commands.ts), body not yet read. */
export type CommandRequest = {
  readonly args: readonly string[]
  /** Long option name -> value, only those the caller gave. */
  readonly options: ReadonlyMap<string, boolean | bigint | string>
  /** The multipart entries, streaming, or null when the command takes none. */
  readonly entries: AsyncIterable<UploadEntry> | null
  /** The Host header; '' when none was sent. */
  readonly host: string
}
