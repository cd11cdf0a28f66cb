// Which code the thread of proved calls has, so that it crosses once, and the code that upstreams state before the hash of
// the account is proved.
// Tested by test/calls/proved-calls.test.ts
import { fromHex, toHex, toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Relay } from '../chain/relay.ts'
import type { CodeSource } from './call-reads.ts'

/** Less than the cache of the thread holds. */
const accountsMax = 4_096
/** EIP-170 allows 24,576 bytes; other chains more. */
const codeHexMax = 2 * 256 * 1024

export type CodeMemory = {
  at(block: BlockRef): CodeSource
}

export function createCodeMemory(relay: Relay): CodeMemory {
  const held = createLruCache<Uint8Array>({ sizeMax: accountsMax, sizeOf: () => 1 })
  return {
    at: (block) => ({
      isHeld: (address) => held.find(toLatin1(address)) !== null,
      note: (address, codeHash) => held.add(toLatin1(address), codeHash),
      async ask(address, signal) {
        const params = [toHex(address)]
        const pin = { at: 1, form: 'object', block } as const
        try {
          const asked = { method: 'eth_getCode', params, pin, class: 'read' } as const
          const { result } = await relay.call(asked, signal)
          return typeof result === 'string' && result.length <= codeHexMax ? fromHex(result) : null
        } catch {
          return null
        }
      },
    }),
  }
}

/** For calls that are recorded: everything is read as any state. */
export const noCodes: CodeSource = {
  isHeld: () => false,
  note: () => {},
  ask: () => Promise.resolve(null),
}
