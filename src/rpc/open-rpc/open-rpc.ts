// Generates the OpenRPC 1.3 document of the JSON-RPC API from the declarations of the methods.
import { faults, type FaultCode } from '../../base/fault.ts'
import type { RpcMethod } from '../operation.ts'
import type { ParamShape } from './method-shape.ts'
import { block, blockHash, blockNumber, type Json, parts, type WireType } from './types.ts'

/** Errors that any call may return; docs/reference/errors.md lists the others. */
const anyCall = [
  'bad_params',
  'refused_by_setting',
  'over_rate',
  'over_quota',
  'over_burst',
  'unverified',
  'no_upstream',
  'deadline',
  'overloaded',
  'internal',
] as const satisfies readonly FaultCode[]
/** Further errors of a call with a block parameter. */
const ofBlock = [
  'unknown_block',
  'not_canonical',
  'no_state',
] as const satisfies readonly FaultCode[]

const blocks: ReadonlySet<WireType> = new Set([block, blockHash, blockNumber])

const about = `What Cairn answers by itself. On networks behind upstreams other methods are handed on, unproved. A key may be
closed to some of them by its settings.`

type DescribedMethod = Pick<
  RpcMethod<unknown>,
  'name' | 'summary' | 'params' | 'result' | 'units' | 'bundle' | 'lasting'
>

/** `version`: the version of Cairn. */
export function openRpc(declarations: Iterable<DescribedMethod>, version: string): Json {
  const schemas = new Map<string, Json>()
  const note = ({ name, schema, madeOf = [] }: WireType): Json => {
    schemas.set(name, schema)
    for (const part of madeOf) note(part)
    return { $ref: `#/components/schemas/${name}` }
  }
  for (const part of parts) note(part)
  const methods = [...declarations]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((method) => describe(method, note))
  return {
    openrpc: '1.3.2',
    info: { title: 'Cairn JSON-RPC', version, description: about },
    servers: [
      {
        name: 'this server',
        url: '/v3/{apiKey}',
        variables: { apiKey: { default: 'API_KEY', description: 'A key of an account.' } },
      },
    ],
    methods,
    components: {
      schemas: Object.fromEntries(schemas),
      errors: Object.fromEntries([...anyCall, ...ofBlock].map((code) => [code, errorOf(code)])),
    },
  }
}

function describe(
  { name, summary, params, result, units, bundle, lasting }: DescribedMethod,
  note: (type: WireType) => Json,
): Json {
  const namesBlock = params.some(({ type }) => blocks.has(type))
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: params.map(({ name: param, required, type }: ParamShape) => ({
      name: param,
      required,
      schema: note(type),
    })),
    result: { name: 'result', schema: note(result) },
    errors: [...anyCall, ...(namesBlock ? ofBlock : [])].map((code) => ({
      $ref: `#/components/errors/${code}`,
    })),
    'x-cairn-units': units,
    'x-cairn-bundle': bundle !== undefined,
    ...(lasting === true ? { 'x-cairn-transport': 'websocket' } : {}),
  }
}

function errorOf(code: FaultCode): Json {
  const { rpc, message } = faults[code]
  return { code: rpc, message }
}
