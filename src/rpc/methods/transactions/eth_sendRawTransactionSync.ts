// eth_sendRawTransactionSync [bytes, timeoutMs?]: sends a signed transaction and returns its receipt, proved as by
// eth_getTransactionReceipt, when a canonical block contains it (EIP-7966).
// Tested by src/rpc/methods/transactions/send-sync.test.ts
import type { Clock } from '../../../base/clock.ts'
import { Fault, hasCode } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { findLocated, type Located } from '../../../chain/located.ts'
import type { FindSender } from '../../../chain/sender-cache.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcCall, RpcMethod } from '../../operation.ts'
import {
  optional,
  parseArguments,
  parseBytes,
  parseUint64,
  required,
} from '../../params/arguments.ts'
import { receiptReply } from '../../replies/block-receipts.ts'
import { sendTransaction } from '../../replies/send-transaction.ts'

type Input = { readonly raw: Uint8Array; readonly timeoutMs: number }

/** As in geth. */
const defaultTimeoutMs = 20_000
/** Below the default deadline of a request, 30 s, so that the client gets the error of EIP-7966. */
const timeoutMsMax = 25_000

export function createEthSendRawTransactionSync(
  findSender: FindSender,
  clock: Clock,
): RpcMethod<Input> {
  return {
    name: 'eth_sendRawTransactionSync',
    summary: 'Takes a signed transaction and answers with its receipt (EIP-7966).',
    params: [
      requiredParam('transaction', wire.bytes),
      optionalParam('timeoutMs', wire.milliseconds),
    ],
    result: wire.receipt,
    units: 160,
    parse(params) {
      const [raw, timeout] = parseArguments(params, [
        required(parseBytes),
        optional(parseUint64, 0),
      ])
      return { raw, timeoutMs: timeout === 0 ? defaultTimeoutMs : Math.min(timeout, timeoutMsMax) }
    },
    async run({ raw, timeoutMs }, call) {
      const waiter = watchHead(call, clock, timeoutMs)
      try {
        const hash = await sendTransaction(raw, call)
        const located = await waitForBlock(hash, call, waiter)
        if (located === null) throw notMined(hash, timeoutMs)
        const { block, index } = located
        call.labels.block({
          network: call.network.name,
          hash: block.hash,
          number: block.header.number,
        })
        return await receiptReply(call, block, index, findSender)
      } finally {
        waiter.stop()
      }
    },
  }
}

type Waiter = {
  /** Resolves if the head has moved since the last call, the timeout has expired, or the request has ended. */
  moved(): Promise<void>
  isLate(): boolean
  stop(): void
}

/** Call it before the transaction is sent, so that no block is missed. */
function watchHead({ network, signal }: RpcCall, clock: Clock, timeoutMs: number): Waiter {
  let hasMoved = false
  let late = false
  let wake = () => {}
  const onMove = () => {
    hasMoved = true
    wake()
  }
  const onLate = () => {
    late = true
    wake()
  }
  const unwatch = network.head.watch(onMove)
  const cancel = clock.after(timeoutMs, onLate)
  signal.addEventListener('abort', onLate, { once: true })
  return {
    async moved() {
      if (!hasMoved && !late) await new Promise<void>((resolve) => (wake = resolve))
      hasMoved = false
    },
    isLate: () => late,
    stop() {
      unwatch()
      cancel()
      signal.removeEventListener('abort', onLate)
    },
  }
}

/** Null after the timeout. Checks once for each move of the head, and once more at the end. */
async function waitForBlock(
  hash: Uint8Array,
  { network, signal }: RpcCall,
  waiter: Waiter,
): Promise<Located | null> {
  for (;;) {
    const wasLate = waiter.isLate()
    signal.throwIfAborted()
    try {
      const located = await findLocated(network, hash, signal)
      if (located !== null) return located
    } catch (thrown) {
      // The transaction is already sent. A proof that is missing now may be available soon, so try again.
      if (!hasCode(thrown, 'unverified') && !hasCode(thrown, 'no_upstream')) throw thrown
    }
    if (wasLate) return null
    await waiter.moved()
  }
}

/** Code 4 with the hash as data: the client continues with eth_getTransactionReceipt. The text is geth's. */
function notMined(hash: Uint8Array, timeoutMs: number): Fault {
  const time = timeoutMs < 1000 ? `${timeoutMs}ms` : `${timeoutMs / 1000}s`
  const detail = `The transaction was added to the transaction pool but wasn't processed in ${time}`
  return new Fault('not_in_block', { detail, data: toHex(hash) })
}
