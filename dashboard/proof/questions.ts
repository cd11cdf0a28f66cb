// The requests that the Proofs page offers: the fields of each method, and values that exist on the selected network. Pure.
// Tested by dashboard/proof/questions.test.ts
import { ApiError } from '../app/api.ts'

export type FieldName =
  | 'to'
  | 'data'
  | 'address'
  | 'slot'
  | 'block'
  | 'blockHash'
  | 'hash'
  | 'index'
export type Values = Readonly<Partial<Record<FieldName, string>>>

/** A parameter: a field, an object with `to` and `data`, or `false` to omit full transactions. */
type Part = FieldName | 'call' | 'hashes'

/** `null`: the parameters are entered as JSON. */
const questions: Readonly<Record<string, readonly Part[] | null>> = {
  eth_getBalance: ['address', 'block'],
  eth_getStorageAt: ['address', 'slot', 'block'],
  eth_getTransactionCount: ['address', 'block'],
  eth_getCode: ['address', 'block'],
  eth_getProof: null,
  eth_call: ['call', 'block'],
  eth_estimateGas: ['call', 'block'],
  eth_getTransactionByHash: ['hash'],
  eth_getTransactionReceipt: ['hash'],
  eth_getTransactionByBlockNumberAndIndex: ['block', 'index'],
  eth_getTransactionByBlockHashAndIndex: ['blockHash', 'index'],
  eth_getBlockByNumber: ['block', 'hashes'],
  eth_getBlockByHash: ['blockHash', 'hashes'],
  eth_getBlockReceipts: ['block'],
  eth_getLogs: null,
}

export const methods: readonly string[] = Object.keys(questions)

/** Methods that accept a block hash instead of the block, as `{blockHash}` (EIP-1898). */
const ofState = /^eth_(getBalance|getStorageAt|getTransactionCount|getCode|call|estimateGas)$/

/** Methods on a contract: their address field is titled Contract. */
const ofContract = /^eth_(getStorageAt|getCode)$/

type FieldText = {
  readonly title: string
  readonly form: RegExp
  /** The expected value, in words. */
  readonly expected: string
}

const address: FieldText = {
  title: 'Address',
  form: /^0x[0-9a-fA-F]{40}$/,
  expected: '0x and 40 hex digits',
}
const hash = { form: /^0x[0-9a-fA-F]{64}$/, expected: '0x and 64 hex digits' }
const number = { form: /^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/, expected: 'a number, as 1 or 0x1' }

const texts: Readonly<Record<FieldName, FieldText>> = {
  to: { ...address, title: 'Contract' },
  data: {
    title: 'Call data',
    form: /^0x([0-9a-fA-F]{2})*$/,
    expected: '0x and an even number of hex digits',
  },
  address,
  slot: { title: 'Slot', ...number },
  block: {
    title: 'Block',
    form: /^(0x[0-9a-fA-F]{1,16}|\d{1,20}|latest|safe|finalized|earliest)$/,
    expected: 'latest, safe, finalized, earliest or a number',
  },
  blockHash: { title: 'Block hash', ...hash },
  hash: { title: 'Transaction hash', ...hash },
  index: { title: 'Index', ...number },
}

export function titleOf(method: string, name: FieldName): string {
  return name === 'address' && ofContract.test(method) ? 'Contract' : texts[name].title
}

/** In form order; null: the parameters of the method are entered as JSON. */
export function fieldsOf(method: string): readonly FieldName[] | null {
  const parts = questions[method] ?? null
  if (parts === null) return null
  return parts.flatMap((part) => {
    if (part === 'hashes') return []
    return part === 'call' ? (['to', 'data'] as const) : [part]
  })
}

/**
 * Parameters for the call. With a block hash that the person trusts, `trusted`, a request for the state at `latest` becomes one for
 * the state of that block. Throws ApiError that names the field.
 */
export function paramsOf(method: string, values: Values, trusted = ''): readonly unknown[] {
  const valueOf = (name: FieldName): string => {
    const value = values[name]?.trim() ?? ''
    const { form, expected } = texts[name]
    if (!form.test(value)) {
      const title = titleOf(method, name)
      const text = value === '' ? `${title} is empty` : `${title} is "${value}"`
      throw new ApiError('bad_input', `${text}: expected ${expected}`, 0, { field: name })
    }
    return /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : value
  }
  return (questions[method] ?? []).map((part) => {
    if (part === 'call') return { to: valueOf('to'), data: valueOf('data') }
    if (part === 'hashes') return false
    const value = valueOf(part)
    const isLatest = part === 'block' && value === 'latest'
    return isLatest && trusted !== '' && ofState.test(method) ? { blockHash: trusted } : value
  })
}

