// Tracks which contract code the proved-call thread already has, so that each code is sent to it once. Also fetches code from
// upstreams in parallel with the proof of its hash.
// Tested by test/calls/proved-calls.test.ts
import { fromHex, toHex, toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Relay } from '../chain/relay.ts'
import type { CodeSource } from './call-reads.ts'

/** Fewer than the thread's cache can store. */
const accountsMax = 4_096
/** EIP-170 allows 24,576 bytes; other chains more. */
const codeHexMax = 2 * 256 * 1024

export type CodeMemory = {
  at(block: BlockRef): CodeSource
}

export function createCodeMemory(relay: Relay): CodeMemory {
  const codeHashes = createLruCache<Uint8Array>({ sizeMax: accountsMax, sizeOf: () => 1 })
  return {
    at: (block) => ({
      hasCode: (address) => codeHashes.find(toLatin1(address)) !== null,
      note: (address, codeHash) => codeHashes.add(toLatin1(address), codeHash),
      async fetch(address, signal) {
        const params = [toHex(address)]
        const pin = { at: 1, form: 'object', block } as const
        try {
          const request = { method: 'eth_getCode', params, pin, class: 'read' } as const
          const { result } = await relay.call(request, signal)
          return typeof result === 'string' && result.length <= codeHexMax ? fromHex(result) : null
        } catch {
          return null
        }
      },
    }),
  }
}

/** For recorded calls: code is read and proved like any other state. */
export const noCodes: CodeSource = {
  hasCode: () => false,
  note: () => {},
  fetch: () => Promise.resolve(null),
}
