// A result that changes state when it is returned: if it does not reach the client, the change must be undone.
// Tested by src/rpc/filters/filter-changes.test.ts
import type { RpcOutcome } from './rpc-pipeline.ts'

/** `rollback`: `value` did not reach the client, undo the call. May be called late and more than once. */
export class Revocable<Value = unknown> {
  readonly value: Value
  readonly rollback: () => void
  constructor(value: Value, rollback: () => void) {
    this.value = value
    this.rollback = rollback
  }
}

/** Converts an operation's result to an outcome. */
export function toOutcome(result: unknown): Extract<RpcOutcome, { result: unknown }> {
  return result instanceof Revocable
    ? { result: result.value, rollback: result.rollback }
    : { result }
}

/** Call for outcomes that did not reach the client. */
export function rollbackAll(outcomes: readonly RpcOutcome[]): void {
  for (const outcome of outcomes) if ('rollback' in outcome) outcome.rollback?.()
}