/** Null: the parameters do not fit the fields of the method. */
export function valuesOf(method: string, params: readonly unknown[]): Values | null {
  const parts = questions[method] ?? null
  if (parts === null || params.length > parts.length) return null
  const values: Partial<Record<FieldName, string>> = {}
  for (const [at, part] of parts.entries()) {
    const value = params[at]
    if (value === undefined) continue
    if (part === 'hashes') {
      if (value !== false) return null
    } else if (part === 'call') {
      const { to, data = '0x', ...rest } = { ...(value as Record<string, unknown>) }
      if (typeof to !== 'string' || typeof data !== 'string') return null
      if (Object.keys(rest).length > 0) return null
      values.to = to
      values.data = data
    } else {
      if (typeof value !== 'string') return null
      values[part] = value
    }
  }
  return values
}

/** Fields of the newest block of a network. */
export type NewestBlock = {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  /** Fee recipient of the block. */
  readonly miner: string
  readonly transactions: readonly string[]
}

/** An account with funds and a contract with 1234 in slot 0 (src/devchain/default-genesis.ts). */
export const embedded = {
  account: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  contract: '0x295a70b2de5e3953354a6a8344e616ed314d7251',
}
/** On every chain since Cancun (EIP-4788): slot `timestamp % 8191` contains the timestamp of a block. */
export const timesContract = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
export const timesSlots = 8191n

/** Values that exist on the network at this block. `hash` is empty if the block has no transactions. */
export function exampleOf(method: string, block: NewestBlock, isEmbedded: boolean): Values {
  const time = BigInt(block.timestamp)
  const isOfNoOne = /^0x0*$/.test(block.miner)
  const account = isEmbedded ? embedded.account : isOfNoOne ? timesContract : block.miner
  const contract = isEmbedded ? embedded.contract : timesContract
  return {
    to: contract,
    data: isEmbedded ? '0x' : `0x${time.toString(16).padStart(64, '0')}`,
    address: ofContract.test(method) ? contract : account,
    slot: isEmbedded ? '0x0' : `0x${(time % timesSlots).toString(16)}`,
    block: ofState.test(method) ? 'latest' : block.number,
    blockHash: block.hash,
    hash: block.transactions[0] ?? '',
    index: '0x0',
  }
}

/** JSON text of parameters that exist on the network at this block. */
export function exampleParams(method: string, block: NewestBlock, isEmbedded: boolean): string {
  if (method === 'eth_getLogs') return JSON.stringify([{ blockHash: block.hash }])
  const values = exampleOf('eth_getStorageAt', block, isEmbedded)
  return method === 'eth_getProof'
    ? JSON.stringify([values.address, [values.slot], 'latest'])
    : '[]'
}

/** Parses parameters in JSON. Throws ApiError. */
export function parseParams(text: string): readonly unknown[] {
  const fail = (message: string) => new ApiError('bad_input', message, 0, { field: 'params' })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw fail('the parameters are not valid JSON')
  }
  if (!Array.isArray(value)) throw fail('the parameters must be a JSON array')
  return value
}

/** Title of the answer: `Value of slot 1`, `Balance of 0xa0b86991…06eb48`. */
export function labelOf(method: string, params: readonly unknown[]): string {
  const [first, second] = params
  const { to = 'a new contract' } = { ...(first as { readonly to?: string }) }
  switch (method) {
    case 'eth_getBalance':
      return `Balance of ${short(first)}, in wei`
    case 'eth_getStorageAt':
      return `Value of slot ${shortSlot(second)} of ${short(first)}`
    case 'eth_getTransactionCount':
      return `Nonce of ${short(first)}`
    case 'eth_getCode':
      return `Code of ${short(first)}`
    case 'eth_call':
      return `Result of the call to ${short(to)}`
    case 'eth_estimateGas':
      return `Gas of the call to ${short(to)}`
    case 'eth_getTransactionReceipt':
      return `Receipt of ${short(first)}`
    default:
      return method
  }
}

/** Shortens addresses and hashes in the middle. */
function short(value: unknown): string {
  const text = String(value)
  return text.length <= 20 ? text : `${text.slice(0, 10)}…${text.slice(-6)}`
}

/** Formats slots of variables in decimal, and shortens those of mappings and lists in the middle. */
function shortSlot(value: unknown): string {
  const text = String(value)
  return /^0x0*[0-9a-f]{1,8}$/i.test(text) ? BigInt(text).toLocaleString('en') : short(text)
}
