// Where the two faces are, as this browser reaches them. Pure.

export type Faces = { readonly base: string; readonly webSocketBase: string }

/** `facesPort`: null when the page came from the same listener. */
export function facesOf(
  page: { readonly protocol: string; readonly hostname: string; readonly port: string },
  facesPort: number | null,
): Faces {
  const port = facesPort === null ? page.port : String(facesPort)
  const host = port === '' ? page.hostname : `${page.hostname}:${port}`
  const webSocket = page.protocol === 'https:' ? 'wss:' : 'ws:'
  return { base: `${page.protocol}//${host}`, webSocketBase: `${webSocket}//${host}` }
}

/** Path of the JSON-RPC face; `network`: null for the default one. */
export function rpcPath(network: string | null, key: string): string {
  return `${network === null ? '' : `/${network}`}/v3/${key}`
}
