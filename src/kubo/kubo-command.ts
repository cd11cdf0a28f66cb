// A command of the IPFS API: its declaration with the name, alias, type and default of each option, its parser, and its context
// while it runs; and the pipeline as the HTTP endpoints use it.
// Tested by src/kubo/command-line.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { Files } from '../ipfs/files.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'
import type { Credential } from '../pipeline/authenticate-request.ts'
import type { FilesDownload, FilesUpload } from '../pipeline/transfer.ts'
import type { RequestRecorder } from '../pipeline/request-recorder.ts'

type OptionType = 'bool' | 'int' | 'int64' | 'uint' | 'uint64' | 'string' | 'array'

/** Values by long option name, only those that the request sets. */
export type OptionValues = ReadonlyMap<string, boolean | bigint | string>

export type CommandOption<Value = unknown> = {
  readonly name: string
  readonly alias?: string
  readonly type: OptionType
  /** The value if the request does not set the option. Null: the value depends on other options. */
  readonly default: Value
}

type Details<Default> = { readonly alias?: string; readonly default?: Default }
type IntegerDetails<Default> = Details<Default> & {
  readonly type?: 'int' | 'int64' | 'uint' | 'uint64'
}

/** False by default. */
export function flag(name: string, details?: Details<boolean>): CommandOption<boolean>
export function flag(
  name: string,
  details: Details<null> & { readonly default: null },
): CommandOption<boolean | null>
export function flag(
  name: string,
  details: Details<boolean | null> = {},
): CommandOption<boolean | null> {
  return { name, type: 'bool', default: false, ...details }
}

/** Empty by default. */
export function text(name: string, details: Details<string> = {}): CommandOption<string> {
  return { name, type: 'string', default: '', ...details }
}

/** Texts that a request repeats or joins with commas; the value joins them with commas. Empty by default. */
export function texts(name: string, details: Details<string> = {}): CommandOption<string> {
  return { name, type: 'array', default: '', ...details }
}

/** `int` (32 bits, signed) and 0 by default. */
export function integer(name: string, details?: IntegerDetails<bigint>): CommandOption<bigint>
export function integer(
  name: string,
  details: IntegerDetails<null> & { readonly default: null },
): CommandOption<bigint | null>
export function integer(
  name: string,
  details: IntegerDetails<bigint | null> = {},
): CommandOption<bigint | null> {
  return { name, type: 'int', default: 0n, ...details }
}

/** The value of `option` in a request. The command line has checked the type. */
export function valueOf<Value>(values: OptionValues, option: CommandOption<Value>): Value {
  return (values.get(option.name) as Value | undefined) ?? option.default
}

/** A failure of a command, with Kubo's text. */
export function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}

/** The context of one run of a command. */
export type CommandCall = {
  readonly caller: Caller
  readonly files: Files
  /** Whether the client is still connected. Checked right before a commit: if not, nothing is committed. */
  connected(): boolean
  readonly signal: AbortSignal
}

/**
 * A value of a reply as text, for `encoding=text`, line feeds included; '' omits the value. A reply without this function stays
 * JSON. Throws `command_failed` for a value that is an error.
 */
type AsText = (value: unknown) => string

/** The reply of a command; kubo-reply.ts renders it. */
export type CommandReply =
  | { readonly kind: 'object'; readonly value: unknown; readonly text?: AsText }
  /**
   * An object with a single member `name`, which is an object with very many entries and distinct keys; `{}` if there are no
   * entries.
   */
  | {
      readonly kind: 'keyed'
      readonly name: string
      readonly entries: Iterable<readonly [string, unknown]>
      /** Text of an entry `[name, value]`. */
      readonly text?: AsText
    }
  /**
   * NDJSON. `live`: lines may be sent while the request body still arrives (progress). `endless`: the lines end when the client leaves,
   * which is no error, or when the server stops.
   */
  | {
      readonly kind: 'events'
      readonly lines: AsyncIterable<unknown>
      readonly live: boolean
      readonly endless?: boolean
      readonly text?: AsText
    }
  /**
   * `length`: bytes of the reply, if known. The first chunk is verified before Cairn sends headers; a chunk is
   * valid until the next one is requested.
   */
  | {
      readonly kind: 'bytes'
      readonly chunks: AsyncIterable<Uint8Array>
      readonly length: bigint | null
      /** Content-Type; `text/plain` unless given. */
      readonly type?: string
      /** X-Content-Length of a stream of unknown length (the file inside a tar). */
      readonly contentLength?: bigint
    }

