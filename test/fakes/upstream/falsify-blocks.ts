// Falsehoods about blocks in JSON: headers, transactions, receipts.
import { addOne, type Falsehood, flipBit, isObject, pick, type HonestReply } from './falsehood.ts'

type Json = Record<string, unknown>
type BlockJson = Json & { transactions: (string | Json)[] }

const ofBlocks = ['eth_getBlockByHash', 'eth_getBlockByNumber']
const ofReceipts = ['eth_getBlockReceipts']
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function aboutBlock(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (block: BlockJson, reply: HonestReply) => unknown,
): Falsehood {
  return {
    subject,
    name,
    nature,
    methods: ofBlocks,
    async falsify(reply) {
      const { result } = reply
      if (!isObject(result) || !Array.isArray(result['transactions'])) return undefined
      const before = JSON.stringify(result)
      if ((await change(result as BlockJson, reply)) === false) return undefined
      return JSON.stringify(result) === before ? undefined : result
    },
  }
}

/** Changes one full transaction of the block. */
function aboutTransaction(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (transaction: Json, reply: HonestReply) => unknown,
): Falsehood {
  return aboutBlock(subject, name, nature, (block, reply) => {
    const transaction = pick(reply.random, block.transactions.filter(isObject))
    return transaction === undefined ? false : change(transaction, reply)
  })
}

/** Changes the list of full transactions. */
function aboutList(
  name: string,
  change: (transactions: Json[], reply: HonestReply) => unknown,
): Falsehood {
  return aboutBlock('list', name, 'contradiction', (block, reply) => {
    const list = block.transactions.filter(isObject)
    if (list.length === 0 && block.transactions.length > 0) return false
    const changed = change(list, reply)
    block.transactions = list
    return changed
  })
}

const headerFields = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const
const integers = new Set(['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'])

async function otherBlock({
  honest,
  params,
  random,
  chain,
}: HonestReply): Promise<BlockJson | null> {
  const other = pick(random, chain.recorded.slice(1))
  const found = await honest('eth_getBlockByHash', [other?.hash, params[1] ?? false])
  return isObject(found) ? (found as BlockJson) : null
}

