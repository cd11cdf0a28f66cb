// Encodes a parsed call as canonical JSON-RPC params: for upstreams, cache keys and proof bundles.
// Tested by test/calls/proved-calls.test.ts
import { toHex, toQuantity } from '../base/hex.ts'
import type {
  AccessListEntry,
  BlockOverrides,
  BlockSimulation,
  CallRequest,
  Overrides,
  StateOverride,
  TracerChoice,
} from './computation.ts'

type Json = Readonly<Record<string, unknown>>

/** `[call, block, state overrides?, block overrides?]`. */
export function callParams(
  request: CallRequest,
  block: unknown,
  overrides: Overrides,
): readonly unknown[] {
  const state = stateOverridesJson(overrides.state)
  const fields = blockOverridesJson(overrides.block)
  const params = [requestJson(request), block]
  if (Object.keys(fields).length > 0) return [...params, state, fields]
  return overrides.state.length > 0 ? [...params, state] : params
}

/** `[call, block, config]` of debug_traceCall. */
export function traceParams(
  { request, overrides }: { readonly request: CallRequest; readonly overrides: Overrides },
  block: unknown,
  tracer: TracerChoice,
): readonly unknown[] {
  const stateOverrides = stateOverridesJson(overrides.state)
  const blockOverrides = blockOverridesJson(overrides.block)
  return [requestJson(request), block, { ...tracerJson(tracer), stateOverrides, blockOverrides }]
}

/** `[simulation, block]` of eth_simulateV1. */
export function simulationParams(
  { blocks, traceTransfers, validation }: BlockSimulation,
  block: unknown,
  returnFullTransactions: boolean,
): readonly unknown[] {
  const blockStateCalls = blocks.map(({ block: fields, state, calls }) => ({
    blockOverrides: blockOverridesJson(fields),
    stateOverrides: stateOverridesJson(state),
    calls: calls.map(requestJson),
  }))
  return [{ blockStateCalls, traceTransfers, validation, returnFullTransactions }, block]
}

function tracerJson({ kind, ...options }: TracerChoice): Json {
  switch (kind) {
    case 'struct':
      return options
    case 'call':
    case 'prestate':
      return { tracer: `${kind}Tracer`, tracerConfig: options }
    case '4byte':
    case 'noop':
      return { tracer: `${kind}Tracer` }
  }
}

export function requestJson(request: CallRequest): Json {
  const { from, to, data, nonce, accessList, authorizationList, blobVersionedHashes } = request
  return {
    ...(from && { from: toHex(from) }),
    ...(to && { to: toHex(to) }),
    ...(data && { input: toHex(data) }),
    ...quantities(request, [
      'gas',
      'gasPrice',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
      'value',
      'maxFeePerBlobGas',
    ]),
    ...(nonce !== undefined && { nonce: toQuantity(nonce) }),
    ...(accessList && { accessList: accessList.map(entryJson) }),
    ...(blobVersionedHashes && { blobVersionedHashes: blobVersionedHashes.map(toHex) }),
    ...(authorizationList && {
      authorizationList: authorizationList.map(({ address, ...numbers }) => ({
        address: toHex(address),
        ...quantities(numbers, ['chainId', 'nonce', 'yParity', 'r', 's']),
      })),
    }),
  }
}

/** Keyed by address in lower case. */
export function stateOverridesJson(overrides: readonly StateOverride[]): Record<string, Json> {
  return Object.fromEntries(
    overrides.map(({ address, code, state, stateDiff, movePrecompileTo, ...numbers }) => [
      toHex(address),
      {
        ...quantities(numbers, ['balance', 'nonce']),
        ...(code && { code: toHex(code) }),
        ...(state && { state: wordsJson(state) }),
        ...(stateDiff && { stateDiff: wordsJson(stateDiff) }),
        ...(movePrecompileTo && { movePrecompileToAddress: toHex(movePrecompileTo) }),
      },
    ]),
  )
}

function blockOverridesJson(overrides: BlockOverrides): Json {
  const { feeRecipient, prevRandao, beaconRoot, withdrawals, ...numbers } = overrides
  return {
    ...quantities(numbers, ['number', 'time', 'gasLimit', 'baseFeePerGas', 'blobBaseFee']),
    ...(feeRecipient && { feeRecipient: toHex(feeRecipient) }),
    ...(prevRandao && { prevRandao: toHex(prevRandao) }),
    ...(beaconRoot && { beaconRoot: toHex(beaconRoot) }),
    ...(withdrawals && {
      withdrawals: withdrawals.map(({ address, ...fields }) => ({
        address: toHex(address),
        ...quantities(fields, ['index', 'validatorIndex', 'amount']),
      })),
    }),
  }
}

function entryJson({ address, storageKeys }: AccessListEntry): Json {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) }
}

function wordsJson(words: NonNullable<StateOverride['state']>): Json {
  return Object.fromEntries(words.map(({ slot, word }) => [toHex(slot), toHex(word)]))
}

function quantities<Name extends string>(
  values: { readonly [name in Name]?: bigint },
  names: readonly Name[],
): Json {
  const entries = names.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [[name, toQuantity(value)]]
  })
  return Object.fromEntries(entries) as Json
}
