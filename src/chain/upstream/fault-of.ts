// Maps an upstream's error to the error for the caller. An error of the node about the call itself passes with its code
// and text, as geth returns it; a transport error becomes an error of Cairn.
import { Fault } from '../../base/fault.ts'
import type { UpstreamError } from './node/upstream-error.ts'

/** Maximum length of a node's text for callers. */
const charsMax = 1024
/** Maximum length of a method name. */
const nameCharsMax = 256

/** `network`: its name; `method`: as called. */
export function faultOf(
  error: UpstreamError,
  { network, method }: { readonly network: string; readonly method: string },
): Fault {
  const options = { detail: error.message.slice(0, charsMax), cause: error }
  const upstreamError = { code: error.code ?? -32000, data: error.data }
  switch (error.kind) {
    case 'range':
      return new Fault('over_range', error.code === null ? options : { ...options, upstreamError })
    case 'no_tag':
      return new Fault('no_tag', error.code === null ? options : { ...options, upstreamError })
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
      // A text without a code may be about a param: a tracer, a type of transaction, a tag.
      if (error.isAboutCall) return new Fault('upstream_said', { ...options, upstreamError })
      const detail = `The method ${method.slice(0, nameCharsMax)} does not exist/is not available`
      return new Fault('no_method', { detail, cause: error })
    }
    case 'execution':
    case 'already_known':
    case 'nonce_too_low':
    case 'client_fault':
    case 'other':
      return new Fault('upstream_said', { ...options, upstreamError })
    case 'trouble':
      if (error.isAboutCall) return new Fault('upstream_said', { ...options, upstreamError })
      return unreachable(network, error)
    case 'rate_limit':
    case 'billing':
    case 'credentials':
    case 'not_asked':
      return unreachable(network, error)
  }
}

function unreachable(network: string, cause: UpstreamError): Fault {
  return new Fault('no_upstream', { detail: `no source reachable for ${network}`, cause })
}
