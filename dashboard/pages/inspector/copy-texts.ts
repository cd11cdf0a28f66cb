// A recorded call as code of a client. Pure.

const copyNames = ['curl', 'ethers', 'viem'] as const
export type CopyName = (typeof copyNames)[number]

export type CopiedCall = {
  readonly face: 'rpc' | 'files'
  readonly method: string
  /** A JSON array. For an IPFS command: its arguments, then its options. */
  readonly params: string
}

export type CopyPlace = {
  /** URL of the JSON-RPC API, with the key. */
  readonly rpcUrl: string
  /** Scheme, host and port. */
  readonly base: string
  readonly key: string
  readonly secret: string
}

/** Clients that can send the call. */
export function namesFor({ face }: Pick<CopiedCall, 'face'>): readonly CopyName[] {
  return face === 'rpc' ? copyNames : ['curl']
}

/** Throws SyntaxError if the params are not JSON. */
export function copyText(name: CopyName, call: CopiedCall, place: CopyPlace): string {
  if (call.face === 'files') return commandText(call, place)
  const params = JSON.parse(call.params) as unknown
  const method = JSON.stringify(call.method)
  switch (name) {
    case 'curl': {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params })
      return `curl -s ${quoted(place.rpcUrl)} \\
  -H 'content-type: application/json' \\
  -d ${quoted(body)}`
    }
    case 'ethers':
      return `import { JsonRpcProvider } from 'ethers'

const provider = new JsonRpcProvider(${JSON.stringify(place.rpcUrl)})
console.log(await provider.send(${method}, ${written(params)}))`
    case 'viem':
      return `import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http(${JSON.stringify(place.rpcUrl)}) })
console.log(await client.request({
  method: ${method},
  params: ${written(params, 2)},
}))`
  }
}

function commandText({ method, params }: CopiedCall, { base, key, secret }: CopyPlace): string {
  const all = JSON.parse(params) as readonly unknown[]
  const options = (all.at(-1) ?? {}) as Readonly<Record<string, unknown>>
  const query = new URLSearchParams([
    ...all.slice(0, -1).map((value) => ['arg', String(value)] as [string, string]),
    ...Object.entries(options).map(([name, value]) => [name, String(value)] as [string, string]),
  ])
  const url = `${base}/api/v0/${method}${query.size === 0 ? '' : `?${query}`}`
  return `curl -s -X POST -u ${quoted(`${key}:${secret}`)} \\
  ${quoted(url)}`
}

function written(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
