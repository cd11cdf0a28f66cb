// What a browser may do on a page of the dashboard: run and load what this server sent, and nothing else.
// Tested by src/http/dashboard-face.test.ts

/**
 * Content-Security-Policy level 3; `wasm-unsafe-eval` lets hashes of proofs be checked by compiled code. `script`,
 * `connect`, `frame`: what else may run, be asked, be framed.
 */
function policy({ script = '', connect = '', frame = "'none'" }): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval'${script}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${connect}`,
    `frame-src ${frame}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Of every answer below `/dashboard`, refusals too. No CORS: other origins read nothing here. */
export const dashboardHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy({}),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Of the one document where a card is added: Stripe's script, its frames and its API, and nobody else's. */
export const cardFormHeaders: Readonly<Record<string, string>> = {
  ...dashboardHeaders,
  'content-security-policy': policy({
    script: ' https://js.stripe.com https://*.js.stripe.com',
    connect: ' https://api.stripe.com',
    frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  }),
}
