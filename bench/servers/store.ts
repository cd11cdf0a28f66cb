// Starts a process with only a store, and sends it orders.
import { fork } from 'node:child_process'
import { once } from 'node:events'

export type StoreOrder =
  | { readonly kind: 'import'; readonly number: number; readonly bytes: number }
  | { readonly kind: 'put'; readonly count: number; readonly inFlight: number }
  | { readonly kind: 'read'; readonly count: number }
  | { readonly kind: 'fill'; readonly count: number }

/** Milliseconds. `base`: hashing alone, measured in the same run; `textBase`: with digests as text. */
export type StoreResult = { readonly ms: number; readonly base: number; readonly textBase?: number }

export type StoreProcess = {
  readonly pid: number
  /** From the first line of code to the first read of the store. */
  readonly openMs: number
  run(order: StoreOrder): Promise<StoreResult>
  kill(): Promise<void>
}

export async function startStore(dataDir: string): Promise<StoreProcess> {
  const child = fork(new URL('./store-server.ts', import.meta.url), [dataDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const answer = async (): Promise<StoreResult> => {
    const exited = ended.then(() => {
      throw new Error('the store ended')
    })
    const [result] = (await Promise.race([once(child, 'message'), exited])) as [StoreResult]
    return result
  }
  const { ms } = await answer()
  return {
    pid: child.pid ?? 0,
    openMs: ms,
    run(order) {
      const result = answer()
      child.send(order)
      return result
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
