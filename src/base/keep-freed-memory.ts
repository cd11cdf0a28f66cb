// How much freed memory the process keeps for its next use. What small blocks and replies are read into is freed tens of
// MiB at a time, when garbage is collected; given back to the system, each page of 4 KiB costs some 2 us to get again in a
// virtual machine, which is most of what reading it from a file costs.

/** The largest piece that glibc heeds here, and what it adds to each. */
const heededBytesMax = 32 * 1024 * 1024
const addedBytesMax = 64 * 1024

/**
 * From now on up to 64 MiB of freed memory at the end of malloc's heap stay with the process, and pieces below 32 MiB come
 * from that heap. glibc sets both by the largest piece that it ever gave back whole (mallopt(3), M_MMAP_THRESHOLD), and
 * says so to nobody but C. This piece is never touched, so it takes no memory. Another malloc goes its own way.
 */
export function keepFreedMemory(): void {
  new ArrayBuffer(heededBytesMax - addedBytesMax).transfer(0)
}
