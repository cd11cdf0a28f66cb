// Code snippets for each client, with the endpoints of this server. Pure.

export type SnippetInput = {
  /** URL of the JSON-RPC API, with the key. */
  readonly rpcUrl: string
  /** Scheme, host and port. */
  readonly base: string
  readonly key: string
  readonly secret: string
}

export const snippetNames = ['curl', 'ethers', 'viem', 'web3.py', 'kubo-rpc-client'] as const
export type SnippetName = (typeof snippetNames)[number]

export function snippetText(
  name: SnippetName,
  { rpcUrl, base, key, secret }: SnippetInput,
): string {
  switch (name) {
    case 'curl':
      return `# Ethereum
curl -s ${rpcUrl} \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'

# Files
printf 'hello cairn\\n' | curl -s -u '${key}:${secret}' \\
  -F file=@- ${base}/api/v0/add`
    case 'ethers':
      return `import { JsonRpcProvider } from 'ethers'

const provider = new JsonRpcProvider('${rpcUrl}')
console.log(await provider.getBlockNumber())`
    case 'viem':
      return `import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('${rpcUrl}') })
console.log(await client.getBlockNumber())`
    case 'web3.py':
      return `from web3 import HTTPProvider, Web3

w3 = Web3(HTTPProvider("${rpcUrl}"))
print(w3.eth.block_number)`
    case 'kubo-rpc-client':
      return `import { create } from 'kubo-rpc-client'

const ipfs = create({
  url: '${base}/api/v0',
  headers: { authorization: 'Basic ' + btoa('${key}:${secret}') },
})
const { cid } = await ipfs.add('hello cairn\\n')
console.log(cid.toString())`
  }
}

/** Masks a key or secret except for its start. */
export function masked(text: string): string {
  return text.length <= 18 ? text : `${text.slice(0, 16)}…`
}
