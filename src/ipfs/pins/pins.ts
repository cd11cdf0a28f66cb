// Pins of one account: added when all their blocks are stored. Conditions in SQL prevent concurrent calls from interleaving.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import type { BlockStore } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { deleteAttemptLeases } from '../../tables/leases.ts'
import { findWholeRoot, type StagedTree } from '../../tables/roots.ts'
import type { OpenBlocks, ReadBlock } from '../read/blocks.ts'
import type { Files, Pin } from '../files.ts'
import { findPin, accountPins } from './account-pins.ts'
import {
  looseRoot,
  movePinStatements,
  pinnedBy,
  pinStatements,
  rootOf,
  unpinStatements,
} from './pin-rows.ts'
import { storeAll, type CommitRows, type StoreProgress } from './store-all.ts'
import { leaseStatements } from './leases.ts'
import { createPinWalks, type PinWalks } from './pin-walks.ts'
import { walkBlocks, type WalkedBlock } from '../read/walk.ts'

export type Pins = PinWalks &
  Pick<Files, 'pin' | 'movePin' | 'unpin' | 'pins' | 'findPin' | 'putBlock'>

export type PinSettings = {
  readonly store: BlockStore
  readonly rows: Rows
  readonly clock: Clock
  readonly openBlocks: OpenBlocks
  /** Maximum number of blocks of one recursive pin, and of one indirect walk. */
  readonly blocksMax: number
  /** How long uploaded blocks that are not pinned are stored. */
  readonly unpinnedMs: number
  /** Whether sources can supply blocks, so that a failed pin may have fetched some. */
  readonly hasSources: () => boolean
  /**
   * Whether an account can pin blocks that another account stores without reading them. False: each pin is walked, through
   * `openBlocks`.
   */
  readonly sharesRoots: boolean
  /** Called after a commit of new blocks, for callers that wait for content. */
  readonly committed: () => void
}

