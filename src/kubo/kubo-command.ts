// A command of the IPFS API: its declaration, its parser, and its dependencies while it runs.
import type { Caller } from '../access/accounts/caller.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { Files } from '../ipfs/files.ts'
import type { CommandOption, OptionValues } from './command-options.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'

/** The context of one run of a command. */
export type CommandCall = {
  readonly caller: Caller
  readonly files: Files
  /** Is the client still there? Asked right before a commit: if not, commit nothing. */
  connected(): boolean
  readonly signal: AbortSignal
}

/**
 * A value of an answer as text, for `encoding=text`: its line feeds included, '' for one that is
 * not shown. A reply without it stays JSON. Throws `command_failed` for a value that is an error.
 */
type AsText = (value: unknown) => string

/** The reply of a command; kubo-reply.ts renders it. */
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
   * `length`: bytes to come, when known. The first chunk is verified before Cairn sends headers; a chunk is
   * valid until the next one is requested.
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

/** What a command takes. Cairn ignores options that are not declared. */
export type CommandDeclaration = {
  /** Command path as on the wire: `pin/add`. */
  readonly name: string
  readonly class: CommandClass
  /** `name`: Kubo's, quoted if the argument is missing. A request may repeat it. Null: Cairn ignores `arg` parameters. */
  readonly argument: { readonly name: string; readonly required: boolean } | null
  /** The name of a second argument, always required; then the request sends each once. */
  readonly second?: string
  /** `lines`: the first file part may contain arguments as lines. `entries`: every part is a file or folder. */
  readonly body: 'none' | 'lines' | 'entries'
  readonly options: readonly CommandOption[]
}

/** What a command takes and how it runs. */
export type KuboCommand<Input> = CommandDeclaration & {
  /**
   * Takes parsed arguments and options. `profile`: the import options that hold where the caller gives none. Throws
   * `bad_argument`, `unsupported_option`, `command_failed`. Pure.
   */
  parse(request: CommandRequest, profile: ImportProfile): Input
  run(input: Input, call: CommandCall): Promise<CommandReply>
}

/** A command line off the wire: typed by the declaration of the command, body not yet read. */
export type CommandRequest = {
  readonly args: readonly string[]
  readonly options: OptionValues
  /** The multipart entries, streaming, or null when the command takes none. */
  readonly entries: AsyncIterable<UploadEntry> | null
  /** The Host header; '' when none was sent. */
  readonly host: string
}
