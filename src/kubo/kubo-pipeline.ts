// The IPFS API as its HTTP endpoints use it: the rules behind a command.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Credential } from '../pipeline/credential.ts'
import type { FilesDownload, FilesUpload } from '../pipeline/transfer.ts'
import type { RequestRecorder } from '../pipeline/request-recorder.ts'
import type { KuboCommand, CommandReply, CommandRequest } from './kubo-command.ts'

export type KuboRequest = {
  readonly caller: Caller
  readonly operation: KuboCommand<unknown>
  readonly request: CommandRequest
  /** The request's body, to be measured; absent: there is none. */
  readonly upload?: FilesUpload
  /** Is the client still there? Asked right before a commit. */
  readonly connected: () => boolean
  /** As of an RpcRequest. */
  readonly inspection?: RequestRecorder | null
  readonly signal: AbortSignal
}

export interface KuboPipeline {
  /**
   * Authenticates a request to the IPFS API; requires the billing card. `command`: its path, also of one that is not offered; `method`: what a
   * refusal is counted as, unless it is the command.
   */
  authenticateFiles(credential: Credential, command: string, method?: string): Promise<Caller>
  /** A file command refused after entering, before it ran, is counted. `method`: of those that are offered, or `other`. */
  countRefusal(caller: Caller, method: string, fault: Fault): void
  /** Parse, admit, run. The API calls `settle` once, when the response has ended; `download` as a stream goes out. */
  runFiles(visit: KuboRequest): Promise<{
    readonly reply: CommandReply
    readonly download: FilesDownload
    /** `fault` null: it was answered. */
    settle(fault: Fault | null, bytes: { readonly in: number; readonly out: number }): void
  }>
}
