// The call object of eth_call and eth_estimateGas (geth's TransactionArgs). Unknown members are ignored.
// Tested by src/gateway/params/params.test.ts
import { equalBytes } from '../../base/hex.ts'
import type { CallRequest } from '../../ethereum/network.ts'
import { parseAddressField, parseHashField } from './fixed-bytes.ts'
import { isRefused, readBytes, readQuantity } from './hex-text.ts'
import { jsonTypeName, refuseArgument, wrongType } from './refuse.ts'

/** `chainId` is not part of the request proper: it is compared with the network's own. */
export type CallArguments = { readonly request: CallRequest; readonly chainId: bigint | null }

type Members = ReadonlyMap<string, unknown>
type Reading = { readonly position: number; readonly path: string }

const listLengthMax = 65_536

/** Throws `bad_params` with geth's texts for the first member that cannot be read. */
export function parseCallRequest(value: unknown, position: number): CallArguments {
  const reading = { position, path: 'TransactionArgs' }
  const members = readMembers(value, reading, 'ethapi.TransactionArgs')
  const data = readCallData(members, reading)
  const request: CallRequest = {
    ...given('from', readOptional(members, 'from', reading, readAddress)),
    ...given('to', readOptional(members, 'to', reading, readAddress)),
    ...given('gas', readOptional(members, 'gas', reading, readUint64)),
    ...given('gasPrice', readOptional(members, 'gasPrice', reading, readBig)),
    ...given('maxFeePerGas', readOptional(members, 'maxFeePerGas', reading, readBig)),
    ...given(
      'maxPriorityFeePerGas',
      readOptional(members, 'maxPriorityFeePerGas', reading, readBig),
    ),
    ...given('value', readOptional(members, 'value', reading, readBig)),
    ...given('nonce', readOptional(members, 'nonce', reading, readUint64)),
    ...given('data', data),
    ...given('accessList', readOptional(members, 'accessList', reading, readAccessList)),
    ...given(
      'blobVersionedHashes',
      readOptional(members, 'blobVersionedHashes', reading, readHashes),
    ),
    ...given('maxFeePerBlobGas', readOptional(members, 'maxFeePerBlobGas', reading, readBig)),
    ...given(
      'authorizationList',
      readOptional(members, 'authorizationList', reading, readAuthorizations),
    ),
  }
  return { request, chainId: readOptional(members, 'chainId', reading, readBig) ?? null }
}

function given<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: V })
}

function readCallData(members: Members, reading: Reading): Uint8Array | undefined {
  const data = readOptional(members, 'data', reading, readData)
  const input = readOptional(members, 'input', reading, readData)
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    throw refuseArgument(
      reading.position,
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  return input ?? data
}

function readOptional<T>(
  members: Members,
  name: string,
  reading: Reading,
  read: (value: unknown, reading: Reading) => T,
): T | undefined {
  const value = members.get(name) ?? null
  if (value === null) return undefined
  return read(value, { ...reading, path: `${reading.path}.${name}` })
}

function readMembers(value: unknown, { position, path }: Reading, goType: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return new Map(Object.entries(value))
  }
  const field = path.includes('.') ? path : undefined
  throw refuseArgument(position, wrongType(jsonTypeName(value), goType, field))
}

function readAddress(value: unknown, { position, path }: Reading): Uint8Array {
  return parseAddressField(value, position, path)
}

function readHash(value: unknown, { position, path }: Reading): Uint8Array {
  return parseHashField(value, position, path)
}

function readQuantityAs(value: unknown, reading: Reading, goType: string, bits: 64 | 256): bigint {
  const read =
    typeof value === 'string' ? readQuantity(value, bits) : ({ refused: 'non-string' } as const)
  if (!isRefused(read)) return read
  throw refuseArgument(reading.position, wrongType(read.refused, goType, reading.path))
}

function readUint64(value: unknown, reading: Reading): bigint {
  return readQuantityAs(value, reading, 'hexutil.Uint64', 64)
}

function readBig(value: unknown, reading: Reading): bigint {
  return readQuantityAs(value, reading, '*hexutil.Big', 256)
}

function readData(value: unknown, { position, path }: Reading): Uint8Array {
  const read = typeof value === 'string' ? readBytes(value) : ({ refused: 'non-string' } as const)
  if (!isRefused(read)) return read
  throw refuseArgument(position, wrongType(read.refused, 'hexutil.Bytes', path))
}

function readList<T>(
  value: unknown,
  reading: Reading,
  goType: string,
  read: (item: unknown, reading: Reading) => T,
): readonly T[] {
  if (!Array.isArray(value)) {
    throw refuseArgument(reading.position, wrongType(jsonTypeName(value), goType, reading.path))
  }
  if (value.length > listLengthMax) {
    throw refuseArgument(reading.position, `${reading.path} is longer than ${listLengthMax} items`)
  }
  return value.map((item: unknown) => read(item, reading))
}

function readHashes(value: unknown, reading: Reading): readonly Uint8Array[] {
  return readList(value, reading, '[]common.Hash', readHash)
}

type AccessList = NonNullable<CallRequest['accessList']>

function readAccessList(value: unknown, reading: Reading): AccessList {
  return readList(value, reading, 'types.AccessList', (item) => {
    const members = readMembers(item, reading, 'types.AccessTuple')
    return {
      address: readOptional(members, 'address', reading, readAddress) ?? new Uint8Array(20),
      storageKeys: readOptional(members, 'storageKeys', reading, readHashes) ?? [],
    }
  })
}

type Authorizations = NonNullable<CallRequest['authorizationList']>

function readAuthorizations(value: unknown, reading: Reading): Authorizations {
  return readList(value, reading, '[]types.SetCodeAuthorization', (item) => {
    const members = readMembers(item, reading, 'types.SetCodeAuthorization')
    const must = <T>(name: string, read: (value: unknown, reading: Reading) => T): T => {
      const found = readOptional(members, name, reading, read)
      if (found !== undefined) return found
      throw refuseArgument(
        reading.position,
        `missing required field '${name}' for SetCodeAuthorization`,
      )
    }
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
