// A development chain with contracts in its genesis, and a server that uses it as an upstream.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { startCairn, type Started, temporaryFolder } from '../started-server.ts'

type Scope = Pick<TestContext, 'after'>

export const word = (value: number | bigint): string => `0x${value.toString(16).padStart(64, '0')}`

/** Returns the storage word at keccak256(first argument ++ 0), as a token returns a balance. */
export const token = `0x${'70'.repeat(20)}`
/** Adds the storage words at 0 … n - 1, where n is the first argument. */
export const reader = `0x${'71'.repeat(20)}`
/** Returns the hash of the block whose number is the first argument. */
export const hasher = `0x${'72'.repeat(20)}`
/** Calls the token with its own calldata, by delegatecall to a second contract. */
export const proxy = `0x${'73'.repeat(20)}`
const forwarder = `0x${'74'.repeat(20)}`
/** Takes an ABI list of (address, bytes), calls each address with its bytes, and returns the sum of the returned words. */
export const multicaller = `0x${'76'.repeat(20)}`
/** Like `token` behind a selector. For `multicall(bytes[])` it calls itself with each item, and returns the sum of the returned words. */
export const selfCaller = `0x${'77'.repeat(20)}`
/** Reverts with its calldata. */
export const refuser = `0x${'75'.repeat(20)}`

/** Two slots of `refuser` whose hashes start with the same 7 nibbles: no search finds a key between them. */
export const twins = [word(21_471), word(23_527)] as const

export const holder = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const balanceSlot = toHex(
  keccak256(Buffer.concat([Buffer.from(word(BigInt(holder)).slice(2), 'hex'), Buffer.alloc(32)])),
)

const address = (text: string): string => text.slice(2)

// mstore(0, calldataload(0)); return sload(keccak256(0, 64))
const tokenCode = '0x5f355f5260405f20545f5260205ff3'
// calldatacopy; delegatecall(to); return its data
const delegateCode = (to: string): string =>
  `0x365f5f375f5f365f73${address(to)}5af4503d5f5f3e3d5ff3`
// calldatacopy; staticcall(to); return its data
const callCode = (to: string): string => `0x365f5f375f5f365f73${address(to)}5afa503d5f5f3e3d5ff3`

/** The part of its addresses that differs from that of other copies. */
export const copyMark = /ca11[0-9a-f]{5}/g

/**
 * `count` triples of contracts like `proxy`, its second contract and `token`. No two have the same address, code or storage. `proxies`:
 * of each triple, the one to call.
 */
export function copiesOfProxy(count: number): {
  readonly alloc: object
  readonly proxies: readonly string[]
} {
  const copies = Array.from({ length: count }, (_, index) => {
    const at = (kind: string) => `0x${kind}${(0xca1100000 + index).toString(16).padStart(38, '0')}`
    const [first, second, own] = [at('a1'), at('a2'), at('a3')] as const
    const salt = word(index + 1)
    const storage = { [balanceSlot]: word(1234), [salt]: salt }
    return {
      first,
      alloc: {
        [first]: { balance: '0x0', code: delegateCode(second) },
        [second]: { balance: '0x0', code: callCode(own) },
        [own]: { balance: '0x0', code: `${tokenCode}${salt.slice(2)}`, storage },
      },
    }
  })
  return {
    alloc: Object.assign({}, ...copies.map(({ alloc }) => alloc)) as object,
    proxies: copies.map(({ first }) => first),
  }
}

const codes: Readonly<Record<string, string>> = {
  [token]: tokenCode,
  // for (i = calldataload(0); i != 0; i--) sum += sload(i - 1)
  [reader]: '0x5f5f355b801560175760019003805491909101906003565b505f5260205ff3',
  // return blockhash(calldataload(0))
  [hasher]: '0x5f35405f5260205ff3',
  [proxy]: delegateCode(forwarder),
  [forwarder]: callCode(token),
  // for (i = length; i != 0; i--) sum += word of staticcall(entry i - 1)
  [multicaller]:
    '0x5f6024355b8015603957600190038060051b6044013560440180604001358082606001' +
    '5f3760205f825f85355afa505050905f5101906004565b505f5260205ff3',
  // if (selector == 0xac9650d8) for (i = length; i != 0; i--) sum += word of delegatecall(address, item i - 1)
  // else mstore(0, calldataload(4)); return sload(keccak256(0, 64))
  [selfCaller]:
    '0x5f3560e01c63ac9650d814601e576004355f5260405f20545f5260205ff35b5f6024355b8015605457600190038060051b' +
    '60440135604401803580826020015f3760205f825f305af4505050905f5101906023565b505f5260205ff3',
  // calldatacopy; revert
  [refuser]: '0x365f5f37365ffd',
}

