// Releases memory after large requests. V8 collects garbage when its heap grows, so never while the server is idle: without this
// module, a server held hundreds of MiB for hours after one large upload. Cairn checks the size of the heap periodically, and
// runs a collection when the heap has grown much since the last one and has stopped growing.
// Tested by src/base/idle-collections.test.ts
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

const checkMs = 10_000
/** Minimum interval of collections: each stops the thread for about 20 ms. */
const collectIntervalMs = 300_000
/** Minimum growth of the heap since its last collection. */
const grownBytes = 16 * 1024 * 1024
/** A larger change between two checks means that work is in progress; V8 itself collects then. */
const quietBytes = 4 * 1024 * 1024
/**
 * Objects that survived the last collection may be garbage by now, so the baseline decreases with each check: with 200 MiB, a
 * collection runs again after 7 minutes.
 */
const floorDecay = 0.998

export type Heap = {
  /** Bytes of long-lived objects, garbage included. */
  readonly used: () => number
  readonly collect: () => void
}

/** Runs until the returned function is called. Does not keep the process alive, and does not throw. */
export function startIdleCollections(clock: Clock, heap: Heap = v8Heap()): () => void {
  let floor = heap.used()
  let previous = floor
  let collectedAt = Number.NEGATIVE_INFINITY
  return clock.every(checkMs, () => {
    const used = heap.used()
    const growth = used - previous
    previous = used
    // If less is in use, V8 has collected.
    floor = Math.min(floor * floorDecay, used)
    if (used - floor < grownBytes || Math.abs(growth) > quietBytes) return
    if (clock.monotonic() - collectedAt < collectIntervalMs) return
    collectedAt = clock.monotonic()
    heap.collect()
    floor = heap.used()
    previous = floor
  })
}

function v8Heap(): Heap {
  let gc: (() => void) | null = null
  return {
    // Excludes the spaces for short-lived objects.
    used: () =>
      getHeapSpaceStatistics().reduce(
        (sum, { space_name: name, space_used_size: bytes }) =>
          name.startsWith('new_') ? sum : sum + bytes,
        0,
      ),
    collect() {
      gc ??= exposedCollection()
      gc()
    },
  }
}

/** The flag is reset immediately, because the compile cache of code depends on the flags. */
function exposedCollection(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as () => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
