// State of the device after write errors: after a failed sync, no data since the last good one is safe, and a second
// sync may succeed without writing any data. So writes to segments stop permanently; reads continue.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'

export type WriteFailure = {
  readonly isBroken: boolean
  /** Throws `no_space` once a sync has failed. */
  check(): void
  /** A sync failed. */
  note(cause: unknown): void
}

/** `onBreak`: called with the first failure. */
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

/** Fault for a failed write: a full device is `no_space`, any other error `internal`. */
export function writeFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault(isFull(error) ? 'no_space' : 'internal', { cause: error })
}

/** No byte was written: the file could not be opened for it, as with too many open files. */
export function wasNotBegun(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}

/** The device is full, and no other error occurred. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}
