// Messages between the page and the worker that re-executes calls.
// Tested by test/browser/call-proof.test.ts
import type { Check } from './check-answer.ts'

/** Methods whose bundles are verified by running the EVM. */
const callMethods: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

export function isCallMethod(method: string): boolean {
  return callMethods.has(method)
}

export type CallJob = {
  /** As the server sent it. */
  readonly bundle: unknown
  /** The block hash that the person trusts, hex. */
  readonly trusted: string
  /** The result in the reply. */
  readonly replied: unknown
  /** Chain ID of the selected network, decimal. Selects the fork rules. */
  readonly chainId: string
  /** Text of the network's genesis file, which defines the fork rules; null: those of the table of known networks. */
  readonly genesis: string | null
}

/** A value that the call has read, hex. `slot`: a storage slot of the account. */
export type ReadValue = { readonly address: string; readonly slot?: string }

export type CallOutcome =
  | {
      readonly check: Check
      /** `mainnet, fork osaka` */
      readonly rules: string
      readonly reads: readonly ReadValue[]
    }
  /** The fork rules are unknown, so the call did not run. */
  | { readonly needsGenesis: string }

export type WorkerMessage =
  /** All code is loaded. */
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly outcome: CallOutcome }
  | { readonly kind: 'failed'; readonly why: string }
