// FileOps that fail at the nth call of a kind, once or permanently. A failed write has written half of its bytes, as on a full
// disk.
import type { FileOps } from '../../../src/content/file-ops.ts'
import { systemError } from './memory-file-ops.ts'

export type FailingCall = 'open' | 'writev' | 'datasync' | 'syncDirectory' | 'read'

export type FailingFileOps = FileOps & {
  /** Fails the `nth` call of `call` from now on, counted from 1, and with `forGood` all later ones. */
  fail(call: FailingCall, nth: number, code: string, forGood?: boolean): void
  /** Ends all failures. */
  heal(): void
  /** Number of calls of each kind. */
  readonly calls: Readonly<Record<FailingCall, number>>
}

export function createFailingFileOps(ops: FileOps): FailingFileOps {
  const calls = { open: 0, writev: 0, datasync: 0, syncDirectory: 0, read: 0 }
  let plan: { call: FailingCall; at: number; code: string; forGood: boolean } | null = null

  /** The error of this call; null: it succeeds. */
  function due(call: FailingCall): Error | null {
    calls[call] += 1
    if (plan === null || plan.call !== call) return null
    const hit = plan.forGood ? calls[call] >= plan.at : calls[call] === plan.at
    return hit ? systemError(plan.code) : null
  }

  const failing: FailingFileOps = {
    ...ops,
    calls,
    fail(call, nth, code, forGood = false) {
      plan = { call, at: calls[call] + nth, code, forGood }
    },
    heal() {
      plan = null
    },
    async open(path, how) {
      const error = due('open')
      if (error !== null) throw error
      return await ops.open(path, how)
    },
    async writev(file, buffers, at) {
      const error = due('writev')
      if (error === null) return await ops.writev(file, buffers, at)
      const [first] = buffers
      if (first !== undefined) {
        // Whole sectors, as direct writes require.
        const half = Math.floor(first.length / 2 / 4096) * 4096
        if (half > 0) await ops.writev(file, [first.subarray(0, half)], at)
      }
      throw error
    },
    async writeSynced(file, buffers, at) {
      await failing.writev(file, buffers, at)
      await failing.datasync(file)
    },
    async datasync(file) {
      const error = due('datasync')
      if (error !== null) throw error
      await ops.datasync(file)
    },
    async syncDirectory(path) {
      const error = due('syncDirectory')
      if (error !== null) throw error
      await ops.syncDirectory(path)
    },
    async read(file, into, at) {
      const error = due('read')
      if (error !== null) throw error
      return await ops.read(file, into, at)
    },
    readNow(file, into, at) {
      const error = due('read')
      if (error !== null) throw error
      return ops.readNow(file, into, at)
    },
  }
  return failing
}