const genesis = {
  config: {
    chainId: 1337,
    ...Object.fromEntries(
      ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople']
        .concat(['petersburg', 'istanbul', 'berlin', 'london'])
        .map((name) => [`${name}Block`, 0]),
    ),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    blobSchedule: Object.fromEntries(
      ['cancun', 'prague', 'osaka'].map((name) => [
        name,
        { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      ]),
    ),
  },
  nonce: '0x0',
  timestamp: '0x6553f100',
  extraData: '0x',
  gasLimit: '0x3938700',
  difficulty: '0x0',
  mixHash: word(0),
  coinbase: `0x${'00'.repeat(20)}`,
  alloc: {
    ...Object.fromEntries(
      Object.entries(codes).map(([at, code]) => [at, { balance: '0x0', nonce: '0x1', code }]),
    ),
    [refuser]: {
      balance: '0x0',
      code: codes[refuser],
      storage: Object.fromEntries(twins.map((slot) => [slot, word(1)])),
    },
    [token]: { balance: '0x0', code: codes[token], storage: { [balanceSlot]: word(1234) } },
    [selfCaller]: {
      balance: '0x0',
      code: codes[selfCaller],
      storage: { [balanceSlot]: word(2345), [word(99)]: word(1) },
    },
    [reader]: {
      balance: '0x0',
      code: codes[reader],
      storage: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [word(index), word(index + 1)]),
      ),
    },
    ...Object.fromEntries(
      systemContracts.map(({ address: at, code }) => [at, { balance: '0x0', nonce: '0x1', code }]),
    ),
    ...Object.fromEntries(
      devAccounts.map(({ address: at }) => [at, { balance: '0xd3c21bcecceda1000000' }]),
    ),
  },
}

export type CalledChain = {
  /** JSON-RPC URL of the chain. */
  readonly url: string
  readonly genesisFile: string
  /** Sends one call directly to the chain. */
  rpc(method: string, params: readonly unknown[]): Promise<Answer>
}

export type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** Header `x-cairn-verified`. */
  readonly verified: string | null
}

/** `alloc`: further accounts of the first block. */
export async function startCalledChain(t: Scope, alloc: object = {}): Promise<CalledChain> {
  const dataDir = await folderFor(t)
  const genesisFile = join(dataDir, 'genesis.json')
  const all = { ...genesis.alloc, ...alloc }
  await writeFile(genesisFile, JSON.stringify({ ...genesis, alloc: all }))
  const server = await startWith(t, dataDir, `chain: {genesisFile: ${genesisFile}}`)
  const url = `${server.url}/v3/${server.apiKey}`
  return { url, genesisFile, rpc: (method, params) => ask(url, method, params) }
}

type Behind = {
  ask(method: string, params: readonly unknown[]): Promise<Answer>
  /** The reply with its proof bundle, as JSON. */
  prove(method: string, params: readonly unknown[]): Promise<Record<string, unknown>>
  /** The log output of the server so far. */
  log(): string
  readonly server: Started
}

/** A server behind `upstreams` with the chain's genesis file; `more`: further lines of the network. */
export async function startBehind(
  t: Scope,
  genesisFile: string | null,
  upstreams: readonly string[],
  more: readonly string[] = [],
): Promise<Behind> {
  const server = await startWith(
    t,
    await folderFor(t),
    `networks:\n${networkLines('called', genesisFile, upstreams, more)}`,
  )
  return behindOf(server, `${server.url}/v3/${server.apiKey}`)
}

/**
 * One server with two networks: `strict` requires proofs, `preferring` forwards what has none. `url`: the upstream of both, unless
 * `strictUrl` is given.
 */
export async function startBothWays(
  t: Scope,
  genesisFile: string | null,
  url: string,
  strictUrl = url,
): Promise<{ readonly strict: Behind; readonly preferring: Behind }> {
  const lines = [
    networkLines('strict', genesisFile, [strictUrl], ['verify: require']),
    networkLines('preferring', genesisFile, [url], []),
  ]
  const server = await startWith(t, await folderFor(t), `networks:\n${lines.join('\n')}`)
  const at = (name: string) => behindOf(server, `${server.url}/${name}/v3/${server.apiKey}`)
  return { strict: at('strict'), preferring: at('preferring') }
}

function behindOf(server: Started, url: string): Behind {
  return {
    server,
    log: () => server.log(),
    ask: (method, params) => ask(url, method, params),
    async prove(method, params) {
      const reply = await send(`${url}?proof=1`, method, params)
      return (await reply.json()) as Record<string, unknown>
    },
  }
}

/** The head remains at its position at the start. */
const fixedHeads = 'heads: {pollMs: 600000, maxAgeMs: 86400000}'

function networkLines(
  name: string,
  genesisFile: string | null,
  upstreams: readonly string[],
  more: readonly string[],
): string {
  const lines = [
    `  - name: ${name}`,
    '    chainId: 1337',
    ...(genesisFile === null ? [] : [`    genesisFile: ${genesisFile}`]),
    ...(more.some((line) => line.startsWith('heads:')) ? [] : [`    ${fixedHeads}`]),
    ...more.map((line) => `    ${line}`),
    '    upstreams:',
    ...upstreams.map((url, index) => `      - {url: "${url}", name: node-${index}, wsUrl: null}`),
  ]
  return lines.join('\n')
}

async function folderFor(t: Scope): Promise<string> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startWith(t: Scope, dataDir: string, settings: string): Promise<Started> {
  const file = join(dataDir, 'cairn.yaml')
  await writeFile(file, `${settings}\n`)
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  return server
}

function send(url: string, method: string, params: readonly unknown[]): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<Answer> {
  const reply = await send(url, method, params)
  const { result, error } = (await reply.json()) as Answer
  const verified = reply.headers.get('x-cairn-verified')
  return error === undefined ? { result, verified } : { error, verified }
}
