// Releases the memory of a large request after it. V8 collects when its heap grows, and so not at all while the server is
// quiet: a server held hundreds of MiB for hours after one large upload. So Cairn reads the size of the heap now and then,
// and collects it when it has grown much since the last collection and has stopped growing.
// Tested by src/base/idle-collections.test.ts
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

const lookMs = 10_000
/** A collection stops the thread for some 20 ms. */
const restMs = 300_000
/** Least growth of the heap since its last collection. */
const grownBytes = 16 * 1024 * 1024
/** A larger change between two looks means that work is in progress, and V8 itself will collect. */
const quietBytes = 4 * 1024 * 1024
/** What a collection left may be garbage by now, so it is trusted less at each look: 200 MiB are looked through again after seven minutes. */
const trustPerLook = 0.998

export type Heap = {
  /** Bytes of long-lived objects, garbage included. */
  readonly used: () => number
  readonly collect: () => void
}

/** Until the returned function is called. Does not keep the process alive, and does not throw. */
export function startIdleCollections(clock: Clock, heap: Heap = v8Heap()): () => void {
  let floor = heap.used()
  let last = floor
  let collected = Number.NEGATIVE_INFINITY
  return clock.every(lookMs, () => {
    const used = heap.used()
    const grown = used - last
    last = used
    // Less than before: V8 has collected.
    floor = Math.min(floor * trustPerLook, used)
    if (used - floor < grownBytes || Math.abs(grown) > quietBytes) return
    if (clock.monotonic() - collected < restMs) return
    collected = clock.monotonic()
    heap.collect()
    floor = heap.used()
    last = floor
  })
}

function v8Heap(): Heap {
  let gc: (() => void) | null = null
  return {
    // Short-lived garbage comes and goes in spaces of its own.
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

/** The flag is reset immediately: code that was compiled under other flags is not taken by the next start. */
function exposedCollection(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as () => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