/** The reply of a command without a result: 200 with an empty body. */
export function emptyReply(): CommandReply {
  return { kind: 'events', lines: noLines(), live: false, text: () => '' }
}

async function* noLines(): AsyncGenerator<never> {}

/** The rate limit that a command counts against. */
export type CommandClass = 'read' | 'write'

/** The interface of a command. Cairn ignores options that are not declared. */
export type CommandDeclaration = {
  /** Command path as on the wire: `pin/add`. */
  readonly name: string
  readonly class: CommandClass
  /** It adds content without an upload, so that a key whose account has reached the storage limit of the key cannot use it. */
  readonly stores?: true
  /**
   * `name`: Kubo's name, quoted if the argument is missing. A request may repeat the argument. Null: Cairn ignores `arg`
   * parameters.
   */
  readonly argument: { readonly name: string; readonly required: boolean } | null
  /** The name of a second argument, always required; the request then sends each argument once. */
  readonly second?: string
  /** Arguments are not recorded, because one of them is a secret. */
  readonly hidesArguments?: true
  /** The name of a file argument after the others, with `body: 'entries'`. */
  readonly file?: string
  /** `lines`: the first file part may contain arguments as lines. `entries`: every part is a file or folder. */
  readonly body: 'none' | 'lines' | 'entries'
  readonly options: readonly CommandOption[]
}

/** A command with its parser and implementation. */
export type KuboCommand<Input> = CommandDeclaration & {
  /**
   * Parses arguments and options. `profile`: import options for requests that set none. Throws `bad_argument`,
   * `unsupported_option`, `command_failed`. Pure.
   */
  parse(request: CommandRequest, profile: ImportProfile): Input
  run(input: Input, call: CommandCall): Promise<CommandReply>
}

/** A command line as sent, typed by the command's declaration; the body has not been read. */
export type CommandRequest = {
  readonly args: readonly string[]
  readonly options: OptionValues
  /** The multipart entries as a stream; null if the command takes none. */
  readonly entries: AsyncIterable<UploadEntry> | null
  /** The Host header; '' when none was sent. */
  readonly host: string
}

export type KuboRequest = {
  readonly caller: Caller
  readonly operation: KuboCommand<unknown>
  readonly request: CommandRequest
  /** The request body, for measuring; absent: there is none. */
  readonly upload?: FilesUpload
  /** Whether the client is still connected. Checked right before a commit. */
  readonly connected: () => boolean
  /** As in an RpcRequest. */
  readonly inspection?: RequestRecorder | null
  readonly signal: AbortSignal
}

export interface KuboPipeline {
  /**
   * Authenticates a request to the IPFS API; requires the billing card. `command`: the path, even if Cairn does not offer such a
   * command. `method`: the name under which a refusal is counted (default `command`).
   */
  authenticateFiles(credential: Credential, command: string, method?: string): Promise<Caller>
  /**
   * Counts a command that was refused after authentication, before it ran. `method`: an offered command, or `other`.
   */
  countRefusal(caller: Caller, method: string, fault: Fault): void
  /** Parses, admits and runs. The API calls `settle` once, when the response has ended, and `download` while it sends a stream. */
  runFiles(visit: KuboRequest): Promise<{
    readonly reply: CommandReply
    readonly download: FilesDownload
    /** `fault` null: the request was answered. */
    settle(fault: Fault | null, bytes: { readonly in: number; readonly out: number }): void
  }>
}
