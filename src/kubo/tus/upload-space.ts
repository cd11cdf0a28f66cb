// Space for the bytes of unfinished uploads, within `store.bytesMax` and on the device.
// Tested by test/files/tus-bounds.test.ts
import { Fault } from '../../base/fault.ts'

export type UploadSpace = {
  /** Throws `no_space` if that many additional bytes do not fit. */
  mustFit(bytes: number): void
}

/** `bytesMax`: null means limited only by the device. `usedBytes`: used part of it. `deviceSpace`: free bytes of the device. */
export function createUploadSpace(parts: {
  readonly bytesMax: number | null
  readonly usedBytes: () => number
  readonly deviceSpace: () => number
}): UploadSpace {
  const { bytesMax, usedBytes, deviceSpace } = parts
  return {
    mustFit(bytes) {
      const isOver = bytesMax !== null && usedBytes() + bytes > bytesMax
      if (isOver || bytes > deviceSpace()) throw new Fault('no_space')
    },
  }
}
