// Bodies that cost the JSON-RPC API more than they cost to send, each with the expected reply. The test contains the cost limits.

export type Bomb = {
  readonly name: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly status: number
  /** Maximum length of the whole reply, which is never long unless it echoes an ID. */
  readonly reply: RegExp
  readonly headers?: Readonly<Record<string, string>>
  /** It requests real work, which has its own limits. */
  readonly work?: true
}

const bodyBytesMax = 5 * 1024 * 1024

export function call(method: string, params: unknown = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Repeats `unit` up to the limit of bodies, between `open` and `close`. */
function filled(open: string, unit: string, close: string): string {
  const room = bodyBytesMax - open.length - close.length
  return open + unit.repeat(Math.floor(room / unit.length)) + close
}

function numbered(unit: (n: number) => string, count: number): string {
  return Array.from({ length: count }, (_, n) => unit(n)).join(',')
}

const parseError =
  /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32700,"message":"parse error"\}\}$/
const invalid =
  /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,"message":"invalid request"\}\}$/
const tooMany =
  /^\[\{"jsonrpc":"2\.0","id":[^,]*,"error":\{"code":-32600,"message":"batch too large"\}\}/
const badParams =
  /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32602,"message":"(?:[^"\\]|\\"){1,1024}"\}\}$/
const noMethod =
  /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32601,"message":"The method .* does not exist\/is not available"\}\}$/s
const chainId = /^\{"jsonrpc":"2\.0","id":[^]*,"result":"0x539"\}$/

const address = `0x${'00'.repeat(20)}`
const digits = '9'.repeat(1_000_000)
const hex = `0x${'f'.repeat(1_000_000)}`

