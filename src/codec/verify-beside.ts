// The proof of a large block while this thread does something else.
import { equalBytes } from '../base/hex.ts'
import { Fault } from '../base/fault.ts'
import type { HashBeside } from './hash-beside.ts'
import { sha256Code } from './multihash.ts'

/**
 * `data`: a block, or with `leaf` the file bytes of a dag-pb leaf. Null: no proof for here, which is small or by another
 * function than whole sha2-256. Rejects with `unverified`. `data` may be used again as soon as it returns.
 */
export type VerifyBeside = (
  multihash: Uint8Array,
  data: Uint8Array,
  leaf: boolean,
) => Promise<void> | null

const digestAt = 2

export function createVerifyBeside(hashBeside: HashBeside): VerifyBeside {
  return (multihash, data, leaf) => {
    const isWhole = multihash.length === 34 && multihash[0] === sha256Code && multihash[1] === 32
    if (!isWhole) return null
    const digest = hashBeside(data, leaf)
    return digest === null ? null : check(digest, multihash.slice(digestAt))
  }
}

async function check(digest: Promise<Uint8Array>, expected: Uint8Array): Promise<void> {
  if (!equalBytes(await digest, expected)) {
    throw new Fault('unverified', { detail: 'block bytes do not match their hash' })
  }
}
