// Room for the bytes of unfinished uploads under `store.bytesMax` and on the device.
// Tested by test/tus-bounds.test.ts
import { Fault } from '../../base/fault.ts'

export type UploadRoom = {
  /** Throws `no_space` when so many more bytes do not fit. */
  mustFit(bytes: number): void
}

/** `bytesMax`: null, as much as the device takes. `usedBytes`: of it. `deviceRoom`: bytes that are left there. */
export function createUploadRoom(parts: {
  readonly bytesMax: number | null
  readonly usedBytes: () => number
  readonly deviceRoom: () => number
}): UploadRoom {
  const { bytesMax, usedBytes, deviceRoom } = parts
  return {
    mustFit(bytes) {
      const isOver = bytesMax !== null && usedBytes() + bytes > bytesMax
      if (isOver || bytes > deviceRoom()) throw new Fault('no_space')
    },
  }
}
