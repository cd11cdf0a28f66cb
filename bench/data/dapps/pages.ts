// The calls of four kinds of dapps: a balance page, a swap page, a gallery and an indexer. A visitor opens a page at one block and
// stays for ten blocks, two minutes of Ethereum; the page polls at each new block. The mix was fixed before it was measured; it
// contains calls without a proof, as real traffic does.
import { encodeFunctionData, type Hex, numberToHex, pad } from 'viem'
import { abi, type DappBlock, type DappChain, swapOf, tokensOf } from './chain.ts'

export type PageCall = { readonly method: string; readonly params: readonly unknown[] }

export type Page = {
  readonly name: string
  /** Calls of a page that opens at the newest block. */
  open(chain: DappChain, user: number): readonly PageCall[]
  /** Calls of an open page at each later block. */
  poll(chain: DappChain, user: number): readonly PageCall[]
}

/** Visitors that open a page at each block, and blocks for which they stay. */
export const visitorsPerBlock = 2
export const blocksOfVisit = 10

const ether = 10n ** 18n
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const rpc = (method: string, ...params: readonly unknown[]): PageCall => ({ method, params })
const ofAddress = (address: Hex) => pad(address, { size: 32 })

type Request = { readonly to: Hex; readonly data: Hex }

/** Call data of a view; its arguments are those of the ABI of the contracts. */
function view(to: Hex | undefined, functionName: string, ...args: readonly unknown[]): Request {
  const encode = encodeFunctionData as (options: object) => Hex
  return { to: to ?? '0x', data: encode({ abi, functionName, args }) }
}

const call = (request: Request | (Request & { readonly from: Hex })) =>
  rpc('eth_call', request, 'latest')

/** One call of the multicall contract, as viem and wagmi batch the reads of a page. */
function many({ multicall }: DappChain, requests: readonly Request[]): PageCall {
  const calls = requests.map(({ to, data }) => ({
    target: to,
    allowFailure: true,
    callData: data,
  }))
  return call(view(multicall, 'aggregate3', calls))
}

const userAt = ({ users }: DappChain, user: number): Hex => users[user % users.length] ?? '0x'

function newest({ blocks }: DappChain): DappBlock {
  const block = blocks.at(-1)
  if (block === undefined) throw new TypeError('the chain has no traffic')
  return block
}

/** The number of the block `depth` below the head. */
function below(chain: DappChain, depth: number): Hex {
  const number = newest(chain).number - BigInt(depth)
  return numberToHex(number > 0n ? number : 1n)
}

/** Balances and allowances of a wallet, and its last transfers. */
const balances: Page = {
  name: 'ERC-20 balance page',
  open(chain, user) {
    const address = userAt(chain, user)
    const { tokens, router } = chain
    const details = (token: Hex) => [
      view(token, 'symbol'),
      view(token, 'decimals'),
      view(token, 'name'),
      view(token, 'balanceOf', address),
    ]
    const half = tokens.length / 2
    return [
      rpc('eth_chainId'),
      rpc('eth_blockNumber'),
      rpc('eth_getBalance', address, 'latest'),
      rpc('eth_getTransactionCount', address, 'latest'),
      rpc('eth_getCode', address, 'latest'),
      many(chain, tokens.slice(0, half).flatMap(details)),
      many(chain, tokens.slice(half).flatMap(details)),
      ...tokens.map((token) => call(view(token, 'balanceOf', address))),
      ...tokensOf(user).map((token) => call(view(tokens[token], 'allowance', address, router))),
      rpc('eth_gasPrice'),
      rpc('eth_getBlockByNumber', 'latest', false),
      ...[
        [transferTopic, null, ofAddress(address)],
        [transferTopic, ofAddress(address)],
      ].map((topics) =>
        rpc('eth_getLogs', {
          fromBlock: below(chain, 19),
          toBlock: 'latest',
          address: tokens,
          topics,
        }),
      ),
      rpc('eth_getTransactionByHash', chain.lastOf(user)),
      rpc('eth_getTransactionReceipt', chain.lastOf(user)),
    ]
  },
  poll(chain, user) {
    const address = userAt(chain, user)
    return [
      rpc('eth_blockNumber'),
      rpc('eth_getBalance', address, 'latest'),
      many(chain, [
        view(chain.multicall, 'getEthBalance', address),
        ...chain.tokens.map((token) => view(token, 'balanceOf', address)),
      ]),
      ...tokensOf(user).map((token) => call(view(chain.tokens[token], 'balanceOf', address))),
    ]
  },
}

/** Reserves, quotes, fees and the simulation of a swap. */
const swaps: Page = {
  name: 'swap page',
  open(chain, user) {
    const address = userAt(chain, user)
    const { tokens, router } = chain
    const [first = 0, second = 0, third = 0] = tokensOf(user)
    const swap = { from: address, to: router, data: swapOf(user, ether, chain) }
    const approve = view(tokens[first], 'approve', router, ether)
    return [
      rpc('eth_chainId'),
      rpc('eth_blockNumber'),
      rpc('eth_getBalance', address, 'latest'),
      many(chain, [
        ...poolReads(chain, user),
        view(tokens[first], 'balanceOf', address),
        view(tokens[third], 'balanceOf', address),
        view(tokens[first], 'allowance', address, router),
      ]),
      call(view(tokens[first], 'symbol')),
      call(view(tokens[third], 'symbol')),
      call(view(tokens[first], 'decimals')),
      call(view(tokens[third], 'decimals')),
      call(view(router, 'getPair', tokens[first], tokens[second])),
      call(view(router, 'getPair', tokens[second], tokens[third])),
      // The quotes while a visitor types the amount.
      ...[1n, 12n, 125n].map((amount) => call(amountsOut(chain, user, amount * ether))),
      call(bestPath(chain, user)),
      rpc('eth_feeHistory', '0x5', 'latest', [10, 50, 90]),
      rpc('eth_maxPriorityFeePerGas'),
      rpc('eth_gasPrice'),
      rpc('eth_getBlockByNumber', 'latest', false),
      rpc('eth_estimateGas', { from: address, ...approve }),
      rpc('eth_estimateGas', swap),
      call(swap),
      // The nonce of a wallet includes pending transactions, and the receipt is polled before a block contains the swap.
      rpc('eth_getTransactionCount', address, 'pending'),
      rpc('eth_getTransactionReceipt', unmined(newest(chain), user)),
      rpc('eth_getTransactionByHash', chain.lastOf(user)),
      rpc('eth_getTransactionReceipt', chain.lastOf(user)),
    ]
  },
  poll(chain, user) {
    return [
      rpc('eth_blockNumber'),
      rpc('eth_getBalance', userAt(chain, user), 'latest'),
      many(chain, poolReads(chain, user)),
      call(amountsOut(chain, user, 125n * ether)),
      call(bestPath(chain, user)),
      rpc('eth_feeHistory', '0x5', 'latest', [10, 50, 90]),
      rpc('eth_getBlockByNumber', 'latest', false),
    ]
  },
}

