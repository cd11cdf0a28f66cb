// eth_createAccessList [call, block?, state overrides?]: the access list of a call and the gas that the call uses with it. The
// sender must be able to pay, as for a transaction. Label `trusted`; behind upstreams Cairn runs the call on proved state.
// Tested by test/api/rpc-started.test.ts
import { callsOf } from '../../../chain/network.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import { resolveCall, type CallInput, parseAccessListInput } from '../../params/call-input.ts'
import { withFees } from '../../fill-transaction.ts'

export const ethCreateAccessList: RpcMethod<CallInput> = {
  name: 'eth_createAccessList',
  summary: 'The accounts and slots that a call reads (EIP-2930).',
  params: [
    requiredParam('call', wire.callRequest),
    optionalParam('block', wire.block),
    optionalParam('stateOverrides', wire.stateOverrides),
  ],
  result: wire.object,
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'call',
    block: { at: 1, form: 'object' },
    calls: 'first',
  },
  parse: parseAccessListInput,
  addresses: calledAddresses,
  async run(input, call) {
    const { calls, level } = callsOf(call.network, 'eth_createAccessList')
    const { request, ...rest } = await resolveCall(input, call)
    const requested = { ...rest, request: await withFees(request, call) }
    call.labels.level(level)
    const report = await calls.createAccessList(requested, call.caller, call.signal)
    return {
      accessList: report.accessList.map(({ address, storageKeys }) => ({
        address: toHex(address),
        storageKeys: storageKeys.map(toHex),
      })),
      ...(report.error === null ? {} : { error: report.error }),
      gasUsed: toQuantity(report.gasUsed),
    }
  },
}
