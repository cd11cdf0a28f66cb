// What crosses between the request thread and a call thread. Everything is structured-clonable.
import type { Genesis } from './genesis.ts'
import type { PackedFailure } from './packed-failure.ts'
import type { MoveLimits, TurnLimits } from './vm/turn.ts'
import type { Calculation, CalculationResult } from './vm/calls.ts'

export type CallThreadData = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly callGasMax: bigint
  readonly limits: TurnLimits
  /** Null: the thread for long tasks. */
  readonly moves: MoveLimits | null
}

/** To the thread. `cancel` ends a task at its next stop. */
export type CallOrder =
  | { readonly kind: 'run'; readonly id: number; readonly task: Calculation }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' }

/** From the thread. `turn`: this task goes on now, the one before has stopped. `long`: it must begin again elsewhere. */
export type CallNews =
  | { readonly kind: 'turn'; readonly id: number }
  | { readonly kind: 'long'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: CalculationResult }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: PackedFailure }
