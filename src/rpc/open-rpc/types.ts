// Types of parameters and results of JSON-RPC methods: a JSON Schema each, and for parameters an accepted example.
// Tested by src/rpc/open-rpc/open-rpc.test.ts

export type Json = Readonly<Record<string, unknown>>

export type WireType = {
  /** Name of the schema in the document's components. */
  readonly name: string
  readonly schema: Json
  readonly example: unknown
  /** Types that this one refers to, if they are not in `parts`. */
  readonly madeOf?: readonly WireType[]
}

const one = (name: string, schema: Json, example: unknown): WireType => ({ name, schema, example })

const hex = (description: string, pattern: string): Json => ({
  type: 'string',
  description,
  pattern,
})

const ref = ({ name }: WireType): Json => ({ $ref: `#/components/schemas/${name}` })

const hash = '0x' + '11'.repeat(32)

export const quantity = one(
  'Quantity',
  hex('A whole number in hex, without zeros in front.', '^0x(0|[1-9a-f][0-9a-f]*)$'),
  '0x1',
)
export const bytes = one('Bytes', hex('Bytes in hex.', '^0x([0-9a-fA-F]{2})*$'), '0x00')
export const word = one('Word', hex('32 bytes.', '^0x[0-9a-fA-F]{64}$'), hash)
export const blockHash = one(
  'BlockHash',
  hex('keccak256 of a header.', '^0x[0-9a-fA-F]{64}$'),
  hash,
)
export const transactionHash = one(
  'TransactionHash',
  hex('keccak256 of a transaction.', '^0x[0-9a-fA-F]{64}$'),
  hash,
)
export const address = one(
  'Address',
  hex('An account, 20 bytes.', '^0x[0-9a-fA-F]{40}$'),
  '0x' + '22'.repeat(20),
)
export const position = one(
  'StoragePosition',
  hex('A slot: up to 32 bytes, a quantity too.', '^0x[0-9a-fA-F]{0,64}$'),
  '0x0',
)
export const flag = one('Flag', { type: 'boolean' }, false)
export const integer = one('Integer', { type: 'integer' }, 0)
export const milliseconds = one('Milliseconds', { type: 'integer', minimum: 0 }, 1000)
export const amount = one(
  'Amount',
  {
    anyOf: [hex('Hex.', '^0x[0-9a-fA-F]+$'), hex('Decimal.', '^[0-9]+$'), { type: 'integer' }],
    description: 'A whole number from 0, in hex or decimal.',
  },
  '0x1',
)
export const gasLimit = one(
  'GasLimit',
  { ...amount.schema, description: 'At least 5000.' },
  30_000_000,
)
export const period = one(
  'Period',
  {
    anyOf: [ref(amount), { type: 'array', items: ref(amount), minItems: 2, maxItems: 2 }],
    description: 'Milliseconds, or the least and the most of them.',
  },
  1000,
)
export const mineOptions = one(
  'MineOptions',
  {
    anyOf: [
      ref(amount),
      { type: 'object', properties: { timestamp: ref(amount), blocks: ref(amount) } },
    ],
    description: 'Seconds since 1970, or an object with them and a number of blocks.',
  },
  '0x70000000',
)
export const text = one('Text', { type: 'string' }, 'newHeads')
export const blockNumber = one(
  'BlockNumberOrTag',
  {
    anyOf: [ref(quantity), { enum: ['latest', 'pending', 'safe', 'finalized', 'earliest'] }],
    description: 'A number, or a tag.',
  },
  'latest',
)
export const block = one(
  'Block',
  {
    anyOf: [
      ref(blockNumber),
      ref(blockHash),
      {
        type: 'object',
        description: 'EIP-1898.',
        properties: {
          blockHash: ref(blockHash),
          blockNumber: ref(quantity),
          requireCanonical: { type: 'boolean' },
        },
      },
    ],
    description: 'A number, a tag or a hash.',
  },
  'latest',
)
export const storageKeys = one('StorageKeys', { type: 'array', items: ref(position) }, ['0x0'])
export const slotsByAddress = one(
  'SlotsByAddress',
  {
    type: 'object',
    propertyNames: ref(address),
    additionalProperties: { type: 'array', items: ref(word) },
  },
  { ['0x' + '22'.repeat(20)]: [hash] },
)
export const callRequest = one(
  'CallRequest',
  {
    type: 'object',
    properties: {
      from: ref(address),
      to: ref(address),
      gas: ref(quantity),
      gasPrice: ref(quantity),
      maxFeePerGas: ref(quantity),
      maxPriorityFeePerGas: ref(quantity),
      value: ref(quantity),
      nonce: ref(quantity),
      input: ref(bytes),
      data: ref(bytes),
    },
  },
  { to: '0x' + '22'.repeat(20) },
)
export const stateOverrides = one(
  'StateOverrides',
  { type: 'object', propertyNames: ref(address), additionalProperties: { type: 'object' } },
  {},
)
export const blockOverrides = one('BlockOverrides', { type: 'object' }, {})
export const logFilter = one(
  'LogFilter',
  {
    type: 'object',
    properties: {
      fromBlock: ref(blockNumber),
      toBlock: ref(blockNumber),
      blockHash: ref(blockHash),
      address: { anyOf: [ref(address), { type: 'array', items: ref(address) }] },
      topics: {
        type: 'array',
        maxItems: 4,
        items: {
          anyOf: [{ type: 'null' }, ref(word), { type: 'array', items: ref(word) }],
        },
      },
    },
  },
  {},
)
export const filterId = one('FilterId', hex('As it was given.', '^0x[0-9a-f]+$'), '0x1')
export const traceConfig = one(
  'TraceConfig',
  { type: 'object', properties: { tracer: { type: 'string' }, tracerConfig: { type: 'object' } } },
  {},
)
export const percentiles = one(
  'Percentiles',
  { type: 'array', items: { type: 'number', minimum: 0, maximum: 100 } },
  [50],
)
export const simulation = one(
  'Simulation',
  {
    type: 'object',
    required: ['blockStateCalls'],
    properties: {
      blockStateCalls: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            blockOverrides: ref(blockOverrides),
            stateOverrides: ref(stateOverrides),
            calls: { type: 'array', items: ref(callRequest) },
          },
        },
      },
      traceTransfers: { type: 'boolean' },
      validation: { type: 'boolean' },
      returnFullTransactions: { type: 'boolean' },
    },
  },
  { blockStateCalls: [{}] },
)
export const subscription = one('Subscription', { type: ['object', 'boolean'] }, {})

