// The process of the EDR peer: Hardhat's chain behind a small node:http server, started on a geth genesis.json (first argument).
// Prints its port.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1ProviderFactory,
  MineOrdering,
  OSAKA,
  type AccountOverride,
} from '@nomicfoundation/edr'

type Genesis = {
  readonly config: { readonly chainId: number }
  readonly alloc: Readonly<
    Record<
      string,
      { balance: string; nonce?: string; code?: string; storage?: Readonly<Record<string, string>> }
    >
  >
}

const genesis = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Genesis
const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
const genesisState = Object.entries(genesis.alloc).map(([address, account]): AccountOverride => ({
  address: bytes(address),
  balance: BigInt(account.balance),
  nonce: BigInt(account.nonce ?? '0x0'),
  ...(account.code === undefined ? {} : { code: bytes(account.code) }),
  storage: Object.entries(account.storage ?? {}).map(([slot, value]) => ({
    index: BigInt(slot),
    value: BigInt(value),
  })),
}))

const context = new EdrContext()
await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
const provider = await context.createProvider(
  L1_CHAIN_TYPE,
  {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: false,
    bailOnTransactionFailure: true,
    chainId: BigInt(genesis.config.chainId),
    coinbase: new Uint8Array(20),
    defaultTransactionGasLimit: 16_777_216n,
    genesisState,
    hardfork: OSAKA,
    initialBaseFeePerGas: 1_000_000_000n,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    mining: {
      autoMine: true,
      blockGasLimit: 60_000_000n,
      memPool: { order: MineOrdering.Fifo },
    },
    network: { genesisBlockGasLimit: 60_000_000n, genesisBlockTime: 1_700_000_000n },
    networkId: BigInt(genesis.config.chainId),
    observability: {},
    ownedAccounts: [],
    precompileOverrides: [],
  },
  { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
  { subscriptionCallback: () => {} },
  new ContractDecoder(),
)

const server = createServer((request, response) => {
  // Cairn also tries a WebSocket for pushed heads, which this server lacks.
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts).toString()
    const { id } = JSON.parse(body) as { id: unknown }
    void provider.handleRequest(body).then(({ data }) => {
      const answer = typeof data === 'string' ? data : JSON.stringify(data)
      const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer.slice(1)}`
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    })
  })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
