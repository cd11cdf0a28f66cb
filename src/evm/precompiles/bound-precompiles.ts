// Limits the run time of precompiled contracts: their cost is estimated before they run.
import { EVMError } from '@ethereumjs/evm'
import { Fault } from '../../base/fault.ts'
import type { VM } from '@ethereumjs/vm'
import { precompileCost } from './precompile-cost.ts'

/** Time limit of a step that cannot be interrupted. */
export const stepMsMax = 250

/**
 * Calls `beforeRun` with the estimated milliseconds of each run; it throws to prevent the run. Call after the fork is set, because
 * a change of fork discards the wrappers.
 */
export function boundPrecompiles(
  vm: VM,
  beforeRun: (ms: number, what: string) => Promise<void> | null,
): void {
  wrap(vm, async (ms, what) => {
    const pause = beforeRun(ms, what)
    if (pause !== null) await pause
    return true
  })
}

/**
 * Prevents transactions with a step of more than `stepMsMax` (`runTx` rejects with `execution_failed`). Such a step fails as if
 * out of gas, and the whole transaction is reverted after the run. The returned function removes the limit; call again for each
 * fork.
 */
export function refuseLongSteps(vm: VM): () => void {
  let refusal: unknown = null
  const unwrap = wrap(vm, (ms, what) => {
    try {
      checkStep(ms, what)
      return true
    } catch (fault) {
      refusal ??= fault
      return false
    }
  })
  const clearRefusal = (): void => {
    refusal = null
  }
  const throwRefusal = (): void => {
    if (refusal !== null) throw refusal
  }
  vm.events.on('beforeTx', clearRefusal)
  vm.events.on('afterTx', throwRefusal)
  return () => {
    unwrap()
    vm.events.off('beforeTx', clearRefusal)
    vm.events.off('afterTx', throwRefusal)
  }
}

/** Throws `execution_failed` for a step of more than `msMax`. */
export function checkStep(ms: number, what: string, msMax = stepMsMax): void {
  if (ms <= msMax) return
  throw new Fault('execution_failed', {
    detail: `execution aborted (${what} would take ${Math.ceil(ms)} ms, at most ${msMax} ms)`,
  })
}

/** `mayRun`: true if a run of that many milliseconds may begin. */
function wrap(
  { evm: { precompiles } }: VM,
  mayRun: (ms: number, what: string) => boolean | Promise<boolean>,
): () => void {
  const originals = [...precompiles]
  for (const [address, run] of originals) {
    const what = `precompiled contract 0x${address.replace(/^0+/, '').padStart(2, '0')}`
    precompiles.set(address, async (input) => {
      const { ms, gas } = precompileCost(address, input.data, input.common)
      // With less gas the contract fails before it does any work.
      if (input.gasLimit >= gas && !(await mayRun(ms, what))) {
        return {
          executionGasUsed: input.gasLimit,
          exceptionError: new EVMError(EVMError.errorMessages.OUT_OF_GAS),
          returnValue: new Uint8Array(0),
        }
      }
      return run(input)
    })
  }
  return () => {
    for (const [address, run] of originals) precompiles.set(address, run)
  }
}
