// Creates root and closure of pins that an earlier version stored without counting, by one walk over stored blocks for each. No
// sweep runs until all pins are counted.
// Tested by src/ipfs/collection/garbage-collector.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault, hasCode } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { decodeMultihash, identityCode } from '../../codec/ipld/multihash.ts'
import type { Obtain } from '../../content/ref.ts'
import type { BlockStore } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import { unjudged } from '../../db/storage-triggers.ts'
import { NothingChanged } from '../../db/writer.ts'
import { findNextUncountedPin, setRootOfPin, type UncountedPinRow } from '../../tables/pins.ts'
import { insertRoot, findWholeRoot, type StagedTree } from '../../tables/roots.ts'
import { storeAll } from './store-all.ts'
import { rootOf } from './pin-rows.ts'
import { walkBlocks, type WalkedBlock } from '../read/walk.ts'

/** Bytes that are read before yielding to other work. */
const turnBytes = 512 * 1024

export type CountParts = {
  readonly store: BlockStore
  readonly rows: Rows
  readonly obtain: Obtain
  readonly blocksMax: number
  readonly log: Log
}

/** Returns true if every pin is counted. A pin that cannot be walked is logged and stays uncounted. */
export async function countPins(parts: CountParts, signal: AbortSignal): Promise<boolean> {
  const { rows, log } = parts
  let whole = true
  let after: readonly [string, Uint8Array] = ['', new Uint8Array()]
  for (;;) {
    signal.throwIfAborted()
    const pin = await rows.first(findNextUncountedPin(after))
    if (pin === null) return whole
    after = [pin.account_id, pin.cid]
    try {
      await countPin(parts, pin, signal)
    } catch (thrown) {
      if (thrown instanceof NothingChanged) continue
      signal.throwIfAborted()
      if (!(thrown instanceof Fault)) throw thrown
      whole = false
      log('error', 'pin_not_counted', { cid: CID.decode(pin.cid).toString(), error: thrown })
    }
  }
}

async function countPin(
  parts: CountParts,
  pin: UncountedPinRow,
  signal: AbortSignal,
): Promise<void> {
  const { store, rows, obtain, blocksMax } = parts
  const cid = CID.decode(pin.cid)
  const name = rootOf(cid, pin.mode)
  if ((await rows.first(findWholeRoot(name))) !== null) {
    await rows.write(unjudged(pin.account_id, [setRootOfPin(pin, name, true)]))
    return
  }
  const read = storedBlocks(obtain, signal)
  const blocks: AsyncIterable<WalkedBlock> =
    pin.mode === 'recursive' ? walkBlocks(cid, new Map(), blocksMax, read) : one(cid, read)
  const commitRows = {
    complete: (put: StagedTree) =>
      unjudged(pin.account_id, [...insertRoot(name, put), setRootOfPin(pin, name, false)]),
    part: null,
  }
  await storeAll(store, blocks, commitRows, { progress: () => {}, signal })
}

/** Reads blocks that are stored and valid; null for the others. */
function storedBlocks(
  obtain: Obtain,
  signal: AbortSignal,
): (cid: CID) => Promise<Uint8Array | null> {
  let sinceTurn = 0
  return async ({ multihash: { bytes: hash } }) => {
    const { code, digest } = decodeMultihash(hash)
    if (code === identityCode) return digest
    if (sinceTurn >= turnBytes) {
      sinceTurn = 0
      await setImmediate()
    }
    try {
      const block = await obtain({ kind: 'dag-block', hash }, { offline: true }, signal)
      sinceTurn += block.length
      return block
    } catch (thrown) {
      if (hasCode(thrown, 'not_found')) return null
      throw thrown
    }
  }
}

async function* one(
  cid: CID,
  read: (cid: CID) => Promise<Uint8Array | null>,
): AsyncGenerator<WalkedBlock> {
  yield { cid, block: await read(cid) }
}
