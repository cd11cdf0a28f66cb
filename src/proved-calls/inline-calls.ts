// Runs calls on proved state in the caller's thread, without hints and caches. Used to verify proof bundles.
// Tested by test/calls/call-bundles.test.ts
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { getHeader } from '../chain/blocks.ts'
import type { RequestedCall } from '../chain/evm-executor.ts'
import type { Network, ProvedCalls } from '../chain/network.ts'
import { completeRead } from '../chain/read.ts'
import { findAccount, readCode, readStorage } from '../chain/state.ts'
import type { GenesisConfig } from '../evm/genesis.ts'
import { isOpConfig, nameOpFork } from '../evm/op-config.ts'
import { createCrypto } from '../evm/chain-crypto.ts'
import { createRulesOf } from '../evm/chain-rules.ts'
import { TimeSlices } from '../evm/time-slice.ts'
import { findHash } from '../chain/upstream/head/find-hash.ts'
import { readNodes } from './read-nodes.ts'
import { executeProved, type ProvedExecution, type ProvedResults } from './proved-execution.ts'
import { defaultReadLimits, limitReads } from './proved-state.ts'

/** Default of go-ethereum (`rpc.gascap`) and of the server that creates bundles. */
export const callGasMax = 50_000_000n

/** A value that a call read: an account, or with `position` (32 bytes) a slot. `address`: 20 bytes. */
export type CallRead = { readonly address: Uint8Array; readonly position?: Uint8Array }

/** `config`: the fork schedule; null: unknown, calls throw `unprovable`. `onRead` is called for each value read. */
export function createInlineCalls(
  config: GenesisConfig | null,
  onRead: (read: CallRead) => void = () => {},
): ProvedCalls {
  const rules = config === null ? null : createRulesOf(config, createCrypto())
  const slices = new TimeSlices(systemClock)

  async function run<Execution extends ProvedExecution>(
    network: Network,
    ref: RequestedCall['block'],
    execution: Execution,
    signal: AbortSignal,
  ): Promise<ProvedResults[Execution['kind']]> {
    if (rules === null) {
      const detail =
        'a call follows fork rules, to which no hash commits: name the network, or its genesis file'
      throw new Fault('unprovable', { detail })
    }
    const block = await completeRead(getHeader(network, ref.hash), signal)
    const at = (address: Uint8Array) => ({ network, block, address })
    const state = limitReads(
      {
        account(address) {
          onRead({ address })
          return completeRead(findAccount(at(address)), signal)
        },
        slot(address, _, position) {
          onRead({ address, position })
          return completeRead(readStorage(at(address), position), signal)
        },
        code: (address) => completeRead(readCode(at(address)), signal),
        hashOf: (number) => findHash(network, block, number, signal),
        nodes: (paths) =>
          readNodes({ network, block }, paths, (read) => completeRead(read, signal)),
      },
      defaultReadLimits,
    )
    const result = await slices.run(
      (slice) =>
        executeProved(execution, { header: block.header, rules, callGasMax, state, slice }),
      signal,
    )
    // The result is of the kind of `execution` (proved-execution.ts).
    return result as ProvedResults[Execution['kind']]
  }

  return {
    on: (network) => ({
      call: ({ block, ...rest }, _, signal) =>
        run(network, block, { kind: 'call', ...rest }, signal),
      estimateGas: ({ block, ...rest }, _, signal) =>
        run(network, block, { kind: 'estimate', ...rest }, signal),
      createAccessList: ({ block, ...rest }, _, signal) =>
        run(network, block, { kind: 'access-list', ...rest }, signal),
      simulate: ({ block, simulation }, _, signal) =>
        run(network, block, { kind: 'simulate', simulation }, signal),
      traceCall: ({ block, ...rest }, _, signal) =>
        run(network, block, { kind: 'trace-call', ...rest }, signal),
    }),
  }
}

/** Name of the active fork at a block, such as `osaka`, or `isthmus` on the OP Stack. `timestamp` in seconds. */
export function nameFork(
  config: GenesisConfig,
  block: { readonly number: bigint; readonly timestamp: bigint },
): string {
  const rollupFork = isOpConfig(config) ? nameOpFork(config, block.timestamp) : null
  return rollupFork ?? createRulesOf(config, createCrypto()).at(block).hardfork()
}