function poolReads({ pairs }: DappChain, user: number): readonly Request[] {
  const [first = 0] = tokensOf(user)
  return [view(pairs[first], 'getReserves'), view(pairs[first + 1], 'getReserves')]
}

function amountsOut({ tokens, router }: DappChain, user: number, amount: bigint): Request {
  const path = tokensOf(user).map((token) => tokens[token])
  return view(router, 'getAmountsOut', amount, path)
}

/** Many instructions over few slots, as in quotes of concentrated liquidity. */
function bestPath({ tokens, router }: DappChain, user: number): Request {
  const [first = 0] = tokensOf(user)
  const paths = [2, 3].map((length) => tokens.slice(first, first + length))
  return view(router, 'quote', 125n * ether, paths, 10n)
}

/** A hash of a transaction that no block contains. */
function unmined({ hash }: DappBlock, user: number): Hex {
  return `0x${hash.slice(2, 60)}${user.toString(16).padStart(6, '0')}`
}

/** Items of a collection, their owners and their metadata. */
const galleryPage: Page = {
  name: 'NFT gallery',
  open(chain, user) {
    const { gallery, router } = chain
    const address = userAt(chain, user)
    const items = Array.from({ length: 12 }, (_, at) => BigInt(((user * 12 + at) % 120) + 1))
    return [
      rpc('eth_chainId'),
      rpc('eth_blockNumber'),
      ...['0x80ac58cd', '0x5b5e139f'].map((id) => call(view(gallery, 'supportsInterface', id))),
      many(chain, [
        view(gallery, 'name'),
        view(gallery, 'symbol'),
        view(gallery, 'totalSupply'),
        view(gallery, 'balanceOf', address),
        view(gallery, 'isApprovedForAll', address, router),
      ]),
      call(view(gallery, 'balanceOf', address)),
      ...Array.from({ length: chain.owned(user) }, (_, at) =>
        call(view(gallery, 'tokenOfOwnerByIndex', address, BigInt(at))),
      ),
      many(
        chain,
        items.map((item) => view(gallery, 'tokenURI', item)),
      ),
      ...items.slice(0, 6).map((item) => call(view(gallery, 'tokenURI', item))),
      ...items.slice(0, 6).map((item) => call(view(gallery, 'ownerOf', item))),
      rpc('eth_getLogs', {
        fromBlock: below(chain, 29),
        toBlock: 'latest',
        address: gallery,
        topics: [transferTopic, null, ofAddress(address)],
      }),
      rpc('eth_getLogs', { fromBlock: below(chain, 9), toBlock: 'latest', address: gallery }),
      rpc('eth_getBlockByNumber', 'latest', false),
      rpc('eth_getTransactionReceipt', chain.lastOf(user)),
    ]
  },
  poll(chain, user) {
    const { gallery } = chain
    return [
      rpc('eth_blockNumber'),
      call(view(gallery, 'balanceOf', userAt(chain, user))),
      call(view(gallery, 'totalSupply')),
      rpc('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest', address: gallery }),
    ]
  },
}

/** Follows the chain block by block, and indexes older blocks. */
const indexer: Page = {
  name: 'graph indexer',
  open: () => [
    rpc('net_version'),
    rpc('eth_chainId'),
    rpc('eth_getBlockByNumber', '0x0', false),
    rpc('eth_blockNumber'),
  ],
  poll(chain) {
    const { hash, transactions } = newest(chain)
    const of = { blockHash: hash }
    const older = below(chain, 12)
    return [
      rpc('eth_getBlockByNumber', 'latest', false),
      rpc('eth_getBlockByHash', hash, true),
      rpc('eth_getBlockReceipts', hash),
      rpc('eth_getLogs', { ...of, topics: [transferTopic] }),
      rpc('eth_getLogs', { ...of, address: chain.pairs }),
      ...transactions.slice(0, 4).map((each) => rpc('eth_getTransactionReceipt', each)),
      ...chain.pairs.map((pair) => rpc('eth_call', view(pair, 'getReserves'), of)),
      ...chain.tokens.map((token) => rpc('eth_call', view(token, 'totalSupply'), of)),
      rpc('eth_getBlockByNumber', older, true),
      rpc('eth_getBlockReceipts', older),
      rpc('eth_getLogs', { fromBlock: older, toBlock: below(chain, 3), address: chain.pairs }),
    ]
  },
}

/** The pages of visitors. The indexer opens once and polls at each block. */
export const visitedPages: readonly Page[] = [balances, swaps, galleryPage]
export const indexerPage: Page = indexer
