// The fixed mix of requests that `doctor --dropin` sends to two JSON-RPC endpoints. Only reads; answers that depend on the head are
// compared by their form.
// Tested by test/cli/doctor-dropin.test.ts
import type { ProbeRequest } from './endpoint.ts'
import type { Reference } from './reference.ts'

/**
 * `value`: equal status and body, except for the text of errors. `form`: bodies have the same types and members. `cors`: both or
 * neither let the origin of the request read the reply. `preflight`: also its requested method and header. `status`: equal status.
 */
type Comparison = 'value' | 'form' | 'status' | 'cors' | 'preflight'

export type Group = 'methods' | 'parameters' | 'errors' | 'envelope' | 'http'

export type Probe = {
  readonly name: string
  readonly group: Group
  readonly compare: Comparison
  /** Null: no request is possible, such as for a transaction of an empty chain. */
  readonly request: (at: Reference) => ProbeRequest | null
}

type Params = (at: Reference) => readonly unknown[] | null

const json = { 'content-type': 'application/json' }
const page = { origin: 'https://app.example' }
const nowhere = `0x${'00'.repeat(31)}01`
const zeroAddress = `0x${'00'.repeat(20)}`
const identity = `0x${'00'.repeat(19)}04`
/** Code that reverts with the reason "no" (Solidity's Error(string)). */
const revertCode =
  '0x7f08c379a0000000000000000000000000000000000000000000000000000000006000526020600452600260245261' +
  '6e6f60f01b60445260646000fd'

export const rpcProbes: readonly Probe[] = [
  ...methods(),
  ...parameters(),
  ...errors(),
  ...envelopes(),
  ...http(),
]

function methods(): readonly Probe[] {
  const form = (method: string, params: Params = () => []) =>
    call('methods', method, params, 'form')
  const value = (method: string, params: Params) => call('methods', method, params)
  return [
    form('web3_clientVersion'),
    value('web3_sha3', () => ['0x68656c6c6f']),
    value('net_version', () => []),
    form('net_listening'),
    form('net_peerCount'),
    value('eth_chainId', () => []),
    form('eth_syncing'),
    form('eth_blockNumber'),
    form('eth_gasPrice'),
    form('eth_maxPriorityFeePerGas'),
    form('eth_blobBaseFee'),
    value('eth_accounts', () => []),
    value('eth_getBlockByNumber', ({ number }) => [number, false]),
    value('eth_getBlockByHash', ({ hash }) => [hash, true]),
    value('eth_getBlockTransactionCountByNumber', ({ number }) => [number]),
    value('eth_getBlockTransactionCountByHash', ({ hash }) => [hash]),
    value('eth_getUncleCountByBlockNumber', ({ number }) => [number]),
    value('eth_getUncleCountByBlockHash', ({ hash }) => [hash]),
    value('eth_getBlockReceipts', ({ number }) => [number]),
    value(
      'eth_getTransactionByHash',
      ofTransaction(({ hash }) => [hash]),
    ),
    value(
      'eth_getTransactionReceipt',
      ofTransaction(({ hash }) => [hash]),
    ),
    value(
      'eth_getTransactionByBlockHashAndIndex',
      ofTransaction(({ index }, at) => [at.hash, index]),
    ),
    value(
      'eth_getTransactionByBlockNumberAndIndex',
      ofTransaction(({ index }, at) => [at.number, index]),
    ),
    value('eth_getBalance', ({ address, number }) => [address, number]),
    value('eth_getTransactionCount', ({ address, number }) => [address, number]),
    value('eth_getCode', ({ address, number }) => [address, number]),
    value('eth_getStorageAt', ({ address, number }) => [address, '0x0', number]),
    value('eth_getProof', ({ address, number }) => [address, ['0x0'], number]),
    value('eth_call', ({ number }) => [{ to: identity, data: '0x1234' }, number]),
    value('eth_estimateGas', ({ address, number }) => [
      { from: address, to: zeroAddress, gasPrice: '0x0' },
      number,
    ]),
    form('eth_createAccessList', ({ number }) => [{ to: identity, data: '0x1234' }, number]),
    value('eth_feeHistory', ({ number }) => ['0x1', number, []]),
    value('eth_getLogs', ({ hash }) => [{ blockHash: hash }]),
  ]
}

function ofTransaction(
  params: (
    transaction: { readonly hash: string; readonly index: string },
    at: Reference,
  ) => readonly unknown[],
): Params {
  return (at) => (at.transaction === null ? null : params(at.transaction, at))
}

