// The signature of a JSON-RPC method, as declared: parameters by position, and the result.
// Tested by src/rpc/open-rpc/open-rpc.test.ts
import type { WireType } from './types.ts'

export type ParamShape = {
  readonly name: string
  readonly type: WireType
  readonly required: boolean
}

/** Members of a declaration for its OpenRPC description. */
export type MethodShape = {
  /** One sentence. */
  readonly summary: string
  /** Required parameters first. `parse` accepts the example of each type. */
  readonly params: readonly ParamShape[]
  readonly result: WireType
}

export function requiredParam(name: string, type: WireType): ParamShape {
  return { name, type, required: true }
}

export function optionalParam(name: string, type: WireType): ParamShape {
  return { name, type, required: false }
}
