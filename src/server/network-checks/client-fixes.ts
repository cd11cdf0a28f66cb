// Fixes for upstream nodes, as flags of each client.
// Tested by src/cli/doctor/upstream-checks.test.ts

export type NodeNeed = 'proof' | 'receipts' | 'raw' | 'sync' | 'update'

type Fixes = Readonly<Partial<Record<NodeNeed, string>>>

/** Key: the first word of `web3_clientVersion`. Source: the clients' documentation of their flags. */
const fixes: Readonly<Record<string, Fixes>> = {
  geth: {
    proof:
      'geth proves 128 blocks once it is synced; more with --history.trienode, all with --gcmode archive',
    raw: 'geth --http.api eth,net,web3,debug',
  },
  reth: {
    proof: 'reth node --rpc.eth-proof-window 10000',
    raw: 'reth node --http.api eth,net,web3,debug',
  },
  erigon: {
    proof: 'erigon --prune.include-commitment-history',
    raw: 'erigon --http.api eth,net,web3,debug,erigon',
  },
  nethermind: {
    proof: 'nethermind --Pruning.Mode None proves all',
    raw: 'nethermind --JsonRpc.EnabledModules Eth,Net,Web3,Debug,Proof',
  },
  besu: {
    proof: 'besu --bonsai-historical-block-limit=512, or --data-storage-format=FOREST for all',
    raw: 'besu --rpc-http-api=ETH,NET,WEB3,DEBUG',
  },
}

const others: Readonly<Record<NodeNeed, string>> = {
  proof: 'add an upstream with state proofs (your own geth, reth, erigon, nethermind or besu)',
  receipts: 'add an upstream with eth_getBlockReceipts, or update this one',
  raw: 'enable the debug methods for faster requests (optional)',
  sync: 'check eth_syncing; wait for the sync, or remove the upstream until it has finished',
  update: 'update the node (optional: Cairn proves answers either way)',
}

/** `client`: its name as it reports it, or null. */
export function fixOf(client: string | null, need: NodeNeed): string {
  const name = /^[a-z]+/i.exec(client ?? '')?.[0].toLowerCase() ?? ''
  return fixes[name]?.[need] ?? others[need]
}
