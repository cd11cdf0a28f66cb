// A request with a known answer: the account that made the head's block, under the head's proved state root. An
// upstream that leaves quarantine must answer it several times before it serves callers.
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
    const check = checkProof(readProofReply(reply.result, 0), { stateRoot, address, slots: [] })
    if (check === 'complete') return 'taken'
    if (check === 'short' || !reply.pinned) return 'failed'
    const { params, result: response } = reply
    return { lie: { method, params, response, blockHash: block.hash, ...check } }
  }
}
