// The chain of the dapp traffic, created by a real geth: tokens with many holders, pairs and a router, a gallery, and blocks of
// their transactions. Every run creates the same blocks.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { systemContracts } from '../../../src/evm/system-contracts.ts'
import type { Geth } from '../../../test/record/geth.ts'

export const dappChainId = 31_338
const secondsPerBlock = 12
const genesisTime = 1_767_225_600
const gasLimit = 60_000_000n
const gwei = 10n ** 9n
const ether = 10n ** 18n

const users = 40
const tokens = 8
/** Holders per token; a transaction creates at most this many, because its gas is limited (EIP-7825). */
const holders = 1800
const holdersPerTransaction = 600
const firstHolder = 1n << 152n
const itemsPerUser = 3

export const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function mintRange(uint160 first, uint256 count, uint256 value)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function sync()',
  'function addPair(address pair)',
  'function getPair(address, address) view returns (address)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function quote(uint256 amountIn, address[][] paths, uint256 parts) view returns (uint256, uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function ownerOf(uint256) view returns (address)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function isApprovedForAll(address, address) view returns (bool)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function transferFrom(address from, address to, uint256 tokenId)',
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
  'function getEthBalance(address owner) view returns (uint256)',
])
const mintAbi = parseAbi(['function mint(address to, uint256 value)'])

const codes = JSON.parse(
  readFileSync(new URL('./contracts.json', import.meta.url), 'utf8'),
) as Readonly<Record<'Token' | 'Pair' | 'Router' | 'Gallery' | 'Multicall', Hex>>

export type DappBlock = {
  readonly number: bigint
  readonly hash: Hex
  /** Transaction hashes, in block order. */
  readonly transactions: readonly Hex[]
}

export type DappChain = {
  readonly users: readonly Hex[]
  /** Addresses of the contracts. Pair n trades tokens n and n + 1. */
  readonly tokens: readonly Hex[]
  readonly pairs: readonly Hex[]
  readonly router: Hex
  readonly gallery: Hex
  readonly multicall: Hex
  /** Number of gallery items that a user owns. */
  readonly owned: (user: number) => number
  /** Newest last, starting with the first block of traffic. */
  readonly blocks: readonly DappBlock[]
  /** The last transaction of a user. */
  readonly lastOf: (user: number) => Hex
  /** Creates a block of transfers, swaps and gallery transfers. */
  nextBlock(): Promise<DappBlock>
}

const accounts = Array.from({ length: users }, (_, user) =>
  privateKeyToAccount(`0x${createHash('sha256').update(`dapp user ${user}`).digest('hex')}`),
)
const deployer = accountAt(0)

function accountAt(user: number): PrivateKeyAccount {
  const account = accounts[user % users]
  if (account === undefined) throw new TypeError('no accounts')
  return account
}

const forkBlocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople']
  .concat(['petersburg', 'istanbul', 'berlin', 'london'])
  .map((fork) => [`${fork}Block`, 0])
const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
/** As in the settings of the network. */
export const dappBlobSchedule = [
  { from: 0, baseFeeUpdateFraction: blobs.baseFeeUpdateFraction },
] as const

/** As text of a genesis file. */
export function dappGenesis(): string {
  return JSON.stringify({
    config: {
      chainId: dappChainId,
      ...(Object.fromEntries(forkBlocks) as object),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      osakaTime: 0,
      depositContractAddress: `0x${'0'.repeat(40)}`,
      blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
    },
    timestamp: `0x${genesisTime.toString(16)}`,
    gasLimit: `0x${gasLimit.toString(16)}`,
    difficulty: '0x0',
    baseFeePerGas: '0x3b9aca00',
    alloc: Object.fromEntries([
      ...accounts.map(({ address }) => [address, { balance: `0x${(10n ** 24n).toString(16)}` }]),
      ...systemContracts.map(({ address, code }) => [
        address,
        { balance: '0x0', nonce: '0x1', code },
      ]),
    ]) as unknown,
  })
}

type Sending = { readonly to?: Hex; readonly data?: Hex; readonly value?: bigint; gas: bigint }

