// A result that is given once: when it does not reach the caller after all, it has to be taken back.
// Tested by src/rpc/filters/filter-changes.test.ts
import type { RpcOutcome } from './rpc-pipeline.ts'

/** `rollback`: nobody knows `value`, so it is to be as if the call had not been. May come late, and more than once. */
export class Revocable<Value = unknown> {
  readonly value: Value
  readonly rollback: () => void
  constructor(value: Value, rollback: () => void) {
    this.value = value
    this.rollback = rollback
  }
}

/** How a caller's place in what it is told moves on, and back when it was not told after all. */
export class Cursor<At> {
  #at: At
  #moves = 0
  #backTo = Infinity
  constructor(at: At) {
    this.#at = at
  }

  get at(): At {
    return this.#at
  }

  /**
   * Returns how to undo this move and all later ones: what was told since then is told again, which is better
   * than never.
   */
  move(to: At): () => void {
    const before = this.#at
    const move = this.#moves
    this.#moves += 1
    this.#backTo = Infinity
    this.#at = to
    return () => {
      if (move >= this.#backTo) return
      this.#backTo = move
      this.#at = before
    }
  }
}

/** The outcome of an operation's result. */
export function toOutcome(result: unknown): Extract<RpcOutcome, { result: unknown }> {
  return result instanceof Revocable
    ? { result: result.value, rollback: result.rollback }
    : { result }
}

/** For outcomes that reached nobody. */
export function rollbackAll(outcomes: readonly RpcOutcome[]): void {
  for (const outcome of outcomes) if ('rollback' in outcome) outcome.rollback?.()
}
