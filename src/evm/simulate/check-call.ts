// Checks if a simulated call may run, in the order and with the messages of go-ethereum's transaction checks. Nonces and
// default fees are checked only with `validation`.
// Tested by src/evm/simulate/simulate.test.ts
import type { Common } from '@ethereumjs/common'
import { toChecksumAddress } from '../../codec/ethereum/checksum-address.ts'
import { Fault } from '../../base/fault.ts'
import type { FaultCode } from '../../base/fault.ts'
import type { CallRequest } from '../../chain/computation.ts'
import { gasPerBlob } from '../../chain/fees.ts'
import { feeCap } from '../call-transaction.ts'
import { floorDataGas, intrinsicGas } from '../intrinsic-gas.ts'

export type CheckedCall = {
  readonly request: CallRequest
  /** 20 bytes. */
  readonly from: Uint8Array
  readonly gas: bigint
  readonly nonce: bigint
  /** Sender's account before the call. */
  readonly account: { readonly nonce: bigint; readonly balance: bigint }
  readonly common: Common
  /** 0 before London. */
  readonly baseFee: bigint
  /** 0 before Cancun. */
  readonly blobBaseFee: bigint
  readonly validation: boolean
}

const nonceMax = 2n ** 64n - 1n

/** Throws `nonce_too_low` and the other errors of transaction checks. */
export function checkCall(call: CheckedCall): void {
  const refuse = (code: FaultCode, text: string) =>
    new Fault(code, { detail: `err: ${text} (supplied gas ${call.gas})` })
  const sender = `address ${toChecksumAddress(call.from)}`
  checkNonce(call, sender, refuse)
  checkFees(call, sender, refuse)
  checkShape(call, refuse)
  const { request, account, gas } = call
  const blobs = BigInt(request.blobVersionedHashes?.length ?? 0)
  const cost =
    gas * feeCap(request) +
    (request.value ?? 0n) +
    blobs * gasPerBlob * (request.maxFeePerBlobGas ?? 0n)
  if (account.balance < cost) {
    const amounts = `${sender} have ${account.balance} want ${cost}`
    throw refuse('no_funds', `insufficient funds for gas * price + value: ${amounts}`)
  }
  checkGas(call, refuse)
}

type Refuse = (code: FaultCode, text: string) => Fault

function checkNonce({ validation, nonce, account }: CheckedCall, sender: string, refuse: Refuse) {
  if (!validation) return
  const both = `${sender}, tx: ${nonce} state: ${account.nonce}`
  if (nonce > account.nonce) throw refuse('nonce_too_high', `nonce too high: ${both}`)
  if (nonce < account.nonce) throw refuse('nonce_too_low', `nonce too low: ${both}`)
  if (nonce === nonceMax) {
    throw refuse('not_simulated', `nonce has max value: ${sender}, nonce: ${nonce}`)
  }
}

function checkFees(call: CheckedCall, sender: string, refuse: Refuse) {
  const { request, common, baseFee, blobBaseFee, validation } = call
  if (!common.isActivatedEIP(1559)) return
  const cap = feeCap(request)
  const tip = request.maxPriorityFeePerGas ?? 0n
  const capText = `maxFeePerGas: ${cap}`
  if (tip > cap) {
    const both = `${sender}, maxPriorityFeePerGas: ${tip}, ${capText}`
    throw refuse('bad_params', `max priority fee per gas higher than max fee per gas: ${both}`)
  }
  if ((validation || cap > 0n) && cap < baseFee) {
    const both = `${sender}, ${capText}, baseFee: ${baseFee}`
    throw refuse('fee_too_low', `max fee per gas less than block base fee: ${both}`)
  }
  if (request.blobVersionedHashes === undefined) return
  const blobCap = request.maxFeePerBlobGas ?? 0n
  if ((validation || blobCap > 0n) && blobCap < blobBaseFee) {
    const both = `${sender} blobGasFeeCap: ${blobCap}, blobBaseFee: ${blobBaseFee}`
    throw refuse('not_simulated', `max fee per blob gas less than block blob gas fee: ${both}`)
  }
}

/** Checks that apply only to blob and set-code transactions (EIP-4844, 7594, 7702). */
function checkShape({ request, from, common }: CheckedCall, refuse: Refuse) {
  const { to, blobVersionedHashes: hashes, authorizationList } = request
  const sender = `(sender ${toChecksumAddress(from)})`
  if (hashes !== undefined) {
    if (to === undefined) throw refuse('not_simulated', 'blob transaction of type create')
    if (hashes.length === 0) throw refuse('not_simulated', 'blob transaction missing blob hashes')
    const odd = hashes.findIndex(([version]) => version !== 1)
    if (odd !== -1) throw refuse('not_simulated', `blob ${odd} has invalid hash version`)
    const blobsMax = blobsPerTransaction(common)
    if (hashes.length > blobsMax) {
      const both = `have ${hashes.length}, max ${blobsMax}`
      throw refuse('not_simulated', `blob transaction has too many blobs: ${both}`)
    }
  }
  if (authorizationList === undefined) return
  if (to === undefined) {
    const text = 'EIP-7702 transaction cannot be used to create contract'
    throw refuse('not_simulated', `${text} ${sender}`)
  }
  if (authorizationList.length === 0) {
    throw refuse('not_simulated', `EIP-7702 transaction with empty auth list ${sender}`)
  }
}

function blobsPerTransaction(common: Common): number {
  if (!common.isActivatedEIP(4844)) return 0
  if (common.isActivatedEIP(7594)) return 6
  return Number(common.getBlobGasSchedule().maxBlobGasPerBlock / gasPerBlob)
}

function checkGas({ request, common, gas }: CheckedCall, refuse: Refuse) {
  const data = request.data ?? new Uint8Array(0)
  const intrinsic = requestIntrinsicGas(request, common)
  if (gas < intrinsic)
    throw refuse('gas_too_low', `intrinsic gas too low: have ${gas}, want ${intrinsic}`)
  const floor = common.isActivatedEIP(7623) ? floorDataGas(data) : 0n
  if (gas < floor) {
    const both = `have ${gas}, want ${floor}`
    throw refuse('not_simulated', `insufficient gas for floor data gas cost: ${both}`)
  }
  const codeMax = common.isActivatedEIP(3860) ? Number(common.param('maxInitCodeSize')) : Infinity
  if (request.to === undefined && data.length > codeMax) {
    const both = `code size ${data.length} limit ${codeMax}`
    throw refuse('init_code_too_large', `max initcode size exceeded: ${both}`)
  }
}

/** Intrinsic gas of a transaction of this request. */
export function requestIntrinsicGas(request: CallRequest, common: Common): bigint {
  const shape = {
    data: request.data ?? new Uint8Array(0),
    creates: request.to === undefined,
    accessList: request.accessList ?? [],
    authorizations: request.authorizationList?.length ?? 0,
  }
  return intrinsicGas(shape, common)
}
