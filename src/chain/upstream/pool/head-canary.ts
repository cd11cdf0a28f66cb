// A question whose truth is known: the account that made the head's block, under the head's proved state root. Who
// comes out of quarantine answers it often enough before anybody else is served by it.
import { toHex } from '../../../base/hex.ts'
import type { ProvedHeader } from '../../proved-header.ts'
import type { CallAt } from '../source/block-parameter.ts'
import type { Canary } from './canaries.ts'
import { checkProof } from '../source/check-proof.ts'
import { readProofReply } from '../source/proof-reply.ts'

const method = 'eth_getProof'

/** `head`: the newest proved header, or null while there is none. */
export function createHeadCanary(head: () => ProvedHeader | null, callAt: CallAt): Canary {
  return async (upstream, signal) => {
    const block = head()
    if (block === null) return 'failed'
    const { stateRoot, miner: address, number } = block.header
    const asked = { method, params: [toHex(address), []], block: { hash: block.hash, number } }
    const reply = await callAt(upstream, asked, signal)
    const judged = checkProof(readProofReply(reply.result, 0), { stateRoot, address, slots: [] })
    if (judged === 'complete') return 'taken'
    if (judged === 'short' || !reply.pinned) return 'failed'
    const { params, result: response } = reply
    return { lie: { method, params, response, blockHash: block.hash, ...judged } }
  }
}
