// Starts the thread of the chain. Imports nothing of it, so that who knows that it will be needed starts it before anything
// else: it finds and reads three hundred modules, most of them the EVM's.
// Tested by src/devchain/embedded-network.test.ts
import { Worker } from 'node:worker_threads'

/** The thread, to end it or to hand it to `openEmbeddedNetwork`. */
export type ChainWorker = Worker

/** Loads the EVM and waits for the chain to open. The caller that starts an unused thread must end it. */
export function startChainWorker(): ChainWorker {
  // tsc does not rewrite this name: the built program runs .js, a checkout runs .ts.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./chain-worker${extension}`, import.meta.url), {
    execArgv: [],
  })
  worker.unref()
  return worker
}
