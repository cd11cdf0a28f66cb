// Counts the blocks of a chain file by their length prefixes alone, to report the progress of an import.
import { open } from 'node:fs/promises'

/** Null if the file cannot be read or is cut off; the import reports why. Source: Yellow Paper, appendix B. */
export async function countBlocks(path: string): Promise<number | null> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    const prefix = new Uint8Array(9)
    let count = 0
    let at = 0
    while (at < size) {
      await file.read(prefix, 0, prefix.length, at)
      const length = listLength(prefix)
      if (length === null) return null
      at += length
      count += 1
    }
    return at === size ? count : null
  } catch {
    return null
  }
}

/** Prefix and payload of an RLP list, bytes; null: not a list. */
function listLength(prefix: Uint8Array): number | null {
  const first = prefix[0] ?? 0
  if (first < 0xc0) return null
  if (first <= 0xf7) return 1 + first - 0xc0
  const digits = first - 0xf7
  const payload = prefix.subarray(1, 1 + digits).reduce((sum, byte) => sum * 256 + byte, 0)
  return 1 + digits + payload
}
