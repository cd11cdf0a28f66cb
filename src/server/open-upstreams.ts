// Opens one chain behind upstream nodes from the settings: its head, its content, and which methods must be proved.
// Tested by test/upstream/networks-started.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'
import type { Obtaining } from '../content/obtain.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import { findKnownNetwork } from '../chain/known-networks.ts'
import { createInvalidReplyLog } from '../chain/upstream/pool/invalid-reply-log.ts'
import {
  openUpstreamNetwork,
  type UpstreamNetwork,
} from '../chain/upstream/open-upstream-network.ts'
import type { VerifyMode } from '../rpc/relay/prove-or-relay.ts'
import { servingPolicies } from '../rpc/relay/relayed-methods.ts'

export type OpenUpstreamsParts = {
  readonly obtaining: Obtaining
  readonly writer: ThreadWriter
  readonly clock: Clock
  readonly log: Log
}

/** Returns without waiting for upstreams: `started` of the network reports when it can serve. */
export function openUpstreams(
  config: UpstreamNetworkConfig,
  parts: OpenUpstreamsParts,
): UpstreamNetwork {
  const { writer, clock, log } = parts
  const { name, chainId, heads, genesisHash, blobSchedule, upstreams } = config
  const { obtain, peek, peekNode } = parts.obtaining
  return openUpstreamNetwork({
    name,
    chainId,
    upstreams,
    heads: {
      quorum: heads.quorum,
      quorumRequired: heads.require === 'quorum',
      pollMs: heads.pollMs,
      maxAgeMs: heads.maxAgeMs,
    },
    genesisHash,
    blobFractions:
      blobSchedule?.map(({ from, baseFeeUpdateFraction }) => ({
        from: BigInt(from),
        fraction: BigInt(baseFeeUpdateFraction),
      })) ?? null,
    methods: servingPolicies,
    requireProof: verifyOf(config, 'eth_getBlockByHash') === 'require',
    ledger: createInvalidReplyLog({ network: name, writer, clock, log }),
    content: { obtain, peek, peekNode },
    clock,
    log,
  })
}

/**
 * The operator's setting, otherwise by what is known of the network: blocks require a proof, state only if nodes
 * supply one, and unknown networks require nothing.
 */
export function verifyOf(
  { verify, policy, chainId }: UpstreamNetworkConfig,
  method: string,
): VerifyMode {
  const written = verify.methods[method] ?? verify.default
  if (written !== null) return written
  if (policy === 'none') return 'off'
  const served = servingPolicies.get(method)
  const data = served?.serve === 'prove' ? served.data : null
  if (data === 'state') return 'prefer'
  // The roots of this chain do not commit to its lists: only headers can be proved.
  if (policy === 'header-only') return data === 'header' ? 'require' : 'header'
  const isFull = policy === 'full' || (policy === null && findKnownNetwork(chainId) !== null)
  return isFull ? 'require' : 'prefer'
}
