// Messages between the writer thread and others: results of writes. Errors keep their code, detail and
// index.
// Tested by src/db/thread-writer.test.ts
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Outcome } from './apply.ts'
import { NothingChanged } from './writer.ts'

/** Of a write that failed. */
type PackedError =
  | {
      readonly kind: 'fault'
      readonly code: FaultCode
      readonly detail: string | null
      readonly data: Fault['data']
      readonly because: string
    }
  | { readonly kind: 'nothing-changed'; readonly index: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }

/**
 * Of many writes. `done`: for each successful one its number, its number of statements, and their changes.
 */
export type PackedOutcomes = {
  readonly done: Float64Array<ArrayBuffer>
  readonly failed: readonly { readonly id: number; readonly error: PackedError }[]
}

/** `done.buffer` may be transferred. */
export function packOutcomes(ids: readonly number[], outcomes: readonly Outcome[]): PackedOutcomes {
  const done: number[] = []
  const failed: { id: number; error: PackedError }[] = []
  for (const [index, id] of ids.entries()) {
    const outcome = outcomes[index] ?? { ok: false, error: new Error('no outcome') }
    if (outcome.ok) done.push(id, outcome.changes.length, ...outcome.changes)
    else failed.push({ id, error: packError(outcome.error) })
  }
  return { done: Float64Array.from(done), failed }
}

export function unpackOutcomes(
  { done, failed }: PackedOutcomes,
  tell: (id: number, outcome: Outcome) => void,
): void {
  for (let at = 0; at < done.length;) {
    const end = at + 2 + (done[at + 1] ?? 0)
    tell(done[at] ?? 0, { ok: true, changes: [...done.subarray(at + 2, end)] })
    at = end
  }
  for (const { id, error } of failed) tell(id, { ok: false, error: unpackError(error) })
}

function packError(error: unknown): PackedError {
  if (error instanceof NothingChanged) return { kind: 'nothing-changed', index: error.index }
  if (error instanceof Fault) {
    return {
      kind: 'fault',
      code: error.code,
      detail: error.detailed ? error.message : null,
      data: error.data,
      because: error.cause instanceof Error ? error.cause.message : '',
    }
  }
  const bug = error instanceof Error ? error : new Error(String(error))
  return { kind: 'bug', message: bug.message, stack: bug.stack ?? '' }
}

function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'nothing-changed':
      return new NothingChanged(packed.index)
    case 'fault': {
      const { code, detail, data, because } = packed
      return new Fault(code, {
        ...(detail === null ? {} : { detail }),
        ...(data === undefined ? {} : { data }),
        ...(because === '' ? {} : { cause: new Error(because) }),
      })
    }
    case 'bug':
      return Object.assign(new Error(packed.message), { stack: packed.stack })
  }
}
