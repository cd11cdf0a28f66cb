// How much freed memory the process keeps for its next use. What small blocks and replies are read into is freed tens of
// MiB at a time, when garbage is collected; given back to the system, each page of 4 KiB costs some 2 us to get again in a
// virtual machine, twice what reading it from a file costs (docs/explanation/decisions/0033-retain-freed-memory.md).

/** The largest piece that glibc heeds here (DEFAULT_MMAP_THRESHOLD_MAX). */
const heededBytesMax = 32 * 1024 * 1024
/** It adds a head to each and rounds up to a page, of which the largest that Linux has is so long. */
const addedBytesMax = 64 * 1024

/**
 * From now on up to 64 MiB of freed memory stay with the process at the end of each heap of malloc's, of which a thread may
 * have its own, and pieces below 32 MiB come from such a heap. glibc sets both by the largest piece that it ever gave back
 * whole (mallopt(3), M_MMAP_THRESHOLD), and takes orders from nobody but C. This piece is never touched, so it takes no
 * memory. Another malloc goes its own way.
 */
export function keepFreedMemory(): void {
  try {
    new ArrayBuffer(heededBytesMax - addedBytesMax).transfer(0)
  } catch {
    // Where there is no room for it (ulimit -v), a server may still start.
  }
}