export function createPins(settings: PinSettings): Pins {
  const { store, rows, clock, openBlocks, blocksMax, committed } = settings

  /**
   * Commits the rows of a pin: immediately if its root is already referenced, otherwise after a walk. Blocks that a failed walk
   * fetched are stored for the next try.
   */
  async function keep(
    accountId: string,
    { cid, mode }: Pick<Pin, 'cid' | 'mode'>,
    statements: (put: StagedTree | null) => readonly Statement[],
    blocks: () => AsyncIterable<WalkedBlock>,
    watch: StoreProgress,
  ): Promise<void> {
    const root = rootOf(cid, mode)
    const wholeRoot = async () => {
      const found = settings.sharesRoots ? await rows.first(findWholeRoot(root)) : null
      return found !== null && found.blocks <= blocksMax ? found : null
    }
    const whole = await wholeRoot()
    try {
      if (whole !== null) {
        await store.put([], statements(null))
        watch.progress(whole.blocks, BigInt(whole.bytes))
        return
      }
    } catch (thrown) {
      // The root is no longer referenced, so it is walked. Otherwise the rows themselves refused the change.
      if (!(thrown instanceof NothingChanged) || (await wholeRoot()) !== null) throw thrown
    }
    const part = (put: StagedTree): readonly Statement[] => [
      deleteAttemptLeases(accountId, cid.bytes),
      ...leaseStatements(accountId, looseRoot(put.batch), put, { expires: expires(), wanted: cid }),
    ]
    const commitRows: CommitRows = {
      complete: statements,
      part: settings.hasSources() ? part : null,
    }
    await storeAll(store, blocks(), commitRows, watch)
  }

  const modeOf = async (accountId: string, cid: CID): Promise<Pin['mode'] | null> =>
    (await findPin(rows, accountId, cid))?.mode ?? null

  const expires = (): number => clock.now() + settings.unpinnedMs

  return {
    async pin(accountId, pin, patience, progress, signal) {
      const alreadyPinned = () => failed(`${pin.cid.toString()} already pinned recursively`)
      try {
        const recursive = pin.mode === 'recursive'
        if (!recursive && (await modeOf(accountId, pin.cid)) === 'recursive') throw alreadyPinned()
        // The old pin is unchanged until all blocks of the new one are stored.
        const statements = (put: StagedTree | null) =>
          pinStatements(accountId, pin, put, clock.now())
        const blocks = () => blocksOf(pin, openBlocks(patience, signal), blocksMax)
        await keep(accountId, pin, statements, blocks, { progress, signal })
      } catch (thrown) {
        const isAlreadyPinned = thrown instanceof NothingChanged && pin.request === undefined
        throw prefixed(isAlreadyPinned ? alreadyPinned() : thrown)
      }
    },

    async movePin(accountId, move, patience, signal) {
      const { from, to } = move
      const checkPins = async (): Promise<void> => {
        if ((await modeOf(accountId, from)) !== 'recursive') {
          throw failed("'from' cid was not recursively pinned already")
        }
        if (!from.equals(to) && (await modeOf(accountId, to)) === 'recursive') {
          throw failed("'to' cid was already recursively pinned")
        }
      }
      await checkPins()
      if (from.equals(to)) return
      const statements = (put: StagedTree | null) =>
        movePinStatements(accountId, move, put, clock.now())
      const blocks = () => walkBlocks(to, new Map(), blocksMax, openBlocks(patience, signal))
      const pin = { cid: to, mode: 'recursive' } as const
      try {
        await keep(accountId, pin, statements, blocks, { progress: () => {}, signal })
      } catch (thrown) {
        // Another call changed the pins in the meantime, so the error is determined from the current rows.
        if (thrown instanceof NothingChanged) await checkPins()
        throw thrown
      }
    },

    async putBlock({ cid, bytes }, pin, patience, context) {
      const { accountId, provide, keyId, proceed, signal } = context
      let blocks: AsyncIterable<WalkedBlock> = only(cid, bytes)
      if (pin) {
        const read = openBlocks(patience, signal)
        const readWithBlock: ReadBlock = async (requested) =>
          requested.equals(cid) ? bytes : await read(requested)
        blocks = walkBlocks(cid, new Map(), blocksMax, readWithBlock)
      }
      const complete = (put: StagedTree): readonly Statement[] =>
        pin
          ? pinStatements(
              accountId,
              { cid, mode: 'recursive', name: '', ...pinnedBy({ provide, keyId }) },
              put,
              clock.now(),
            )
          : leaseStatements(accountId, rootOf(cid, 'direct'), put, { expires: expires() })
      await storeAll(
        store,
        blocks,
        { complete, part: null },
        { progress: () => {}, proceed, signal },
      )
      committed()
    },

    async unpin(accountId, cid, recursive) {
      try {
        await store.put([], unpinStatements(accountId, cid, recursive))
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged)) throw thrown
        throw (await modeOf(accountId, cid)) === 'recursive'
          ? failed(`${cid.toString()} is pinned recursively`)
          : failed('not pinned or pinned indirectly')
      }
    },

    pins: (accountId, signal) => accountPins(rows, accountId, signal),
    findPin: (accountId, cid) => findPin(rows, accountId, cid),

    ...createPinWalks({ rows, openBlocks, blocksMax }),
  }
}

async function* only(cid: CID, block: Uint8Array): AsyncGenerator<WalkedBlock> {
  yield { cid, block }
}

/** Every block the pin needs, verified. */
async function* blocksOf(
  pin: Pin,
  read: ReadBlock,
  blocksMax: number,
): AsyncGenerator<WalkedBlock> {
  if (pin.mode === 'direct') yield { cid: pin.cid, block: await read(pin.cid) }
  else yield* walkBlocks(pin.cid, new Map(), blocksMax, read)
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}

/** Kubo prefixes errors of a command with its name; refusals of the server have no prefix. */
function prefixed(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const prefixedCodes: readonly FaultCode[] = [
    'command_failed',
    'deadline',
    'unverified',
    'not_found',
  ]
  if (!prefixedCodes.includes(thrown.code)) return thrown
  return new Fault(thrown.code, { detail: `pin: ${thrown.message}`, cause: thrown })
}
