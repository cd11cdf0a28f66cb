// Starts the chain thread. Imports none of its modules, so that a caller that will need the thread can start it before anything
// else: the thread loads three hundred modules, most of them the EVM's.
// Tested by src/devchain/embedded-network.test.ts
import { Worker } from 'node:worker_threads'

/** The thread, for the caller to end or to pass to `openEmbeddedNetwork`. */
export type ChainWorker = Worker

/** Loads the EVM and waits for the chain to open. The caller that starts an unused thread must end it. */
export function startChainWorker(): ChainWorker {
  // The build does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./chain-worker${extension}`, import.meta.url), {
    execArgv: [],
  })
  worker.unref()
  return worker
}
