// The signature of a JSON-RPC method, as its declaration states it: parameters by position, and the result.
// Tested by src/rpc/open-rpc/open-rpc.test.ts
import type { WireType } from './types.ts'

export type ParamShape = {
  readonly name: string
  readonly type: WireType
  readonly required: boolean
}

/** Members of a declaration that its OpenRPC description is made of. */
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
