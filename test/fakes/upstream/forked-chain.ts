// A chain with branches, for tests of reorg events: a test moves its head and can remove its content.
import { Fault } from '../../../src/base/fault.ts'
import { equalBytes, toHex } from '../../../src/base/hex.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import type { ProvedHeader } from '../../../src/chain/blocks.ts'
import type { BlockRef, HeadUpdate } from '../../../src/chain/head.ts'
import type { Network } from '../../../src/chain/network.ts'
import { type BlockLogs, makeLogBlock } from './log-chain.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './network.ts'
import { resolvedRead } from '../../../src/chain/read.ts'

export type ForkedChain = {
  readonly network: Network
  readonly genesis: ProvedHeader
  /** Creates a block on `parent` that is known but not canonical yet. */
  grow(parent: ProvedHeader, logs?: BlockLogs): ProvedHeader
  /** Makes `block` the head and notifies watchers. */
  moveTo(block: ProvedHeader): void
  /** While false, all content is missing. */
  reachable: boolean
  /** Number of current watchers of the head. */
  readonly watchers: number
}

export function createForkedChain(): ForkedChain {
  const items: UnverifiedItem[] = []
  const blocks = new Map<string, ProvedHeader>()
  const listeners = new Set<(change: HeadUpdate) => void>()
  let branch = 0

  function make(number: number, parentHash: Uint8Array, logs: BlockLogs): ProvedHeader {
    branch += 1
    const made = makeLogBlock(number, { parentHash, logs, branch })
    items.push(...made.items)
    blocks.set(toHex(made.block.hash), made.block)
    return made.block
  }

  const genesis = make(0, new Uint8Array(32), [])
  let latest = genesis

  function lineOf(block: ProvedHeader): readonly ProvedHeader[] {
    const line = [block]
    for (let at = blocks.get(toHex(block.header.parentHash)); at !== undefined;) {
      line.unshift(at)
      at = blocks.get(toHex(at.header.parentHash))
    }
    return line
  }
  const refTo = ({ hash, header }: ProvedHeader): BlockRef => ({
    network: 'dev',
    hash,
    number: header.number,
    anchor: 'single',
  })
  const isOn = (line: readonly ProvedHeader[], hash: Uint8Array) =>
    line.some((block) => equalBytes(block.hash, hash))

  const byNumber = (number: bigint) => {
    const found = lineOf(latest)[Number(number)]
    return found === undefined ? null : refTo(found)
  }
  const chain: ForkedChain = {
    genesis,
    reachable: true,
    get watchers() {
      return listeners.size
    },
    grow: (parent, logs = []) => make(Number(parent.header.number) + 1, parent.hash, logs),
    moveTo(block) {
      const [before, after] = [lineOf(latest), lineOf(block)]
      latest = block
      const removed = before
        .filter(({ hash }) => !isOn(after, hash))
        .toReversed()
        .map(refTo)
      const added = after.filter(({ hash }) => !isOn(before, hash)).map(refTo)
      for (const listener of listeners) listener({ removed, added })
    },
    network: createFakeNetwork({
      head: createFakeHead([refTo(genesis)], {
        latest: () => refTo(latest),
        byNumber: (number) => resolvedRead(byNumber(number)),
        isCanonical: (hash) => resolvedRead(isOn(lineOf(latest), hash)),
        watch(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }),
      async obtain(ref, hint, signal) {
        if (!chain.reachable) throw new Fault('no_upstream')
        return await createFakeObtain(items)(ref, hint, signal)
      },
    }),
  }
  return chain
}