export const rpcBombs: readonly Bomb[] = [
  // Depth and number.
  { name: 'a million open brackets', body: '['.repeat(1_000_000), status: 400, reply: parseError },
  { name: 'five million open brackets', body: filled('', '[', ''), status: 400, reply: parseError },
  {
    name: 'objects a hundred thousand deep',
    body: '{"a":'.repeat(100_000),
    status: 400,
    reply: parseError,
  },
  {
    name: 'params 65 deep',
    body: call('eth_chainId').replace('[]', '['.repeat(64) + ']'.repeat(64)),
    status: 400,
    reply: parseError,
  },
  {
    name: 'five megabytes of empty objects',
    body: filled('[{}', ',{}', ']'),
    status: 200,
    reply:
      /^\[\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,"message":"batch too large"\}\}\]$/,
  },
  {
    name: 'a batch of five megabytes of calls',
    body: filled(`[${call('eth_chainId')}`, `,${call('eth_chainId')}`, ']'),
    status: 200,
    reply: tooMany,
  },
  {
    name: 'a batch of 101 calls',
    body: `[${numbered((n) => call('eth_chainId', [], n), 101)}]`,
    status: 200,
    reply: tooMany,
  },
  { name: 'a batch of commas', body: filled('[', ',', ']'), status: 400, reply: parseError },
  {
    name: 'commas within one parameter',
    body: filled('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[[0', ',0', ']]}'),
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":1,/,
  },
  {
    name: 'a hundred thousand members of one object',
    body: `{${numbered((n) => `"k${n}":0`, 100_000)}}`,
    status: 200,
    reply: invalid,
  },
  { name: 'a body of blanks', body: filled('', ' ', ''), status: 400, reply: parseError },
  // Numbers.
  {
    name: 'an id above 2^53',
    body: call('eth_chainId').replace('"id":1', '"id":9007199254740993'),
    status: 200,
    reply: /"id":9007199254740993,/,
  },
  {
    name: 'an id of a million digits',
    body: call('eth_chainId').replace('"id":1', `"id":${digits}`),
    status: 200,
    reply: chainId,
  },
  {
    name: 'an id of a million letters',
    body: call('eth_chainId', [], 'x'.repeat(1_000_000)),
    status: 200,
    reply: chainId,
  },
  {
    name: 'an id of five megabytes of escapes',
    body: filled('{"jsonrpc":"2.0","method":"eth_chainId","id":"', '\\u0000', '"}'),
    status: 200,
    reply: chainId,
  },
  {
    name: 'an id beyond all numbers',
    body: call('eth_chainId').replace('"id":1', '"id":1e999'),
    status: 200,
    reply: /"id":1e999,/,
  },
  {
    name: 'a parameter of a million digits',
    body: call('eth_getBalance').replace('[]', `["${address}",${digits}]`),
    status: 200,
    reply: badParams,
  },
  {
    name: 'a block number of a million decimal digits',
    body: call('eth_getBalance', [address, digits]),
    status: 200,
    reply: badParams,
  },
  {
    name: 'a block number of a million hex digits',
    body: call('eth_getBlockByNumber', [hex, false]),
    status: 200,
    reply: badParams,
  },
  {
    name: 'a storage position of a million hex digits',
    body: call('eth_getStorageAt', [address, hex, 'latest']),
    status: 200,
    reply: badParams,
  },
  {
    name: 'an index of a million hex digits',
    body: call('eth_getTransactionByBlockHashAndIndex', [`0x${'00'.repeat(32)}`, hex]),
    status: 200,
    reply: badParams,
  },
  {
    name: 'a value of a million hex digits',
    body: call('eth_call', [{ to: address, value: hex }, 'latest']),
    status: 200,
    reply: badParams,
  },
  {
    name: 'an address of a million hex digits',
    body: call('eth_getBalance', [hex, 'latest']),
    status: 200,
    reply: badParams,
  },
  {
    name: 'a raw transaction of a megabyte of f',
    body: call('eth_sendRawTransaction', [hex]),
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32\d{3},"message":"[^"]{1,1024}"\}\}$/,
  },
  {
    name: 'a raw transaction of nested lists',
    body: call('eth_sendRawTransaction', [`0x${'c1'.repeat(400_000)}`]),
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32\d{3},"message":"[^"]{1,1024}"\}\}$/,
  },
  {
    name: 'a raw transaction that declares 2^64 bytes',
    body: call('eth_sendRawTransaction', [`0xff${'ff'.repeat(8)}`]),
    status: 200,
    reply: /"error":\{"code":-32\d{3},/,
  },
  // Names.
  {
    name: 'a method of a megabyte',
    body: call('x'.repeat(1_000_000)),
    status: 200,
    reply: /"method name too long: 1000000 > 2048"/,
  },
  { name: 'a method of 2048 letters', body: call('x'.repeat(2_048)), status: 200, reply: noMethod },
  { name: 'a method named __proto__', body: call('__proto__'), status: 200, reply: noMethod },
  { name: 'a method named constructor', body: call('constructor'), status: 200, reply: noMethod },
  {
    name: 'a method with line ends',
    body: call('a\n{"level":"error"}\r\n'),
    status: 200,
    reply: noMethod,
  },
  {
    name: 'a request within __proto__',
    body: `{"__proto__":${call('eth_chainId')}}`,
    status: 200,
    reply: invalid,
  },
  {
    name: 'a method within __proto__',
    body: '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"eth_chainId"}}',
    status: 200,
    reply: /"id":1,"error":\{"code":-32600,"message":"invalid request"/,
  },
  {
    name: 'a call object with __proto__',
    body: call('eth_call').replace('[]', `[{"__proto__":{"to":"${address}"}},"latest"]`),
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":1,/,
  },
  {
    name: 'params as an object with length',
    body: call('eth_chainId', { length: 4_294_967_295 }),
    status: 200,
    reply: /"non-array args"/,
  },
  // A duplicate member: a single parse decides, so the last one counts everywhere.
  {
    name: 'two methods',
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","method":"eth_chainId"}',
    status: 200,
    reply: chainId,
  },
  {
    name: 'two ids',
    body: '{"jsonrpc":"2.0","id":9007199254740993,"id":"b","method":"eth_chainId"}',
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":"b","result"/,
  },
  {
    name: 'two ids, the last one huge',
    body: '{"jsonrpc":"2.0","id":"b","id":9007199254740993,"method":"eth_chainId"}',
    status: 200,
    reply: /"id":9007199254740993,"result"/,
  },
  {
    name: 'two ids, one an object',
    body: '{"jsonrpc":"2.0","id":{},"id":7,"method":"eth_chainId"}',
    status: 200,
    reply: /"id":7,"result"/,
  },
  {
    name: 'an id spelled with an escape',
    body: '{"jsonrpc":"2.0","\\u0069d":7,"method":"eth_chainId"}',
    status: 200,
    reply: /"id":7,"result"/,
  },
  {
    name: 'two hundred thousand ids',
    body: `{${numbered((n) => `"id":${n}`, 200_000)},"jsonrpc":"2.0","method":"eth_chainId"}`,
    status: 200,
    reply: /"id":199999,"result"/,
  },
  // Bytes that are not text.
  {
    name: 'bytes that are not UTF-8',
    body: new Uint8Array(1_000_000).fill(0xff),
    status: 400,
    reply: parseError,
  },
  {
    name: 'an overlong slash',
    body: Buffer.concat([Buffer.from('["'), Buffer.of(0xc0, 0xaf), Buffer.from('"]')]),
    status: 400,
    reply: parseError,
  },
  {
    name: 'half a surrogate pair as an id',
    body: '{"jsonrpc":"2.0","id":"\\ud800","method":"eth_chainId"}',
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":"\\ud800","result"/,
  },
  {
    name: 'half a surrogate pair as a method',
    body: '{"jsonrpc":"2.0","id":1,"method":"\\udfff"}',
    status: 200,
    reply: noMethod,
  },
  {
    name: 'a byte order mark',
    body: `\ufeff${call('eth_chainId')}`,
    status: 400,
    reply: parseError,
  },
  { name: 'NUL behind a call', body: `${call('eth_chainId')}\0`, status: 400, reply: parseError },
  { name: 'no body', body: '', status: 400, reply: parseError },
  // Bodies that grow when decompressed are not decompressed.
  {
    name: 'gzip',
    body: Buffer.from('1f8b0800', 'hex'),
    status: 415,
    reply: /"code":-32600/,
    headers: { 'content-encoding': 'gzip' },
  },
  {
    name: 'brotli',
    body: Buffer.from('8b', 'hex'),
    status: 415,
    reply: /"code":-32600/,
    headers: { 'content-encoding': 'br' },
  },
  {
    name: 'an unknown content coding',
    body: call('eth_chainId'),
    status: 415,
    reply: /"code":-32600/,
    headers: { 'content-encoding': 'x' },
  },
  // Work.
  {
    name: 'code that never ends, all gas',
    body: call('eth_call', [{ data: '0x5b600056', gas: '0xffffffffffffffff' }, 'latest']),
    status: 200,
    reply: /"error":\{"code":-32\d{3},/,
    work: true,
  },
  {
    name: 'an estimate of code that never ends',
    body: call('eth_estimateGas', [{ data: '0x5b600056' }]),
    status: 200,
    reply: /"error":\{"code":/,
    work: true,
  },
  {
    name: 'a fee history of everything',
    body: call('eth_feeHistory', [
      '0xffffffffffffffff',
      'latest',
      Array.from({ length: 100_000 }, (_, n) => n / 1_000),
    ]),
    status: 200,
    reply: /^\{"jsonrpc":"2\.0","id":1,/,
  },
  {
    name: 'a hash of a megabyte',
    body: call('web3_sha3', [hex]),
    status: 200,
    reply: /"result":"0x[0-9a-f]{64}"/,
  },
]
