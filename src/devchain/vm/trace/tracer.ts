// Interface of tracers: receives one transaction after the other and returns a JSON value for each.
// Tested by src/devchain/vm/trace.test.ts
import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { EVM } from '@ethereumjs/evm'
import type { RunTxResult } from '@ethereumjs/vm'
import { Fault } from '../../../base/fault.ts'
import type { StateVm } from '../vm-over-state.ts'

type Traced = { readonly transaction: TypedTransaction; readonly block: Block }

export type Tracer = {
  /** A transaction of the same block that ran before and is not traced. */
  pass?(result: RunTxResult): void
  /** Before the transaction touches the state. */
  begin(traced: Traced): Promise<void> | void
  /** After it, the state being what it has left. A JSON value or a promise of one. */
  end(result: RunTxResult, traced: Traced): unknown
}

/** Events of frames; `enter` and `leave` are called in pairs. */
export function eventsOf({ vm }: StateVm): EVM['events'] {
  return (vm.evm as EVM).events
}

/** JSON text that one answer may be long, all its transactions together. */
const answerBytesMax = 32 * 1024 * 1024
/** Instructions that one answer may list. */
const stepsMax = 500_000

/** Counts what is recorded. Throws `response_too_large` when it is too much. */
export class TraceBudget {
  #bytes = 0
  #steps = 0

  add(bytes: number, steps = 0): void {
    this.#bytes += bytes
    this.#steps += steps
    if (this.#bytes > answerBytesMax || this.#steps > stepsMax) {
      throw new Fault('response_too_large')
    }
  }
}
