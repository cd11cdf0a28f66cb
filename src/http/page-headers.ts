// Headers of a page that the server itself offers: its content policy, and no access for other origins.
// Tested by src/admin/dashboard/dashboard-handler.test.ts

/**
 * The folder that scripts and styles come from, as a source of a policy, so that a page does not run other content of this
 * server, such as `/ipfs/<cid>`. An address of IPv6 can not be written in one: there the whole origin is named, on which
 * content has no type that runs. `host`: of the request; `folder`: `/dashboard/assets/`.
 */
export function assetsSource(host: string, folder: string): string {
  return /^[A-Za-z0-9.-]+(?::\d+)?$/.test(host) ? `${host}${folder}` : "'self'"
}

/** For every response of the page, including refusals. No CORS: other origins cannot read it. */
export function pageHeaders(contentPolicy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
}
