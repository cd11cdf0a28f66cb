// Verifies the proof of an answer in the browser: on the page itself or, for a call, in a worker with the EVM.
// Tested by test/browser/proof.test.ts, test/browser/call-proof.test.ts
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { isCallMethod, type ReadValue } from './call-job.ts'
import type { Check } from './check-answer.ts'
import { checkCall } from './check-call.ts'

export type ProofJob = {
  readonly bundle: ProofBundle
  /** The block hash that the person trusts, hex. */
  readonly trusted: string
  /** The result in the reply. */
  readonly replied: unknown
  /** Chain ID of the selected network, decimal. */
  readonly chainId: string
  /** Text of its genesis file; null: none selected. */
  readonly genesis: string | null
}

export type ProofOutcome =
  | {
      readonly check: Check
      /** Fork rules of a call, such as `mainnet, fork osaka`; null: the answer is not that of a call. */
      readonly rules: string | null
      /** Values that a call has read. */
      readonly reads: readonly ReadValue[]
      /** Duration of the check in milliseconds. */
      readonly ms: number
    }
  | { readonly needsGenesis: string }

/** Rejects as `checkCall`. `onRunning`: a worker has loaded all code. */
export async function checkProof(
  job: ProofJob,
  { onRunning, signal }: { onRunning(): void; readonly signal: AbortSignal },
): Promise<ProofOutcome> {
  const { bundle, trusted, replied } = job
  if (isCallMethod(bundle.method)) {
    let began = performance.now()
    const running = (): void => {
      began = performance.now()
      onRunning()
    }
    const outcome = await checkCall(job, { onRunning: running, signal })
    return { ...outcome, ms: performance.now() - began }
  }
  const { checkAnswer } = await import('./check-answer.ts')
  const began = performance.now()
  const check = await checkAnswer(bundle, trusted, replied)
  return { check, rules: null, reads: [], ms: performance.now() - began }
}
