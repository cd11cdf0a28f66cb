// Calls of a fork on blocks of the forked network: header and root of the state are stored before the call begins, because the
// EVM's threads look up the block in the store.
// Tested by test/fork/fork.test.ts
import type { BlockRef } from '../../chain/head.ts'
import type { CallExecutor } from '../call-thread.ts'
import type { ForkLoader } from './fork-loader.ts'
import type { ForkPoint } from './fork-point.ts'

const anyAddress = new Uint8Array(20)

/** `calls`, whose blocks may be below the fork. They throw in addition what the loader throws. */
export function callsBeforeFork(
  calls: CallExecutor,
  { point, loader }: { readonly point: ForkPoint; readonly loader: ForkLoader },
): CallExecutor {
  async function prepare({ hash, number }: BlockRef): Promise<void> {
    if (number >= point.number) return
    await loader.load({ kind: 'account', block: hash, address: anyAddress })
  }

  function prepared<Asked extends { readonly block: BlockRef }, Rest extends readonly unknown[], T>(
    run: (asked: Asked, ...rest: Rest) => Promise<T>,
  ): (asked: Asked, ...rest: Rest) => Promise<T> {
    return async (asked, ...rest) => {
      await prepare(asked.block)
      return await run(asked, ...rest)
    }
  }

  return {
    ...calls,
    call: prepared(calls.call),
    estimateGas: prepared(calls.estimateGas),
    createAccessList: prepared(calls.createAccessList),
    simulate: prepared(calls.simulate),
    traceCall: prepared(calls.traceCall),
  }
}
