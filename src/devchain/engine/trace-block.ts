// debug_traceTransaction and debug_traceBlock: replays a block of the chain on its parent's state, up to the requested
// transaction.
// Tested by src/devchain/engine/trace.test.ts
import type { Block } from '@ethereumjs/block'
import { EthereumJSError } from '@ethereumjs/util'
import { runBlock } from '@ethereumjs/vm'
import type { VM } from '@ethereumjs/vm'
import type { Common } from '@ethereumjs/common'
import { Fault, hasCode } from '../../base/fault.ts'
import { equalBytes, toHex } from '../../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../../codec/ethereum/account-state.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { Malformed, emptyRlpList } from '../../codec/ethereum/rlp.ts'
import type { ContentKind } from '../../content/ref.ts'
import type { TracerChoice, TransactionTrace } from '../../chain/computation.ts'
import { viewBlock } from '../../evm/block-view.ts'
import { recordedChanges } from './change-accounts.ts'
import { headerOf, openState } from './open-state.ts'
import type { StoredParts } from './open-state.ts'
import { createTracer } from '../../evm/trace/create-tracer.ts'
import type { Tracer } from '../../evm/trace/tracer.ts'
import type { TimeSlice } from '../../evm/time-slice.ts'

/** `index`: of the only transaction to trace, or null for all. */
export type TraceBlockTask = {
  /** Hash of a block of the chain, or a block from the client, of which only the header is known to be well-formed. */
  readonly block: Uint8Array | BlockParts
  readonly index: number | null
  readonly tracer: TracerChoice
}

/** Ends the replay: all requested transactions are traced. */
export class Enough extends Error {}

/** Throws `unknown_block`, `pruned`, `no_state`, and `execution_failed` for the first block of the chain. */
export async function traceBlock(
  parts: StoredParts,
  { block: requested, index, tracer: choice }: TraceBlockTask,
  slice: TimeSlice,
): Promise<readonly TransactionTrace[]> {
  const isStored = requested instanceof Uint8Array
  const stored = isStored ? readBlock(parts, requested) : requested
  const header = decodeHeader(stored.header)
  if (header.number === 0n) {
    throw new Fault('execution_failed', { detail: 'genesis is not traceable' })
  }
  const common = parts.rules.at(header)
  const parent = parentOf(parts, header)
  const machine = await openState(parts, { common, header: parent, below: header.number, slice })
  const tracer = createTracer(choice, machine)
  const traces: TransactionTrace[] = []
  const failures: unknown[] = []
  const block = isStored ? viewBlock(stored, common) : viewForeign(stored, common)
  if (block.transactions.some((transaction) => recordedChanges(transaction) !== null)) {
    const detail = `block ${header.number} records changes of accounts and is not traceable`
    throw new Fault('execution_failed', { detail })
  }
  const hashes = decodeEntries(stored.transactions).map(keccak256)
  follow(machine.vm, tracer, { block, hashes, index, traces, failures })
  try {
    await runBlock(machine.vm, {
      block,
      skipBlockValidation: true,
      skipHeaderValidation: true,
      clearCache: false,
    })
  } catch (error) {
    if (!(error instanceof Enough)) throw isStored ? error : asRefusal(error, 'tracing failed')
  }
  if (failures.length > 0) throw failures[0]
  return traces
}

function parentOf(parts: StoredParts, { parentHash }: Header): Header {
  try {
    return headerOf(parts, parentHash)
  } catch (cause) {
    if (!hasCode(cause, 'unknown_block')) throw cause
    throw new Fault('execution_failed', { detail: `block ${toHex(parentHash)} not found`, cause })
  }
}

/** Throws `execution_failed` for invalid lists. */
function viewForeign(parts: BlockParts, common: Common): Block {
  try {
    return viewBlock(parts, common)
  } catch (cause) {
    throw asRefusal(cause, 'could not decode block')
  }
}

/** Converts errors of the library or the decoder, which the client's bytes caused, to a Fault; returns others unchanged. */
function asRefusal(thrown: unknown, subject: string): unknown {
  if (!(thrown instanceof EthereumJSError) && !(thrown instanceof Malformed)) return thrown
  // The library appends a printout of the block.
  const [reason = ''] = thrown.message.split(' (')
  const detail = `${subject}: ${reason}`.slice(0, 256)
  return new Fault('execution_failed', { detail, cause: thrown })
}

/** Passes the requested transactions of the replay to the tracer. */
function follow(
  vm: VM,
  tracer: Tracer,
  replay: {
    readonly block: Block
    readonly hashes: readonly Uint8Array[]
    readonly index: number | null
    readonly traces: TransactionTrace[]
    readonly failures: unknown[]
  },
): void {
  const { block, hashes, index, traces, failures } = replay
  let at = -1
  const isTraced = () => index === null || index === at
  vm.events.on('beforeTx', () => {
    at += 1
    if ((index !== null && at > index) || failures.length > 0) throw new Enough()
  })
  // If a listener takes a second argument, the library waits until the listener calls it.
  vm.events.on('beforeTx', (transaction, next) => {
    const started = isTraced() ? tracer.begin({ transaction, block }) : null
    void settle(started, failures, next)
  })
  vm.events.on('afterTx', (result, next) => {
    const hash = hashes[at]
    if (!isTraced() || hash === undefined) {
      tracer.pass?.(result)
      return void settle(null, failures, next)
    }
    const ended = Promise.resolve(tracer.end(result, { transaction: result.transaction, block }))
    void settle(
      ended.then((value) => traces.push({ hash, result: value })),
      failures,
      next,
    )
  })
}

async function settle(
  work: Promise<unknown> | void | null,
  failures: unknown[],
  next: (() => void) | undefined,
): Promise<void> {
  try {
    await work
  } catch (error) {
    failures.push(error)
  }
  next?.()
}

/** The stored block. Throws `unknown_block`, `pruned`. */
export function readBlock({ store }: StoredParts, hash: Uint8Array): BlockParts {
  const bytes = store.peek({ kind: 'header', hash })
  if (bytes === null) throw new Fault('unknown_block', { detail: 'header for hash not found' })
  const { transactionsRoot, unclesHash, withdrawalsRoot } = decodeHeader(bytes)
  const list = (kind: ContentKind, root: Uint8Array, empty: Uint8Array): Uint8Array => {
    if (equalBytes(root, empty)) return emptyRlpList
    const found = store.peek({ kind, hash: root })
    if (found === null) throw new Fault('pruned')
    return found
  }
  return {
    header: bytes,
    transactions: list('transactions', transactionsRoot, emptyTrieRoot),
    uncles: list('uncles', unclesHash, emptyUnclesHash),
    withdrawals:
      withdrawalsRoot === undefined ? null : list('withdrawals', withdrawalsRoot, emptyTrieRoot),
  }
}