function parameters(): readonly Probe[] {
  const named = (name: string, method: string, params: Params, compare: Comparison = 'value') =>
    call('parameters', method, params, compare, `${method}: ${name}`)
  return [
    named('the tag earliest', 'eth_getBlockByNumber', () => ['earliest', false]),
    named('the tag latest', 'eth_getBlockByNumber', () => ['latest', false], 'form'),
    named('the tag finalized', 'eth_getBlockByNumber', () => ['finalized', false], 'form'),
    named('an unknown block hash', 'eth_getBlockByHash', () => [nowhere, false]),
    named('a block above the head', 'eth_getBlockByNumber', () => ['0xfffffffffff', false]),
    named('an unknown hash', 'eth_getTransactionByHash', () => [nowhere]),
    named('an unknown hash', 'eth_getTransactionReceipt', () => [nowhere]),
    named('an index past the end', 'eth_getTransactionByBlockHashAndIndex', ({ hash }) => [
      hash,
      '0xffff',
    ]),
    named('a block as an object with its hash', 'eth_getBalance', ({ address, hash }) => [
      address,
      { blockHash: hash },
    ]),
    named('a slot of 32 bytes', 'eth_getStorageAt', ({ address, number }) => [
      address,
      `0x${'00'.repeat(32)}`,
      number,
    ]),
    named('a block above the head', 'eth_getBalance', ({ address }) => [address, '0xfffffffffff']),
    named('a range that ends before it begins', 'eth_getLogs', ({ number }) => [
      { fromBlock: number, toBlock: '0x0' },
    ]),
    named('a block hash and a range', 'eth_getLogs', ({ hash, number }) => [
      { blockHash: hash, fromBlock: number },
    ]),
    named('a revert with a reason', 'eth_call', ({ number }) => [{ data: revertCode }, number]),
  ]
}

function errors(): readonly Probe[] {
  const named = (name: string, method: string, params: Params) =>
    call('errors', method, params, 'value', `${method}: ${name}`)
  return [
    named('an unknown method', 'eth_doesNotExist', () => []),
    named('no parameters', 'eth_getBalance', () => []),
    named('an address of 19 bytes', 'eth_getBalance', ({ number }) => [
      `0x${'00'.repeat(19)}`,
      number,
    ]),
    named('a number that is no text', 'eth_getBlockByNumber', () => [1, false]),
    named('a number with leading zeros', 'eth_getBlockByNumber', () => ['0x00', false]),
    named('an unknown tag', 'eth_getBlockByNumber', () => ['newest', false]),
    named('data of half a byte', 'eth_call', ({ number }) => [
      { to: identity, data: '0x123' },
      number,
    ]),
    named('a hash of 31 bytes', 'eth_getTransactionByHash', () => [`0x${'00'.repeat(31)}`]),
    named('too many parameters', 'eth_chainId', () => [1]),
  ]
}

function envelopes(): readonly Probe[] {
  const chainId = { jsonrpc: '2.0', method: 'eth_chainId', params: [] }
  return [
    raw('an id of text', { ...chainId, id: 'a-1' }),
    raw('an id that is null', { ...chainId, id: null }),
    rawText('an id above 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"eth_chainId"}'),
    raw('no id', chainId),
    raw('no member params', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    raw('params as an object', { ...chainId, id: 1, params: {} }),
    raw('no member jsonrpc', { id: 1, method: 'eth_chainId', params: [] }),
    raw('no member method', { jsonrpc: '2.0', id: 1 }),
    rawText('a body that is not JSON', '{"jsonrpc":"2.0","id":1,'),
    rawText('an empty body', ''),
    raw('a body that is a number', 5),
    raw('a batch of two', [
      { ...chainId, id: 1 },
      { ...chainId, id: 2, method: 'net_version' },
    ]),
    raw('an empty batch', []),
    raw('a batch with an unknown method', [
      { ...chainId, id: 1 },
      { ...chainId, id: 2, method: 'eth_doesNotExist' },
    ]),
    raw('a batch with an item that is no object', [{ ...chainId, id: 1 }, 5]),
  ]
}

function http(): readonly Probe[] {
  const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const post = (headers: Readonly<Record<string, string>>, body: string): ProbeRequest => ({
    method: 'POST',
    headers,
    body,
  })
  const preflight = {
    ...page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  return [
    {
      ...httpProbe('a preflight request of a page', 'preflight'),
      request: () => ({ method: 'OPTIONS', headers: preflight, body: null }),
    },
    {
      ...httpProbe('a request of a page', 'cors'),
      request: () => post({ ...json, ...page }, chainId),
    },
    {
      ...httpProbe('an error for a page', 'cors'),
      request: () =>
        post({ ...json, ...page }, '{"jsonrpc":"2.0","id":1,"method":"eth_doesNotExist"}'),
    },
    {
      ...httpProbe('a content type with a charset', 'value'),
      request: () => post({ 'content-type': 'application/json; charset=utf-8' }, chainId),
    },
    {
      ...httpProbe('a content type of plain text', 'status'),
      request: () => post({ 'content-type': 'text/plain' }, chainId),
    },
    { ...httpProbe('no content type', 'status'), request: () => post({}, chainId) },
    {
      ...httpProbe('GET', 'status'),
      request: () => ({ method: 'GET', headers: {}, body: null }),
    },
  ]
}

function httpProbe(name: string, compare: Comparison): Pick<Probe, 'name' | 'group' | 'compare'> {
  return { name, group: 'http', compare }
}

function call(
  group: Group,
  method: string,
  params: Params,
  compare: Comparison = 'value',
  name = method,
): Probe {
  return {
    name,
    group,
    compare,
    request(at) {
      const all = params(at)
      if (all === null) return null
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: all })
      return { method: 'POST', headers: json, body }
    },
  }
}

function raw(name: string, body: unknown): Probe {
  return rawText(name, JSON.stringify(body))
}

function rawText(name: string, body: string): Probe {
  const request = { method: 'POST', headers: json, body } as const
  return { name, group: 'envelope', compare: 'value', request: () => request }
}