// Results that are objects, with their main members; replies may have more.
const result = (name: string, properties: Json, required = Object.keys(properties)): WireType =>
  one(name, { type: 'object', required, properties }, null)

export const transaction = result('Transaction', {
  hash: ref(transactionHash),
  from: ref(address),
  nonce: ref(quantity),
  blockHash: { anyOf: [ref(blockHash), { type: 'null' }] },
  blockNumber: { anyOf: [ref(quantity), { type: 'null' }] },
  transactionIndex: { anyOf: [ref(quantity), { type: 'null' }] },
  to: { anyOf: [ref(address), { type: 'null' }] },
  value: ref(quantity),
  input: ref(bytes),
})
export const log = result('Log', {
  address: ref(address),
  topics: { type: 'array', items: ref(word) },
  data: ref(bytes),
})
export const receipt = result('Receipt', {
  transactionHash: ref(transactionHash),
  blockHash: ref(blockHash),
  gasUsed: ref(quantity),
  logs: { type: 'array', items: ref(log) },
})
export const headerObject = result('HeaderObject', {
  number: ref(quantity),
  hash: ref(blockHash),
  parentHash: ref(blockHash),
  stateRoot: ref(word),
  transactionsRoot: ref(word),
  receiptsRoot: ref(word),
  timestamp: ref(quantity),
})
export const blockObject = result('BlockObject', {
  number: ref(quantity),
  parentHash: ref(blockHash),
  stateRoot: ref(word),
  transactionsRoot: ref(word),
  receiptsRoot: ref(word),
  timestamp: ref(quantity),
  transactions: {
    type: 'array',
    items: { anyOf: [ref(transactionHash), ref(transaction)] },
  },
})
export const accountProof = result('AccountProof', {
  address: ref(address),
  accountProof: { type: 'array', items: ref(bytes) },
  balance: ref(quantity),
  codeHash: ref(word),
  nonce: ref(quantity),
  storageHash: ref(word),
  storageProof: { type: 'array', items: { type: 'object' } },
})
export const object = one('Object', { type: 'object' }, null)
export const anything = one('Anything', {}, null)

export const list = (of: WireType): WireType => ({
  ...one(`ListOf${of.name}`, { type: 'array', items: ref(of) }, [of.example]),
  madeOf: [of],
})
export const orNull = (of: WireType): WireType => ({
  ...one(`${of.name}OrNull`, { anyOf: [ref(of), { type: 'null' }] }, of.example),
  madeOf: [of],
})
export const either = (name: string, ...of: readonly WireType[]): WireType => ({
  ...one(name, { anyOf: of.map(ref) }, of[0]?.example),
  madeOf: of,
})

/** Types that others refer to. The document always contains them. */
export const parts: readonly WireType[] = [
  quantity,
  bytes,
  word,
  blockHash,
  transactionHash,
  address,
  position,
  flag,
  amount,
  blockNumber,
  callRequest,
  stateOverrides,
  blockOverrides,
  transaction,
  log,
  receipt,
  headerObject,
  blockObject,
  accountProof,
  object,
]