export const falseBlocks: readonly Falsehood[] = [
  ...headerFields.map((field) =>
    aboutBlock('header', `another ${field} in the header`, 'contradiction', (block, { random }) => {
      const value = block[field]
      if (typeof value !== 'string') return false
      block[field] =
        integers.has(field) || field.endsWith('Gas') || field === 'blobGasUsed'
          ? addOne(value)
          : (flipBit(random, value) ?? '0x00')
      return true
    }),
  ),
  aboutBlock('header', 'a field of the header left out', 'odd', (block) => delete block['mixHash']),
  aboutBlock('header', 'an unknown field', 'harmless', (block) => {
    block['futureRoot'] = `0x${'ab'.repeat(32)}`
  }),
  aboutBlock('unhashed', 'another size', 'odd', (block) => {
    block['size'] = addOne(block['size'])
  }),
  aboutBlock('unhashed', 'the hash of another block', 'odd', (block, { random }) => {
    block['hash'] = flipBit(random, String(block['hash']))
  }),
  aboutBlock('block', 'another block under this hash', 'contradiction', async (block, reply) => {
    const { hash } = block
    const other = await otherBlock(reply)
    if (other === null || other['hash'] === hash) return false
    Object.assign(block, other, { hash })
    return true
  }),
  aboutBlock('list', 'withdrawals that the root does not have', 'odd', (block) => {
    if (!Array.isArray(block['withdrawals'])) return false
    const address = `0x${'ee'.repeat(20)}`
    block['withdrawals'].push({ index: '0x1', validatorIndex: '0x1', address, amount: '0x1' })
    return true
  }),
  aboutBlock('list', 'an uncle that is none', 'odd', (block) => {
    block['uncles'] = [`0x${'ee'.repeat(32)}`]
  }),
  aboutList('transactions in another order', (list) => {
    if (list.length < 2) return false
    list.reverse()
    return true
  }),
  aboutList('a transaction dropped', (list, { random }) => {
    if (list.length === 0) return false
    list.splice(Math.floor(random() * list.length), 1)
    return true
  }),
  aboutList('a transaction twice', (list) => {
    const [first] = list
    if (first === undefined) return false
    list.push(first)
    return true
  }),
  aboutList('a transaction of another block added', async (list, reply) => {
    const found = (await otherBlock(reply))?.transactions.filter(isObject)[0]
    if (found === undefined) return false
    list.push(found)
    return true
  }),
  aboutList('the transactions of another block', async (list, reply) => {
    const found = (await otherBlock(reply))?.transactions.filter(isObject) ?? []
    if (found.length === 0 || found[0]?.['hash'] === list[0]?.['hash']) return false
    list.splice(0, list.length, ...found)
    return true
  }),
  aboutList('each transaction in the place of its neighbour', (list) => {
    const [first, ...rest] = list
    if (first === undefined || rest.length === 0) return false
    list.splice(0, list.length, ...rest, first)
    return true
  }),
  ...['value', 'gas', 'nonce', 'to', 'input', 'r', 's', 'v'].map((field) =>
    aboutTransaction(
      'list',
      `another ${field} in a transaction`,
      'contradiction',
      (transaction, { random }) => {
        const value = transaction[field]
        if (typeof value !== 'string') return false
        const isData = field === 'to' || field === 'input'
        transaction[field] = isData ? (flipBit(random, value) ?? '0x00') : addOne(value)
        if (field === 'v') delete transaction['yParity']
        return true
      },
    ),
  ),
  aboutTransaction('signature', 'a signature turned over', 'contradiction', (transaction) => {
    transaction['s'] = `0x${(curveOrder - BigInt(String(transaction['s']))).toString(16)}`
    const turned = BigInt(String(transaction['v'])) ^ 1n
    transaction['v'] = `0x${turned.toString(16)}`
    if ('yParity' in transaction) transaction['yParity'] = transaction['v']
  }),
  aboutTransaction('sender', 'another sender', 'odd', (transaction, { random }) => {
    transaction['from'] = flipBit(random, String(transaction['from']))
  }),
  ...['hash', 'blockHash', 'blockNumber', 'transactionIndex'].map((field) =>
    aboutTransaction(
      'unhashed',
      `another ${field} in a transaction`,
      'odd',
      (transaction, reply) => {
        const value = String(transaction[field])
        transaction[field] = value.length === 66 ? flipBit(reply.random, value) : addOne(value)
      },
    ),
  ),
  aboutTransaction('unhashed', 'another gasPrice where it is worked out', 'odd', (transaction) => {
    if (!('maxFeePerGas' in transaction)) return false
    transaction['gasPrice'] = addOne(transaction['gasPrice'])
    return true
  }),
  aboutTransaction('sidecar', 'a sidecar in a body', 'harmless', (transaction) => {
    if (transaction['type'] !== '0x3') return false
    Object.assign(transaction, { blobs: ['0x00'], commitments: ['0x00'], proofs: ['0x00'] })
    return true
  }),
  {
    subject: 'null',
    name: 'null for what exists',
    nature: 'omission',
    methods: [...ofBlocks, ...ofReceipts],
    falsify: ({ result }) => (result === null ? undefined : null),
  },
]

function aboutReceipts(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (receipts: Json[], reply: HonestReply) => unknown,
): Falsehood {
  return {
    subject,
    name,
    nature,
    methods: ofReceipts,
    async falsify(reply) {
      const { result } = reply
      if (!Array.isArray(result) || result.length === 0) return undefined
      const before = JSON.stringify(result)
      if ((await change(result as Json[], reply)) === false) return undefined
      return JSON.stringify(result) === before ? undefined : result
    },
  }
}

function aboutReceipt(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (receipt: Json, reply: HonestReply) => unknown,
): Falsehood {
  return aboutReceipts(subject, name, nature, (receipts, reply) => {
    const receipt = pick(reply.random, receipts)
    return receipt === undefined ? false : change(receipt, reply)
  })
}

function aboutLog(name: string, change: (log: Json, reply: HonestReply) => unknown): Falsehood {
  return aboutReceipt('list', name, 'contradiction', (receipt, reply) => {
    const log = pick(reply.random, receipt['logs'] as Json[])
    return log === undefined ? false : change(log, reply)
  })
}

