// Content policy of the dashboard: a browser may run and load only the dashboard's own assets, not other content of this
// server, such as `/ipfs/<cid>`.
// Tested by src/admin/dashboard/dashboard-handler.test.ts
import { assetsSource, pageHeaders } from '../../http/page-headers.ts'

/**
 * Content-Security-Policy level 3: no code except the assets, and no WebAssembly. `blob:` is content that the page shows under a
 * media type that it selects, such as video and PDF; a document in such a frame has this policy too. `script`, `connect`, `frame`:
 * additional allowed sources.
 */
function policy(host: string, { script = '', connect = '', frame = 'blob:' }): string {
  const assets = assetsSource(host, '/dashboard/assets/')
  return [
    "default-src 'none'",
    `script-src ${assets}${script}`,
    `worker-src ${assets}`,
    `style-src ${assets}`,
    "img-src 'self' data: blob:",
    'media-src blob:',
    `connect-src 'self'${connect}`,
    `frame-src ${frame}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * For every response below `/dashboard`, including errors. No CORS: other origins cannot read it. `host`: from the request, which
 * is the page's own.
 */
export function dashboardHeaders(host: string): Readonly<Record<string, string>> {
  return pageHeaders(policy(host, {}))
}

/** Only for the document with the card form: allows Stripe's script, frames and API. */
export function cardFormHeaders(host: string): Readonly<Record<string, string>> {
  return pageHeaders(
    policy(host, {
      script: ' https://js.stripe.com https://*.js.stripe.com',
      connect: ' https://api.stripe.com',
      frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    }),
  )
}
