// What a worker process asks of the keeper over their link, and how errors travel back.
// Tested by src/server/workers/keeper-link.test.ts
import { Fault, type FaultCode } from '../../base/fault.ts'
import { NothingChanged } from '../../db/writer.ts'

/** The worker that called, as long as its link is open. */
export type Caller = {
  /** Sends a notice, which may be lost. */
  notify(notice: unknown): void
  onClose(run: () => void): void
}

/** Each takes one argument and returns one value, both of a form that node:v8 serializes. */
export type Calls = { readonly [name: string]: (argument: never, caller: Caller) => unknown }

/** From the keeper to a worker, between its replies. */
export type Notice = { readonly notice: unknown }

export type CallRequest = {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** What came of a call. */
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
