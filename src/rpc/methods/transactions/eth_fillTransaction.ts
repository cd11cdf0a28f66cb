// eth_fillTransaction [transaction]: adds the missing nonce, gas, fees and chain ID to a transaction. Returns it unsigned, as bytes
// and as an object. Label `trusted`: a suggestion of this server.
// Tested by test/api/fill-and-sync-started.test.ts
import { toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { encodeTransaction } from '../../../codec/ethereum/transaction-encode.ts'
import { noOverrides, type Overrides } from '../../../chain/computation.ts'
import { executorOf } from '../../../chain/network.ts'
import { renderUnsigned } from '../../../chain/transaction-object.ts'
import { unsignedTransaction } from '../../../chain/unsigned-transaction.ts'
import { checkContents, withFees } from '../../fill-transaction.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import { requestFor } from '../../params/call-input.ts'
import { type CallArguments, parseCallRequest } from '../../params/call-request.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = CallArguments & {
  readonly overrides: Overrides
  /** As the client sent it: the checks compare some members with each other. */
  readonly rawRequest: Readonly<Record<string, unknown>>
}

const zeroAddress = new Uint8Array(20)

export const ethFillTransaction: RpcMethod<Input> = {
  name: 'eth_fillTransaction',
  summary: 'A transaction with the nonce, gas and fees that it lacks, to be signed.',
  params: [requiredParam('transaction', wire.callRequest)],
  result: wire.object,
  units: 300,
  upstream: { serve: 'relay', class: 'read', calls: 'first' },
  parse(params) {
    const [call] = parseArguments(params, [required(parseCallRequest)])
    return { ...call, overrides: noOverrides, rawRequest: params[0] as Input['rawRequest'] }
  },
  addresses: calledAddresses,
  async run(input, call) {
    const executor = executorOf(call.network, 'eth_fillTransaction')
    const filled = await withFees(requestFor(input, call.network), call)
    checkContents(filled, input.rawRequest)
    const { chainId, pool } = call.network
    const nonce =
      filled.nonce ??
      (await pool.pendingNonce(filled.from ?? zeroAddress, call.signal, call.caller))
    const block = await completeRead(call.resolve(latestBlock), call.signal)
    const gas =
      filled.gas ??
      (await executor.estimateGas(
        { request: filled, block, overrides: noOverrides },
        call.caller,
        call.signal,
      ))
    call.labels.level('trusted')
    const transaction = unsignedTransaction(filled, { chainId, nonce, gas })
    const raw = encodeTransaction(transaction)
    return { raw: toHex(raw), tx: renderUnsigned(transaction, keccak256(raw)) }
  },
}
