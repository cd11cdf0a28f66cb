// Headers of the server's own pages: a content security policy, and no access for other origins.
// Tested by src/admin/dashboard/dashboard-handler.test.ts

/**
 * The folder of scripts and styles as a source of a content security policy, so that a page cannot run other content of this
 * server, such as `/ipfs/<cid>`. A source cannot contain an IPv6 address. For one, the source is the whole origin; content there
 * has no executable type. `host`: of the request; `folder`: `/dashboard/assets/`.
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
