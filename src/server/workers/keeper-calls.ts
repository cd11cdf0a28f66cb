// Calls of a worker to the keeper over their link, and the encoding of errors in replies.
// Tested by src/server/workers/keeper-link.test.ts
import { Fault, type FaultCode } from '../../base/fault.ts'
import { NothingChanged } from '../../db/writer.ts'

/** The calling worker, while its link is open. */
export type Caller = {
  /** Sends a notice, without guarantee of delivery. */
  notify(notice: unknown): void
  onClose(run: () => void): void
}

/** Each takes one argument and returns one value, both serializable by node:v8. */
export type Calls = { readonly [name: string]: (argument: never, caller: Caller) => unknown }

/** Message from the keeper to a worker, between replies. */
export type Notice = { readonly notice: unknown }

export type CallRequest = {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** Result of a call. */
export type CallReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }

type SentError =
  | {
      readonly code: FaultCode
      readonly detail: string
      readonly data: Fault['data']
      readonly cause: string | null
    }
  | { readonly nothingChanged: number }

export function sendError(thrown: unknown): SentError {
  if (thrown instanceof NothingChanged) return { nothingChanged: thrown.index }
  const { code, message, data, cause } = Fault.from(thrown)
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : null
  return { code, detail: message, data, cause: reason }
}

export function receiveError(error: SentError): Error {
  if ('nothingChanged' in error) return new NothingChanged(error.nothingChanged)
  const { code, detail, data, cause } = error
  return new Fault(code, {
    detail,
    ...(data === undefined ? {} : { data }),
    ...(cause === null ? {} : { cause: new Error(cause) }),
  })
}