/** Deploys the contracts on a geth that has only the genesis block, and creates the holders. */
export async function makeDappChain(geth: Geth): Promise<DappChain> {
  const nonces = new Map<Hex, number>()
  const owned = Array.from({ length: users }, () => [] as bigint[])
  const last = new Map<number, Hex>()
  const blocks: DappBlock[] = []
  let height = 0
  let sent = 0
  let pending = 0

  /** Sends a transaction to the pool. Tips differ, so that the order in a block is fixed. */
  async function send(user: number, { gas, ...call }: Sending): Promise<void> {
    const account = accountAt(user)
    const nonce = nonces.get(account.address) ?? 0
    nonces.set(account.address, nonce + 1)
    sent += 1
    const raw = await account.signTransaction({
      ...call,
      type: 'eip1559',
      chainId: dappChainId,
      gas,
      nonce,
      maxFeePerGas: 50n * gwei,
      maxPriorityFeePerGas: gwei + BigInt((sent * 37) % 1009) * (gwei / 1000n),
    })
    last.set(user, (await geth.call('eth_sendRawTransaction', [raw])) as Hex)
    pending += 1
  }

  async function mine(): Promise<DappBlock> {
    height += 1
    const block = await makeBlock(geth, height, pending)
    pending = 0
    return block
  }

  const deployed: Hex[] = []
  async function deploy(code: Hex, args: Hex = '0x'): Promise<Hex> {
    const nonce = BigInt(nonces.get(deployer.address) ?? 0)
    await send(0, { data: `${code}${args.slice(2)}`, gas: 3_000_000n })
    const address = getContractAddress({ from: deployer.address, nonce })
    deployed.push(address)
    return address
  }

  const tokenAddresses: Hex[] = []
  for (let at = 0; at < tokens; at += 1) {
    const args = encodeAbiParameters(parseAbiParameters('string, string'), [
      `Token number ${at}`,
      `TK${at}`,
    ])
    tokenAddresses.push(await deploy(codes.Token, args))
  }
  await mine()
  const pairs: Hex[] = []
  for (let at = 0; at + 1 < tokens; at += 1) {
    const both = [tokenAddresses[at] ?? '0x', tokenAddresses[at + 1] ?? '0x'] as const
    const args = encodeAbiParameters(parseAbiParameters('address, address'), both)
    pairs.push(await deploy(codes.Pair, args))
  }
  await mine()
  const router = await deploy(codes.Router)
  const gallery = await deploy(codes.Gallery)
  const multicall = await deploy(codes.Multicall)
  await mine()

  async function makeHolders(): Promise<void> {
    for (const token of tokenAddresses) {
      for (let from = 0; from < holders; from += holdersPerTransaction) {
        const args = [firstHolder + BigInt(from), BigInt(holdersPerTransaction), 100n * ether]
        const data = encodeFunctionData({ abi, functionName: 'mintRange', args: args as never })
        await send(0, { to: token, data, gas: 16_500_000n })
      }
      await mine()
    }
  }

  const mint = (to: Hex, value: bigint) =>
    encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [to, value] })

  async function fillPairs(): Promise<void> {
    for (const [at, pair] of pairs.entries()) {
      for (const token of [at, at + 1]) {
        const data = mint(pair, BigInt(1_000_000 + at * 1000) * ether)
        await send(0, { to: tokenAddresses[token] ?? '0x', data, gas: 200_000n })
      }
    }
    await mine()
    for (const pair of pairs) {
      const add = encodeFunctionData({ abi, functionName: 'addPair', args: [pair] })
      await send(0, { to: router, data: add, gas: 300_000n })
      await send(0, {
        to: pair,
        data: encodeFunctionData({ abi, functionName: 'sync' }),
        gas: 200_000n,
      })
    }
    await mine()
  }

  async function equipUsers(): Promise<void> {
    const data = encodeFunctionData({
      abi,
      functionName: 'approve',
      args: [router, (1n << 256n) - 1n],
    })
    for (const [user, { address }] of accounts.entries()) {
      for (const token of tokensOf(user)) {
        await send(0, {
          to: tokenAddresses[token] ?? '0x',
          data: mint(address, 10_000n * ether),
          gas: 200_000n,
        })
      }
      await send(0, { to: gallery, data: mint(address, BigInt(itemsPerUser)), gas: 500_000n })
      for (let item = 1; item <= itemsPerUser; item += 1) {
        owned[user]?.push(BigInt(user * itemsPerUser + item))
      }
      const [token = 0] = tokensOf(user)
      await send(user, { to: tokenAddresses[token] ?? '0x', data, gas: 100_000n })
      if (user % 10 === 9) await mine()
    }
  }

  await makeHolders()
  await fillPairs()
  await equipUsers()

  async function sendTraffic(round: number): Promise<void> {
    const at = (offset: number) => (round * 7 + offset) % users
    for (let offset = 0; offset < 10; offset += 1) {
      const [from, to] = [at(offset), accountAt(at(offset + 11)).address]
      const args = [to, BigInt(offset + 1) * gwei] as const
      const data = encodeFunctionData({ abi, functionName: 'transfer', args })
      const [token = 0] = tokensOf(from)
      await send(from, { to: tokenAddresses[token] ?? '0x', data, gas: 100_000n })
    }
    for (let offset = 10; offset < 18; offset += 1) {
      const user = at(offset)
      const data = swapOf(user, BigInt(offset) * (ether / 10n), { tokens: tokenAddresses })
      await send(user, { to: router, data, gas: 400_000n })
    }
    for (let offset = 18; offset < 22; offset += 1) {
      const [from, to] = [at(offset), at(offset + 5)]
      const item = owned[from]?.shift()
      if (item === undefined) continue
      owned[to]?.push(item)
      const args = [accountAt(from).address, accountAt(to).address, item] as const
      const data = encodeFunctionData({ abi, functionName: 'transferFrom', args })
      await send(from, { to: gallery, data, gas: 200_000n })
    }
    for (let offset = 22; offset < 24; offset += 1) {
      await send(at(offset), { to: accountAt(at(offset + 1)).address, value: gwei, gas: 21_000n })
    }
  }

  return {
    users: accounts.map(({ address }) => address),
    tokens: tokenAddresses,
    pairs,
    router,
    gallery,
    multicall,
    owned: (user) => owned[user % users]?.length ?? 0,
    blocks,
    lastOf: (user) => last.get(user % users) ?? '0x',
    async nextBlock() {
      await sendTraffic(height)
      const block = await mine()
      blocks.push(block)
      return block
    },
  }
}

