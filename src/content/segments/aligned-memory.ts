// Memory at addresses that reads and writes past the cache of the system take, shared with the thread that hashes
// beside. The system gives it as it is touched.
// Tested by src/content/segments/segment-files.test.ts

const pageBytes = 65_536

/** Not among the types of Node. Its memory starts at a page of the system. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number; maximum: number; shared: boolean }) => {
        readonly buffer: SharedArrayBuffer
      }
    }
  }
).WebAssembly

/** `count` arrays of `bytes`, a multiple of 64 KiB, side by side. */
export function alignedMemory(count: number, bytes: number): Uint8Array[] {
  const pages = (count * bytes) / pageBytes
  const { buffer } = new Memory({ initial: pages, maximum: pages, shared: true })
  return Array.from({ length: count }, (_, index) => new Uint8Array(buffer, index * bytes, bytes))
}
