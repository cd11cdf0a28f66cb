// Room for the bytes of unfinished uploads under `store.bytesMax` and on the device.
// Tested by test/files/tus-bounds.test.ts
import { Fault } from '../../base/fault.ts'

export type UploadSpace = {
  /** Throws `no_space` when so many more bytes do not fit. */
  mustFit(bytes: number): void
}

/** `bytesMax`: null, as much as the device takes. `usedBytes`: of it. `deviceSpace`: bytes that are left there. */
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
