// The requests whose replies are recorded, by method and name, in sending order.
import type { Hex } from 'viem'
import { recordedChain } from '../fakes/chain-facts.ts'
import type { RecordedBlock } from './chain.ts'

type Recorded = {
  readonly method: string
  readonly name: string
  readonly params?: readonly unknown[]
}

const { emitter, reverter, sender, forks } = recordedChain
const absent = `0x${'c1'.repeat(20)}`
const zero = `0x${'0'.repeat(64)}`

/** `pool`: raw transactions, sent last. */
export function chainRequests(
  made: readonly RecordedBlock[],
  pool: readonly Hex[],
): readonly Recorded[] {
  const ask = (method: string, name: string, ...params: readonly unknown[]): Recorded =>
    params.length === 0 ? { method, name } : { method, name, params }
  const block = (number: number) => made[number - 1]?.hash
  const hex = (number: number) => `0x${number.toString(16)}`
  // The first block with two more transactions, and those of the newest types.
  const [access, creation] = [made[4]?.transactions[2], made[0]?.transactions[2]]
  const legacy = made[0]?.transactions[0]
  const dynamic = made[0]?.transactions[1]
  const failed = made[4]?.transactions[3]
  const blob = made[50]?.transactions.at(-1)
  const setCode = made[45]?.transactions.at(-1)
  const kinds: readonly (readonly [string, Hex | undefined])[] = [
    ['legacy', legacy],
    ['dynamic-fee', dynamic],
    ['access-list', access],
    ['creation', creation],
    ['failed', failed],
    ['blob', blob],
    ['set-code', setCode],
  ]
  const call = { from: sender, to: emitter }
  return [
    ...['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts'].flatMap((method) => [
      ask(method, 'by-number', '0x3'),
      ask(method, 'wrong-number', '2'),
      ask(method, 'newest', hex(made.length)),
    ]),
    ask('debug_getRawTransaction', 'without-prefix', '1'.repeat(64)),
    ask('debug_getRawTransaction', 'legacy', legacy),
    ask('eth_blockNumber', 'number'),
    ask('eth_chainId', 'id'),
    ask('eth_syncing', 'synced'),
    ask('net_version', 'id'),
    ask('eth_baseFee', 'next'),
    ask('eth_blobBaseFee', 'next'),
    ask('eth_config', 'schedule'),
    ask('eth_call', 'counter', call, 'latest'),
    ask('eth_call', 'revert', { to: reverter, gas: '0x186a0' }, 'latest'),
    ask('eth_createAccessList', 'counter', { ...call, gas: '0x30d40' }, 'latest'),
    ask('eth_estimateGas', 'transfer', { from: sender, to: absent, value: '0x1' }),
    ask('eth_estimateGas', 'counter', call),
    ask('eth_estimateGas', 'revert', { from: sender, to: reverter }),
    ask('eth_feeHistory', 'percentiles', '0x3', hex(27), [10, 90]),
    ask('eth_feeHistory', 'blobs', '0x4', hex(made.length), []),
    ...['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'].flatMap((method) => [
      ask(method, 'contract', emitter, 'latest'),
      ask(method, 'default-block', sender),
      ask(method, 'by-hash', emitter, block(20)),
      ask(method, 'absent', absent, 'latest'),
    ]),
    ask('eth_getStorageAt', 'newest', emitter, zero, 'latest'),
    ask('eth_getStorageAt', 'default-block', emitter, zero),
    ask('eth_getStorageAt', 'old', emitter, zero, hex(2)),
    ask('eth_getStorageAt', 'absent', absent, '0x01', 'latest'),
    ask('eth_getStorageAt', 'invalid-key', absent, '0xasdf', 'latest'),
    ask('eth_getStorageAt', 'long-key', absent, `0x${'0'.repeat(65)}`, 'latest'),
    ask('eth_getStorageValues', 'two', { [emitter]: [zero], [absent]: [zero] }, 'latest'),
    ask('eth_getProof', 'account', emitter, [], 'latest'),
    ask('eth_getProof', 'slots', emitter, [zero, `0x${'0'.repeat(63)}1`], block(30)),
    ask('eth_getProof', 'absent', absent, [zero], 'latest'),
    ...[
      ['latest', true],
      ['finalized', true],
      [hex(forks.shanghai), false],
      [hex(forks.cancun), true],
      [hex(forks.prague), false],
      [hex(forks.bpo2 - 1), true],
      [hex(1000), true],
    ].map(([tag, full]) => ask('eth_getBlockByNumber', `${String(tag)}`, tag, full)),
    ask('eth_getBlockByHash', 'full', block(5), true),
    ask('eth_getBlockByHash', 'zero', zero, true),
    ...[
      '0x0',
      'earliest',
      hex(1000),
      '0x1',
      '0x5',
      hex(forks.cancun),
      hex(46),
      hex(forks.bpo2),
    ].map((tag) => ask('eth_getBlockReceipts', tag, tag)),
    ask('eth_getBlockTransactionCountByHash', 'block', block(5)),
    ask('eth_getBlockTransactionCountByNumber', 'block', '0x5'),
    ask('eth_getTransactionByBlockHashAndIndex', 'first', block(5), '0x0'),
    ask('eth_getTransactionByBlockHashAndIndex', 'past-end', block(5), '0xffff'),
    ask('eth_getTransactionByBlockNumberAndIndex', 'first', '0x5', '0x0'),
    ...kinds.flatMap(([name, hash]) => [
      ask('eth_getTransactionByHash', name, hash),
      ask('eth_getTransactionReceipt', name, hash),
    ]),
    ask('eth_getTransactionReceipt', 'unknown', zero),
    ask('eth_getLogs', 'address', { address: [emitter], fromBlock: '0x1', toBlock: '0x4' }),
    ask('eth_getLogs', 'block', { blockHash: block(5) }),
    ask('eth_getLogs', 'topic', {
      fromBlock: '0x3',
      toBlock: '0x6',
      topics: [[recordedChain.topic]],
    }),
    ask('eth_getLogs', 'wildcard', {
      fromBlock: '0x3',
      toBlock: '0x6',
      topics: [[], [`0x${sender.slice(2).padStart(64, '0')}`]],
    }),
    ask('eth_getLogs', 'hash-and-range', { blockHash: block(5), fromBlock: '0x3', toBlock: '0x4' }),
    ...pool.map((raw, index) => ask('eth_sendRawTransaction', `pool-${index}`, raw)),
    ask('txpool_content', 'two'),
    ask('txpool_status', 'two'),
    ask('txpool_contentFrom', 'none', `0x${'0'.repeat(40)}`),
  ]
}
