// Calls of a fork on blocks of the forked network. The header and the state root are stored before the call begins, because the
// EVM's threads look the block up in the store.
// Tested by test/fork/fork.test.ts
import type { BlockRef } from '../../chain/head.ts'
import type { CallExecutor } from '../call-thread.ts'
import type { ForkLoader } from './fork-loader.ts'
import type { ForkPoint } from './fork-point.ts'

const anyAddress = new Uint8Array(20)

/** `calls` for blocks that may lie below the fork. They also throw the errors of the loader. */
export function callsBeforeFork(
  calls: CallExecutor,
  { point, loader }: { readonly point: ForkPoint; readonly loader: ForkLoader },
): CallExecutor {
  async function prepare({ hash, number }: BlockRef): Promise<void> {
    if (number >= point.number) return
    await loader.load({ kind: 'account', block: hash, address: anyAddress })
  }

  function prepared<
    Options extends { readonly block: BlockRef },
    Rest extends readonly unknown[],
    T,
  >(
    run: (options: Options, ...rest: Rest) => Promise<T>,
  ): (options: Options, ...rest: Rest) => Promise<T> {
    return async (options, ...rest) => {
      await prepare(options.block)
      return await run(options, ...rest)
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