/** The tokens that a user holds and trades: the router has an allowance for the first one. */
export function tokensOf(user: number): readonly number[] {
  return [user % (tokens - 2), (user % (tokens - 2)) + 1, (user % (tokens - 2)) + 2]
}

/** A swap of a user's first token for the third one, over two pairs. */
export function swapOf(
  user: number,
  amount: bigint,
  chain: { readonly tokens: readonly Hex[] },
): Hex {
  const path = tokensOf(user).map((token) => chain.tokens[token] ?? ('0x' as const))
  const deadline = BigInt(genesisTime) * 2n
  return encodeFunctionData({
    abi,
    functionName: 'swapExactTokensForTokens',
    args: [amount, 0n, path, accountAt(user).address, deadline],
  })
}

/** Lets geth build a block with all `count` pending transactions, and makes it the head. */
async function makeBlock(geth: Geth, height: number, count: number): Promise<DappBlock> {
  const parent = (await geth.call('eth_getBlockByNumber', ['latest', false])) as { hash: Hex }
  const parentBeaconBlockRoot = wordOf(height)
  const attributes = {
    timestamp: `0x${(genesisTime + height * secondsPerBlock).toString(16)}`,
    suggestedFeeRecipient: `0x${'fe'.repeat(20)}`,
    withdrawals: [],
    parentBeaconBlockRoot,
  }
  const updateForkchoice = async (headBlockHash: Hex, next: unknown) =>
    (await geth.engine('engine_forkchoiceUpdatedV3', [
      { headBlockHash, safeBlockHash: parent.hash, finalizedBlockHash: parent.hash },
      next,
    ])) as { readonly payloadId: string }
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    // geth starts with an empty block and fills it until it is fetched, so another attempt needs different attributes.
    const prevRandao = wordOf(height * attemptsMax + attempt)
    const { payloadId } = await updateForkchoice(parent.hash, { ...attributes, prevRandao })
    await wait(fillMs * attempt)
    const { executionPayload: payload, executionRequests } = (await geth.engine(
      'engine_getPayloadV5',
      [payloadId],
    )) as {
      readonly executionPayload: { readonly blockHash: Hex; readonly transactions: readonly Hex[] }
      readonly executionRequests: unknown
    }
    if (payload.transactions.length < count) continue
    const { status } = (await geth.engine('engine_newPayloadV4', [
      payload,
      [],
      parentBeaconBlockRoot,
      executionRequests,
    ])) as { readonly status: string }
    if (status !== 'VALID') throw new Error(`block ${height}: ${status}`)
    await updateForkchoice(payload.blockHash, null)
    const { transactions } = (await geth.call('eth_getBlockByNumber', ['latest', false])) as {
      readonly transactions: readonly Hex[]
    }
    return { number: BigInt(height), hash: payload.blockHash, transactions }
  }
  throw new Error(`block ${height} stayed without its ${count} transactions`)
}

const attemptsMax = 20
const fillMs = 100

const wordOf = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
