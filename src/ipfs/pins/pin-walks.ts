// Walks over all pins of one account, on stored blocks only: lists indirect pins, and checks whether pins are complete.
// Tested by src/kubo/commands/pins/pin-walks.test.ts
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import type { OpenBlocks } from '../read/blocks.ts'
import type { Files, FetchPolicy } from '../files.ts'
import { linkless } from '../read/links.ts'
import { findPin, accountPins } from './account-pins.ts'
import { pinsOver } from './pin-rows.ts'
import { storedOnly, type Visited, walkBlocks, walkCids } from '../read/walk.ts'

export type PinWalks = Pick<Files, 'indirect' | 'verifyPins'>

const storedAlone: FetchPolicy = { offline: true, timeoutMs: null }
/** Maximum number of missing blocks that are listed for one pin. */
const lostMax = 1000

/** `blocksMax`: maximum number of blocks of one walk. */
export function createPinWalks(parts: {
  readonly rows: Rows
  readonly openBlocks: OpenBlocks
  readonly blocksMax: number
}): PinWalks {
  const { rows, openBlocks, blocksMax } = parts

  return {
    async *indirect(accountId, signal, sought) {
      const over = sought === undefined ? null : await pinsOver(rows, accountId, sought, signal)
      const named = new Set(sought?.map(String))
      const read = storedOnly(openBlocks(storedAlone, signal))
      const visited: Visited = new Map()
      for await (const { cid: root, mode } of accountPins(rows, accountId, signal)) {
        // Direct pins are listed last.
        if (mode !== 'recursive') return
        if (linkless.includes(root.code) || over?.has(toLatin1(root.bytes)) === false) continue
        for await (const { cid } of walkCids(root, visited, blocksMax, read)) {
          signal.throwIfAborted()
          const pin = await findPin(rows, accountId, cid)
          if (pin === null || (pin.mode === 'direct' && named.has(cid.toString()))) {
            yield { cid, root }
          }
        }
      }
    },

    async *verifyPins(accountId, signal) {
      const read = openBlocks(storedAlone, signal)
      for await (const { cid: root, mode } of accountPins(rows, accountId, signal)) {
        if (mode !== 'recursive') return
        const lost: { cid: typeof root; reason: string }[] = []
        const walk = walkBlocks(root, new Map(), blocksMax, async (cid) => {
          try {
            return await read(cid)
          } catch (thrown) {
            if (lost.length < lostMax) lost.push({ cid, reason: reasonOf(thrown) })
            return null
          }
        })
        try {
          for await (const _ of walk) signal.throwIfAborted()
        } catch (thrown) {
          // The links of a block cannot be followed, so the pin may be incomplete.
          lost.push({ cid: root, reason: reasonOf(thrown) })
        }
        yield { cid: root, lost }
      }
    },
  }
}

/** Errors of blocks and walks as text; any other error ends the walk. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Fault)) throw thrown
  if (thrown.code !== 'command_failed' && thrown.code !== 'unverified') throw thrown
  return thrown.message
}
