// What is known of the device: after a failed sync nothing written since the last good one is sure, and a second
// sync may succeed without having written anything. So writing to segments ends for good; reads go on.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'

export type WriteFailure = {
  readonly isBroken: boolean
  /** Throws `no_space` once a sync has failed. */
  check(): void
  /** A sync failed. */
  note(cause: unknown): void
}

/** `onBreak`: told of the first failure. */
export function createWriteFailure(onBreak: (cause: unknown) => void): WriteFailure {
  let broken: { readonly cause: unknown } | null = null
  return {
    get isBroken() {
      return broken !== null
    },
    check() {
      if (broken !== null) throw new Fault('no_space', { cause: broken.cause })
    },
    note(cause) {
      if (broken !== null) return
      broken = { cause }
      onBreak(cause)
    },
  }
}

/** What a failed write means to who waits for it: no room is `no_space`, anything else a fault of the machine. */
export function writeFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault(isFull(error) ? 'no_space' : 'internal', { cause: error })
}

/** Nothing of it was written: the file could not be opened for it, as when too many are open. */
export function wasNotBegun(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}

/** There is no room, and nothing else is wrong. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}
