// Content policy of the dashboard: a browser may run and load only the dashboard's own assets, not other content of this
// server, such as `/ipfs/<cid>`.
// Tested by src/admin/dashboard/dashboard-handler.test.ts

const assets = '/dashboard/assets/'

/**
 * Where scripts and styles come from, as a source of a policy. An address of IPv6 can not be written in one: there the
 * whole origin is named, on which content has no type that runs.
 */
function assetsSource(host: string): string {
  return /^[A-Za-z0-9.-]+(?::\d+)?$/.test(host) ? `${host}${assets}` : "'self'"
}

/**
 * Content-Security-Policy level 3; `wasm-unsafe-eval` allows compiled code to check the hashes of proofs. `script`,
 * `connect`, `frame`: further allowed sources.
 */
function policy(host: string, { script = '', connect = '', frame = "'none'" }): string {
  return [
    "default-src 'none'",
    `script-src ${assetsSource(host)} 'wasm-unsafe-eval'${script}`,
    `style-src ${assetsSource(host)}`,
    "img-src 'self' data: blob:",
    `connect-src 'self'${connect}`,
    `frame-src ${frame}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * For every response below `/dashboard`, including refusals. No CORS: other origins cannot read it. `host`: of the
 * request, which is the page's own.
 */
export function dashboardHeaders(host: string): Readonly<Record<string, string>> {
  return headersWith(policy(host, {}))
}

/** Only for the document with the card form: allows Stripe's script, frames and API. */
export function cardFormHeaders(host: string): Readonly<Record<string, string>> {
  return headersWith(
    policy(host, {
      script: ' https://js.stripe.com https://*.js.stripe.com',
      connect: ' https://api.stripe.com',
      frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    }),
  )
}

function headersWith(contentPolicy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
}
