// Cross-origin headers of the JSON-RPC API, on every status. No Allow-Credentials: a key
// travels in the URL and a secret in a header the page itself must know.
// Tested by src/rpc/api/rpc-api.test.ts

const exposed =
  'retry-after, x-request-id, x-cairn-verified, x-cairn-head, x-cairn-block, x-cairn-block-number, x-cairn-units'
const allowed =
  'content-type, authorization, infura-source, user-agent, x-requested-with, accept, x-cairn-proof'

/**
 * Headers that every reply of the API carries, names and values in turn: the Origin reflected, or `*` when none
 * was sent. A fresh array.
 */
export function corsHeaders(origin: string | undefined): string[] {
  return [
    'access-control-allow-origin',
    origin ?? '*',
    'vary',
    'Origin',
    'access-control-expose-headers',
    exposed,
  ]
}

/** Headers of a 204 to OPTIONS; no key is needed. */
export function preflightHeaders(origin: string | undefined): string[] {
  return [
    ...corsHeaders(origin),
    'access-control-allow-methods',
    'POST, OPTIONS',
    'access-control-allow-headers',
    allowed,
    'access-control-max-age',
    '7200',
    'x-content-type-options',
    'nosniff',
  ]
}