export const falseReceipts: readonly Falsehood[] = [
  aboutReceipts(
    'list',
    'receipts in another order',
    'contradiction',
    (list) => list.length > 1 && list.reverse(),
  ),
  aboutReceipts('list', 'a receipt dropped', 'contradiction', (list) => list.pop()),
  aboutReceipts('list', 'a receipt twice', 'contradiction', (list) => list.push({ ...list[0] })),
  aboutReceipts('list', 'no receipts', 'contradiction', (list) => list.splice(0)),
  aboutReceipts('list', 'the receipts of another block', 'contradiction', async (list, reply) => {
    const other = pick(reply.random, reply.chain.recorded.slice(1))
    const found = await reply.honest('eth_getBlockReceipts', [other?.hash])
    list.splice(0, list.length, ...(found as Json[]))
  }),
  aboutReceipt('list', 'a failure reported as a success', 'contradiction', (receipt) => {
    if (!('status' in receipt)) return false
    receipt['status'] = receipt['status'] === '0x1' ? '0x0' : '0x1'
    return true
  }),
  aboutReceipt(
    'list',
    'another state after a transaction',
    'contradiction',
    (receipt, { random }) => {
      if (!('root' in receipt)) return false
      receipt['root'] = flipBit(random, String(receipt['root']))
      return true
    },
  ),
  aboutReceipt('list', 'another sum of gas', 'contradiction', (receipt) => {
    receipt['cumulativeGasUsed'] = addOne(receipt['cumulativeGasUsed'])
  }),
  aboutReceipt('list', 'another bloom', 'contradiction', (receipt, { random }) => {
    receipt['logsBloom'] = flipBit(random, String(receipt['logsBloom']))
  }),
  aboutReceipt('list', 'a log dropped', 'contradiction', (receipt) =>
    (receipt['logs'] as Json[]).pop(),
  ),
  aboutLog('another address of a log', (log, { random }) => {
    log['address'] = flipBit(random, String(log['address']))
  }),
  aboutLog('other data of a log', (log, { random }) => {
    log['data'] = flipBit(random, String(log['data'])) ?? '0x00'
  }),
  aboutLog('another topic of a log', (log, { random }) => {
    const topics = log['topics'] as string[]
    topics[0] = flipBit(random, topics[0] ?? '') ?? `0x${'11'.repeat(32)}`
  }),
  ...['gasUsed', 'effectiveGasPrice', 'transactionIndex', 'from', 'to', 'contractAddress'].map(
    (field) =>
      aboutReceipt('unhashed', `another ${field} in a receipt`, 'odd', (receipt, { random }) => {
        const value = receipt[field]
        if (typeof value !== 'string') return false
        receipt[field] = value.length === 42 ? flipBit(random, value) : addOne(value)
        return true
      }),
  ),
]

/** Changes the position of a transaction, which is only a hint. */
export const falseHints: readonly Falsehood[] = [
  {
    subject: 'unhashed',
    name: 'a transaction with another block',
    nature: 'odd',
    methods: ['eth_getTransactionByHash', 'eth_getTransactionReceipt'],
    falsify: ({ result, random, chain }) =>
      isObject(result)
        ? { ...result, blockHash: pick(random, chain.recorded)?.hash, blockNumber: '0x5' }
        : undefined,
  },
  {
    subject: 'unhashed',
    name: 'a transaction with another index',
    nature: 'odd',
    methods: ['eth_getTransactionByHash', 'eth_getTransactionReceipt'],
    falsify: ({ result }) =>
      isObject(result)
        ? { ...result, transactionIndex: addOne(result['transactionIndex']) }
        : undefined,
  },
  {
    subject: 'unhashed',
    name: 'another value in a transaction by hash',
    nature: 'odd',
    methods: ['eth_getTransactionByHash'],
    falsify: ({ result }) =>
      isObject(result)
        ? { ...result, value: addOne(result['value']), from: `0x${'99'.repeat(20)}` }
        : undefined,
  },
  {
    subject: 'null',
    name: 'null for a transaction that exists',
    nature: 'omission',
    methods: ['eth_getTransactionByHash', 'eth_getTransactionReceipt'],
    falsify: ({ result }) => (result === null ? undefined : null),
  },
]
