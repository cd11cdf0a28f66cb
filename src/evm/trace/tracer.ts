// Interface of tracers: each receives transactions one after the other and returns a JSON value for each.
// Tested by src/devchain/engine/trace.test.ts
import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { EVM } from '@ethereumjs/evm'
import type { RunTxResult } from '@ethereumjs/vm'
import { Fault } from '../../base/fault.ts'
import type { StateVm } from '../vm-over-state.ts'

type Traced = { readonly transaction: TypedTransaction; readonly block: Block }

export type Tracer = {
  /** An earlier transaction of the same block that is not traced. */
  pass?(result: RunTxResult): void
  /** Called before the transaction changes the state. */
  begin(traced: Traced): Promise<void> | void
  /** Called after it, on the resulting state. Returns a JSON value or a promise of one. */
  end(result: RunTxResult, traced: Traced): unknown
}

/** Events of frames; `enter` and `leave` are called in pairs. */
export function eventsOf({ vm }: StateVm): EVM['events'] {
  return (vm.evm as EVM).events
}

/** Maximum JSON text of one response, in characters, over all its transactions. */
const responseBytesMax = 32 * 1024 * 1024
/** Maximum number of instructions in one response. */
const stepsMax = 500_000

/** Counts the size of the trace. Throws `response_too_large` over the limit. */
export class TraceBudget {
  #bytes = 0
  #steps = 0

  add(bytes: number, steps = 0): void {
    this.#bytes += bytes
    this.#steps += steps
    if (this.#bytes > responseBytesMax || this.#steps > stepsMax) {
      throw new Fault('response_too_large')
    }
  }
}
