// Base URLs of the JSON-RPC API and the IPFS API, as this browser reaches them. Pure.

export type ApiBases = { readonly base: string; readonly webSocketBase: string }

/** `facesPort`: port of the APIs; null: the dashboard is on the same listener. */
export function apiBasesOf(
  page: { readonly protocol: string; readonly hostname: string; readonly port: string },
  facesPort: number | null,
): ApiBases {
  const port = facesPort === null ? page.port : String(facesPort)
  const host = port === '' ? page.hostname : `${page.hostname}:${port}`
  const webSocket = page.protocol === 'https:' ? 'wss:' : 'ws:'
  return { base: `${page.protocol}//${host}`, webSocketBase: `${webSocket}//${host}` }
}

/** Path of the JSON-RPC API; `network`: null for the default one. */
export function rpcPath(network: string | null, key: string): string {
  return `${network === null ? '' : `/${network}`}/v3/${key}`
}
