// Last step of a JSON-RPC request: counts its usage and refunds the units of free answers.
// Tested by src/server/create-pipeline.test.ts
import type { RpcPipeline } from './rpc-pipeline.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Level } from '../chain/level.ts'
import type { Network } from '../chain/network.ts'
import { type UsedCall, rpcOutcome } from '../access/usage/usage-row.ts'
import type { RpcOutcome, RpcRequest } from './rpc-pipeline.ts'
import type { CallPlan } from './run-calls.ts'
import { chargedUnits, isFree, refusalUnits } from '../pipeline/price.ts'

export type RpcMeterParts = {
  /**
   * Charges units against the rate and the daily limit of the key. Throws `over_rate`, `over_quota`, `over_burst`. Returns a
   * promise if it must first acquire a share of the rate.
   */
  readonly admitUnits: (caller: Caller, units: number) => void | Promise<void>
  /** Refunds the units of free answers. */
  readonly refundUnits: (caller: Caller, units: number) => void
  /** Counts one finished call. */
  readonly count: (call: UsedCall) => void
  /** Adds the bytes of a call that was counted. */
  readonly countBytes: (call: UsedCall) => void
  readonly clock: Pick<Clock, 'monotonic'>
}

export type RpcMeter = Pick<RpcPipeline, 'chargeRefusal' | 'countBytes'> & {
  /**
   * Counts a request that ran. Returns the charged units. `began`: monotonic, milliseconds. `verified`: the weakest level of its
   * answers from chain data; null: there are none.
   */
  settle(
    request: RpcRequest,
    planned: readonly CallPlan[],
    outcomes: readonly RpcOutcome[],
    began: number,
    verified: Level | null,
  ): number
  /** Counts a free refusal before any call ran. `planned`: its calls; absent if they are not known. */
  countRefused(
    caller: Caller,
    network: Network,
    fault: Fault,
    planned?: readonly Pick<CallPlan, 'method'>[],
  ): void
  countEvent(caller: Caller, network: Network, units: number): void
}

/** Requests that are counted without a method. */
const noMethod = { method: '' }
export const batchMethod = { method: 'batch' }
const eventMethod = { method: 'eth_subscription' }

export function createRpcMeter(parts: RpcMeterParts): RpcMeter {
  const { admitUnits, refundUnits, count, clock } = parts

  function countCall(
    caller: Caller,
    network: Network,
    { method }: Pick<CallPlan, 'method'>,
    fault: Fault | null,
    units: number,
    ms: number | null = null,
    verified: Level | null = null,
  ): void {
    const label = fault === null ? (verified ?? '') : ''
    count(
      usedCall(caller, network, method, fault, {
        verified: label,
        units,
        bytesIn: 0,
        bytesOut: 0,
        ms,
      }),
    )
  }

  return {
    settle({ caller, network, batch }, planned, outcomes, began, verified) {
      const ms = clock.monotonic() - began
      let units = 0
      let free = 0
      for (let index = 0; index < planned.length; index++) {
        const item = planned[index] as CallPlan
        const outcome = outcomes[index] as RpcOutcome
        const fault = 'fault' in outcome ? outcome.fault : null
        const charged = chargedUnits(item.units, fault)
        units += charged
        free += item.units - charged
        const ran = item.fault === null ? ms : null
        countCall(caller, network, item, fault, charged, ran, verified)
      }
      // The rows must add up to the charge, because a restart restores the units of the day from them.
      if (batch && planned.some(({ units: price }) => price > 0)) {
        countCall(caller, network, batchMethod, null, 1)
        units += 1
      }
      if (free > 0) refundUnits(caller, free)
      return units
    },
    countRefused(caller, network, fault, planned = [noMethod]) {
      for (const item of planned) countCall(caller, network, item, fault, 0)
    },
    countEvent(caller, network, units) {
      countCall(caller, network, eventMethod, null, units)
    },
    countBytes({ caller, network }, { method, outcomes }, bytes) {
      if (method === null) return
      const [first] = outcomes
      const fault =
        outcomes.length === 1 && first !== undefined && 'fault' in first ? first.fault : null
      const used = { verified: '', units: 0, bytesIn: bytes.in, bytesOut: bytes.out, ms: null }
      const countedFault = method === batchMethod.method ? null : fault
      parts.countBytes(usedCall(caller, network, method, countedFault, used))
    },
    chargeRefusal(caller, network, fault) {
      const charged = (units: number): number => {
        countCall(caller, network, noMethod, fault, units)
        return units
      }
      // If no units are left for the charge, the original fault is still returned, and counted.
      const uncharged = (thrown: unknown): number => {
        if (!(thrown instanceof Fault)) throw thrown
        return charged(0)
      }
      if (isFree(fault)) return charged(0)
      let admitted: void | Promise<void>
      try {
        admitted = admitUnits(caller, refusalUnits)
      } catch (thrown) {
        return uncharged(thrown)
      }
      if (!(admitted instanceof Promise)) return charged(refusalUnits)
      return admitted.then(() => charged(refusalUnits), uncharged)
    },
  }
}

function usedCall(
  { keyId, accountId }: Caller,
  network: Network,
  method: string,
  fault: Fault | null,
  used: Pick<UsedCall, 'verified' | 'units' | 'bytesIn' | 'bytesOut' | 'ms'>,
): UsedCall {
  const { outcome, reason, status } = rpcOutcome(fault)
  return {
    keyId,
    accountId,
    face: 'rpc',
    network: network.name,
    method,
    outcome,
    reason,
    status,
    ...used,
  }
}
