// Parses a geth genesis.json: the fork schedule, the fields of the first header and the accounts.
import { fromHex } from '../base/hex.ts'

/** The members of geth's `config` that define forks; blocks and times are numbers. */
export type GenesisConfig = {
  readonly chainId: number
  readonly [fork: string]: unknown
}

/** `storage`: 32-byte slot to value without leading zeros. Slots with the value zero are omitted. */
export type GenesisAccount = {
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export type Genesis = {
  readonly chainId: bigint
  readonly config: GenesisConfig
  readonly nonce: bigint
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly mixHash: Uint8Array
  readonly coinbase: Uint8Array
  /** Null if the file has none: with London at block 0 it is then 1 gwei. */
  readonly baseFeePerGas: bigint | null
  readonly blobGasUsed: bigint | null
  readonly excessBlobGas: bigint | null
  readonly accounts: readonly GenesisAccount[]
}

/** An invalid genesis; `message` names the member and the expected value. */
export class BadGenesis extends Error {
  override readonly name = 'BadGenesis'
}

/** `json`: the parsed file. Throws `BadGenesis`. */
export function parseGenesis(json: unknown): Genesis {
  const file = record(json, 'genesis')
  const config = record(file['config'], 'config')
  const chainId = config['chainId']
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw new BadGenesis('genesis: config.chainId must be a whole number from 1 to 2^53 - 1')
  }
  return {
    chainId: BigInt(chainId),
    config: { ...config, chainId },
    nonce: quantity(file['nonce'] ?? '0x0', 'nonce'),
    timestamp: quantity(file['timestamp'] ?? '0x0', 'timestamp'),
    extraData: data(file['extraData'] ?? '0x', 'extraData'),
    gasLimit: quantity(file['gasLimit'], 'gasLimit'),
    difficulty: quantity(file['difficulty'] ?? '0x0', 'difficulty'),
    mixHash: padded(file['mixHash'] ?? '0x', 'mixHash', 32),
    coinbase: padded(file['coinbase'] ?? '0x', 'coinbase', 20),
    baseFeePerGas: optional(file['baseFeePerGas'], 'baseFeePerGas'),
    blobGasUsed: optional(file['blobGasUsed'], 'blobGasUsed'),
    excessBlobGas: optional(file['excessBlobGas'], 'excessBlobGas'),
    accounts: Object.entries(record(file['alloc'], 'alloc')).map(account),
  }
}

/** True if `fork` (such as `londonBlock`, `osakaTime`) is active at the first block. */
export function activeAtGenesis(genesis: Genesis, fork: string): boolean {
  const at = genesis.config[fork]
  if (typeof at !== 'number') return false
  return BigInt(at) <= (fork.endsWith('Time') ? genesis.timestamp : 0n)
}

function account([key, value]: [string, unknown]): GenesisAccount {
  const fields = record(value, `alloc ${key}`)
  const address = data(key, 'alloc address')
  if (address.length !== 20) throw new BadGenesis(`genesis: alloc ${key} is not an address`)
  const storage = Object.entries(record(fields['storage'] ?? {}, `storage of ${key}`))
  return {
    address,
    nonce: quantity(fields['nonce'] ?? '0x0', `nonce of ${key}`),
    balance: quantity(fields['balance'] ?? '0x0', `balance of ${key}`),
    code: data(fields['code'] ?? '0x', `code of ${key}`),
    storage: storage.flatMap(([slot, word]) => {
      const bytes = padded(word, `storage of ${key}`, 32)
      const first = bytes.findIndex((byte) => byte !== 0)
      if (first === -1) return []
      return [[padded(slot, `storage of ${key}`, 32), bytes.subarray(first)] as const]
    }),
  }
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadGenesis(`genesis: ${name} must be an object`)
  }
  return { ...value }
}

/** As geth: hex text, decimal text or a number. */
function quantity(value: unknown, name: string): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(text)) {
    throw new BadGenesis(`genesis: ${name} must be a quantity`)
  }
  return BigInt(text)
}

function optional(value: unknown, name: string): bigint | null {
  return value === undefined || value === null ? null : quantity(value, name)
}

function data(value: unknown, name: string): Uint8Array {
  if (typeof value !== 'string' || !/^(0x)?([0-9a-fA-F]{2})*$/.test(value)) {
    throw new BadGenesis(`genesis: ${name} must be hex bytes`)
  }
  return fromHex(value)
}

function padded(value: unknown, name: string, length: number): Uint8Array {
  const text = typeof value === 'string' && value.startsWith('0x') ? value.slice(2) : value
  const bytes = data(typeof text === 'string' && text.length % 2 === 1 ? `0${text}` : text, name)
  if (bytes.length > length) throw new BadGenesis(`genesis: ${name} is longer than ${length} bytes`)
  const word = new Uint8Array(length)
  word.set(bytes, length - bytes.length)
  return word
}
