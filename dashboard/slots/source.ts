// Parser for the input of the slot explorer: a storage layout or an ABI.
import { findAbi } from '../../src/codec/ethereum/getter.ts'
import {
  parseStorageLayout,
  type StorageLayout,
  StorageLayoutError,
} from '../../src/codec/ethereum/storage-layout.ts'

export type Source =
  | { readonly kind: 'layout'; readonly layout: StorageLayout }
  | { readonly kind: 'abi'; readonly abi: NonNullable<ReturnType<typeof findAbi>> }

const charactersMax = 20_000_000

/** Throws StorageLayoutError with the expected form. */
export function readSource(text: string): Source {
  if (text.length > charactersMax) throw new StorageLayoutError('longer than 20 MB')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new StorageLayoutError('not valid JSON', { cause })
  }
  try {
    return { kind: 'layout', layout: parseStorageLayout(json) }
  } catch (thrown) {
    const abi = findAbi(json)
    if (abi === null || abi.length === 0) throw thrown
    return { kind: 'abi', abi }
  }
}
