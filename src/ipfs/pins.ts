// Pins of one account: added when every block they need is here, removed by condition in SQL so that no two
// calls can interleave. Texts: contract-files 8.1, 8.2.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../base/clock.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Store } from '../content/store.ts'
import type { Database } from '../db/sqlite.ts'
import { NothingChanged } from '../db/writer.ts'
import type { OpenBlocks, ReadBlock } from './blocks.ts'
import type { Files, Pin } from './files.ts'
import { findPinMode, listPins, pinStatement, unpinStatement } from './pin-rows.ts'
import { keepAll } from './keep-all.ts'
import { walkBlocks, type WalkedBlock } from './walk.ts'

export type Pins = Pick<Files, 'pin' | 'unpin' | 'pins' | 'indirect'>

export type PinSettings = {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly openBlocks: OpenBlocks
  /** Most blocks of one recursive pin, and of one indirect walk. */
  readonly blocksMax: number
}

export function createPins(settings: PinSettings): Pins {
  const { store, database, clock, openBlocks, blocksMax } = settings

  return {
    async pin(accountId, pin, patience, progress, signal) {
      const taken = () => failed(`${pin.cid.toString()} already pinned recursively`)
      try {
        const recursive = pin.mode === 'recursive'
        if (!recursive && findPinMode(database, accountId, pin.cid) === 'recursive') throw taken()
        // The old pin stays as it is until all of the new one is here.
        const read = openBlocks(patience, signal)
        const row = pinStatement(accountId, pin, clock.now())
        await keepAll(store, blocksOf(pin, read, blocksMax), [row], { progress, signal })
      } catch (thrown) {
        throw prefixed(thrown instanceof NothingChanged ? taken() : thrown)
      }
    },

    async unpin(accountId, cid, recursive) {
      try {
        await store.commit([], [unpinStatement(accountId, cid, recursive)])
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged)) throw thrown
        throw findPinMode(database, accountId, cid) === 'recursive'
          ? failed(`${cid.toString()} is pinned recursively`)
          : failed('not pinned or pinned indirectly')
      }
    },

    pins: (accountId) => listPins(database, accountId),

    async *indirect(accountId, signal) {
      const pins = listPins(database, accountId)
      const pinned = new Set(pins.map((pin) => pin.cid.toString()))
      const read = openBlocks({ offline: true, timeoutMs: null }, signal)
      const visited = new Set<string>()
      for (const { cid: root, mode } of pins) {
        if (mode !== 'recursive') continue
        for await (const { cid } of walkBlocks(root, visited, blocksMax, storedOnly(read))) {
          signal.throwIfAborted()
          if (!pinned.has(cid.toString())) yield { cid, root }
        }
      }
    },
  }
}

/** Every block the pin needs, verified. */
async function* blocksOf(
  pin: Pin,
  read: ReadBlock,
  blocksMax: number,
): AsyncGenerator<WalkedBlock> {
  if (pin.mode === 'direct') yield { cid: pin.cid, block: await read(pin.cid) }
  else yield* walkBlocks(pin.cid, new Set(), blocksMax, read)
}

/** A block that was lost must not hide the rest of a list. */
function storedOnly(read: ReadBlock): (cid: CID) => Promise<Uint8Array | null> {
  return async (cid) => {
    try {
      return await read(cid)
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === 'command_failed') return null
      throw thrown
    }
  }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}

/** What the command itself says of a failure starts with its name; refusals of the server do not. */
function prefixed(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const own: readonly FaultCode[] = ['command_failed', 'deadline', 'unverified', 'not_found']
  if (!own.includes(thrown.code)) return thrown
  return new Fault(thrown.code, { detail: `pin: ${thrown.message}`, cause: thrown })
}
