// What a caller is told when an upstream brought no result (contract-rpc 5, 13). What the node said of the call
// itself passes; what went wrong between us and the node does not.
import { Fault } from '../../base/fault.ts'
import type { UpstreamError } from './node/upstream-error.ts'

/** Callers read at most so much of a node's words. */
const charsMax = 256

/** `network`: its name; `method`: as it was asked. */
export function faultOf(
  error: UpstreamError,
  { network, method }: { readonly network: string; readonly method: string },
): Fault {
  const options = { detail: error.message.slice(0, charsMax), cause: error }
  switch (error.kind) {
    case 'range':
      return new Fault('over_range', options)
    case 'no_tag':
      return new Fault('no_tag', options)
    case 'missing_state':
      return new Fault('no_state', options)
    case 'pruned':
      return new Fault('pruned', { cause: error })
    case 'proof_window':
      return new Fault('unprovable', { cause: error })
    case 'unknown_block':
      return new Fault('unknown_block', { detail: 'header not found', cause: error })
    case 'not_canonical':
      return new Fault('not_canonical', { cause: error })
    case 'unsupported': {
      const detail = `The method ${method.slice(0, charsMax)} does not exist/is not available`
      return new Fault('no_method', { detail, cause: error })
    }
    case 'execution':
    case 'already_known':
    case 'nonce_too_low':
    case 'client_fault':
    case 'other': {
      const said = { code: error.code ?? -32000, data: error.data }
      return new Fault('upstream_said', { ...options, said })
    }
    case 'rate_limit':
    case 'billing':
    case 'credentials':
    case 'trouble':
    case 'not_asked':
      return new Fault('no_upstream', {
        detail: `no source reachable for ${network}`,
        cause: error,
      })
  }
}
