// Whether to ask the disk for a node before upstreams are asked. Of a network whose state moves on, nearly all that is
// not in memory is not on disk either, and each look takes as long as half of the verification. After so many in vain only
// one in sixteen is made, until one finds something: what is passed over by mistake costs a call, not an answer.
// Tested by src/content/obtain.test.ts

const vainMin = 32
const passedMax = 15

export type DiskMissTracker = {
  /** The next look may be left out. */
  readonly shouldSkip: boolean
  /** The disk had it. */
  found(): void
  /** It had not, or was not asked because looks are in vain. */
  missed(): void
}

export function createDiskMissTracker(): DiskMissTracker {
  let vain = 0
  let passed = 0
  const shouldSkip = (): boolean => vain >= vainMin && passed < passedMax
  return {
    get shouldSkip() {
      return shouldSkip()
    },
    found() {
      vain = 0
      passed = 0
    },
    missed() {
      if (shouldSkip()) passed += 1
      else {
        vain += 1
        passed = 0
      }
    },
  }
}
