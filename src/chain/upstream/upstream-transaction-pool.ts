// The pool of a network of upstreams: sends to several nodes and computes the hash itself; pending data is as nodes report it,
// without proof.
// Tested by src/chain/upstream/upstream-relay.test.ts
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { impersonatedSender } from '../../codec/ethereum/impersonation.ts'
import { Malformed } from '../../codec/ethereum/rlp.ts'
import {
  decodeTransaction,
  transactionHash,
  UnsupportedTransaction,
} from '../../codec/ethereum/transaction.ts'
import { withoutSidecar } from '../../codec/ethereum/without-sidecar.ts'
import type { ReadyTransactions, TransactionPool } from '../transaction-pool.ts'
import { faultOf } from './fault-of.ts'
import type { UpstreamTransactionLookup } from './upstream-transaction-lookup.ts'
import type { UpstreamPool } from './pool/upstream-pool.ts'
import { UpstreamError } from './node/upstream-error.ts'

export function createUpstreamTransactionPool(parts: {
  readonly network: string
  readonly pool: Pick<UpstreamPool, 'read' | 'broadcast'>
  readonly lookup: UpstreamTransactionLookup
  readonly arrivals: ReadyTransactions
}): TransactionPool {
  const { network, pool, lookup, arrivals } = parts

  async function mapErrors<Answer>(method: string, query: () => Promise<Answer>): Promise<Answer> {
    try {
      return await query()
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      throw faultOf(thrown, { network, method })
    }
  }

  return {
    level: 'none',
    arrivals,
    async send(raw, signal) {
      const hash = hashOf(raw)
      const sent = { raw: toHex(raw), hash: toHex(hash) }
      await mapErrors('eth_sendRawTransaction', () => pool.broadcast(sent, signal))
      return hash
    },
    async pendingNonce(address, signal) {
      const method = 'eth_getTransactionCount'
      const request = { method, params: [toHex(address), 'pending'], methodClass: 'read' } as const
      const { result } = await mapErrors(method, () => pool.read(request, signal))
      if (typeof result === 'string' && /^0x[0-9a-f]{1,16}$/i.test(result)) return BigInt(result)
      throw new Fault('no_upstream', { detail: `no source reachable for ${network}` })
    },
    async pendingTransaction(hash, signal) {
      const raw = await lookup.findPending(hash, signal)
      return raw === null || isImpersonated(raw) ? null : raw
    },
  }
}

/** True for a transaction without a real signature (impersonated account), which no public chain accepts. */
function isImpersonated(raw: Uint8Array): boolean {
  try {
    return impersonatedSender(decodeTransaction(raw)) !== null
  } catch (thrown) {
    if (thrown instanceof UnsupportedTransaction || thrown instanceof Malformed) return false
    throw thrown
  }
}

/** Also returns the hash of a type that Cairn cannot decode, because nodes check it. Throws `pool_refused` for malformed bytes. */
function hashOf(raw: Uint8Array): Uint8Array {
  try {
    const bare = withoutSidecar(raw)
    decodeTransaction(bare)
    return transactionHash(bare)
  } catch (cause) {
    if (cause instanceof UnsupportedTransaction) return transactionHash(raw)
    if (!(cause instanceof Malformed)) throw cause
    throw new Fault('pool_refused', { detail: 'rlp: the transaction cannot be decoded', cause })
  }
}
