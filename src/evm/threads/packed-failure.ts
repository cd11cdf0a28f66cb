// Encodes an error for a message between threads: a Fault keeps its code, text and data; any other error is a bug.
// Tested by src/devchain/embedded-network.test.ts
import { Fault } from '../../base/fault.ts'
import type { FaultCode } from '../../base/fault.ts'

export type PackedFailure =
  | {
      readonly kind: 'fault'
      readonly code: FaultCode
      readonly detail: string | null
      readonly data: Fault['data']
    }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }

export function packFailure(error: unknown): PackedFailure {
  if (error instanceof Fault) {
    return {
      kind: 'fault',
      code: error.code,
      detail: error.detailed ? error.message : null,
      data: error.data,
    }
  }
  const { message, stack = '', cause } = error instanceof Error ? error : new Error(String(error))
  const because = cause instanceof Error ? `: ${cause.message}` : ''
  return { kind: 'bug', message: message + because, stack }
}

export function unpackFailure(failure: PackedFailure): unknown {
  if (failure.kind === 'fault') {
    return new Fault(failure.code, {
      ...(failure.detail === null ? {} : { detail: failure.detail }),
      ...(failure.data === undefined ? {} : { data: failure.data }),
    })
  }
  const error = new Error(failure.message)
  error.stack = failure.stack
  return error
}

/** The abort reason of a signal as a Fault. */
export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason instanceof Fault
    ? signal.reason
    : new Fault('deadline', { cause: signal.reason })
}
