// The call object of eth_call and eth_estimateGas (geth's TransactionArgs). Unknown members are ignored.
// Tested by src/rpc/params/params.test.ts
import type { CallRequest } from '../../chain/computation.ts'
import {
  type Members,
  type Reading,
  ifDefined,
  readAddress,
  readBig,
  readData,
  readHashes,
  readList,
  readMembers,
  readOptional,
  readUint64,
  refuseArgument,
} from './arguments.ts'

/** `chainId` is not part of the request: Cairn only compares it with that of the network. */
export type CallArguments = { readonly request: CallRequest; readonly chainId: bigint | null }

/** Throws `bad_params` with geth's texts for the first invalid member. */
export function parseCallRequest(value: unknown, position: number): CallArguments {
  return readCallRequest(value, { position, path: 'TransactionArgs' })
}

/** As `parseCallRequest`, for a call inside a larger argument. */
export function readCallRequest(value: unknown, reading: Reading): CallArguments {
  const members = readMembers(value, reading, 'ethapi.TransactionArgs')
  const data = readCallData(members, reading)
  const request: CallRequest = {
    ...ifDefined('from', readOptional(members, 'from', reading, readAddress)),
    ...ifDefined('to', readOptional(members, 'to', reading, readAddress)),
    ...ifDefined('gas', readOptional(members, 'gas', reading, readUint64)),
    ...ifDefined('gasPrice', readOptional(members, 'gasPrice', reading, readBig)),
    ...ifDefined('maxFeePerGas', readOptional(members, 'maxFeePerGas', reading, readBig)),
    ...ifDefined(
      'maxPriorityFeePerGas',
      readOptional(members, 'maxPriorityFeePerGas', reading, readBig),
    ),
    ...ifDefined('value', readOptional(members, 'value', reading, readBig)),
    ...ifDefined('nonce', readOptional(members, 'nonce', reading, readUint64)),
    ...ifDefined('data', data),
    ...ifDefined('accessList', readOptional(members, 'accessList', reading, readAccessList)),
    ...ifDefined(
      'blobVersionedHashes',
      readOptional(members, 'blobVersionedHashes', reading, readHashes),
    ),
    ...ifDefined('maxFeePerBlobGas', readOptional(members, 'maxFeePerBlobGas', reading, readBig)),
    ...ifDefined(
      'authorizationList',
      readOptional(members, 'authorizationList', reading, readAuthorizations),
    ),
  }
  return { request, chainId: readOptional(members, 'chainId', reading, readBig) ?? null }
}

function readCallData(members: Members, reading: Reading): Uint8Array | undefined {
  const data = readOptional(members, 'data', reading, readData)
  const input = readOptional(members, 'input', reading, readData)
  return input ?? data
}

type AccessList = NonNullable<CallRequest['accessList']>

function readAccessList(value: unknown, reading: Reading): AccessList {
  return readList(value, reading, 'types.AccessList', (item) => {
    const members = readMembers(item, reading, 'types.AccessTuple')
    const must = requiredMember(members, reading, 'AccessTuple')
    return { address: must('address', readAddress), storageKeys: must('storageKeys', readHashes) }
  })
}

type Authorizations = NonNullable<CallRequest['authorizationList']>

function readAuthorizations(value: unknown, reading: Reading): Authorizations {
  return readList(value, reading, '[]types.SetCodeAuthorization', (item) => {
    const members = readMembers(item, reading, 'types.SetCodeAuthorization')
    const must = requiredMember(members, reading, 'SetCodeAuthorization')
    return {
      chainId: must('chainId', readBig),
      address: must('address', readAddress),
      nonce: must('nonce', readUint64),
      yParity: must('yParity', readUint64),
      r: must('r', readBig),
      s: must('s', readBig),
    }
  })
}

/** Reads required members; `type`: go-ethereum's name of the object. */
function requiredMember(members: Members, reading: Reading, type: string) {
  return <T>(name: string, read: (value: unknown, reading: Reading) => T): T => {
    const found = readOptional(members, name, reading, read)
    if (found !== undefined) return found
    throw refuseArgument(reading.position, `missing required field '${name}' for ${type}`)
  }
}
