// Verifies a large block in this thread or in parallel in another.
import { equalBytes } from '../../base/hex.ts'
import { Fault } from '../../base/fault.ts'
import type { HashWorker } from './hash-worker.ts'
import { sha256Code } from '../ipld/multihash.ts'

/**
 * Starts to verify `data`: a block, or with `leaf` the file bytes of a dag-pb leaf. Null: not supported, because it is small or
 * its hash is not a whole sha2-256. Call the returned function once: it finishes the check, in this thread if it has not
 * started, and throws or rejects with `unverified`. Do not change `data` before that.
 */
export type ParallelVerify = (
  multihash: Uint8Array,
  data: Uint8Array,
  leaf: boolean,
) => (() => Promise<void> | null) | null

const digestAt = 2

export function createParallelVerify(hashWorker: HashWorker): ParallelVerify {
  return (multihash, data, leaf) => {
    const isWhole = multihash.length === 34 && multihash[0] === sha256Code && multihash[1] === 32
    if (!isWhole) return null
    const hashing = hashWorker(data, leaf)
    if (hashing === null) return null
    const expected = multihash.slice(digestAt)
    return () => {
      const digest = hashing.finish()
      if (digest instanceof Promise) return digest.then((named) => check(named, expected))
      check(digest, expected)
      return null
    }
  }
}

function check(digest: Uint8Array, expected: Uint8Array): void {
  if (!equalBytes(digest, expected)) {
    throw new Fault('unverified', { detail: 'block bytes do not match their hash' })
  }
}
