// Expected bytes of JSON-RPC envelopes over the wire. The chain ID is a parameter; eth_chainId is the only method.

export type RpcTranscript = {
  readonly name: string
  readonly request: string
  readonly status: number
  /** The whole body; empty for notifications. */
  readonly reply: string
}

const invalid = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"invalid request"}}`
const missing = (id: string, method: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"The method ${method} does not exist/is not available"}}`
const unreadable = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'

/** IDs that replies must repeat byte for byte. */
export const echoedIds: readonly string[] = [
  '0',
  '-1',
  '-0',
  '1.0',
  '1e0',
  '9007199254740993',
  '"e10be0d5-0cb4-4572-8759-bf5de149be7f"',
  '""',
  'null',
  'true',
  'false',
  String.raw`"\u0041"`,
  String.raw`"\/"`,
  String.raw`"\ud800"`,
  '"Zürich ⛰"',
]

/** The transcripts for a server whose eth_chainId is `chainId` (a QUANTITY). */
export function envelopeTranscripts(chainId: string): readonly RpcTranscript[] {
  const result = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"${chainId}"}`
  const call = (id: string, more = '') =>
    `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"${more}}`
  const same: readonly (readonly [name: string, request: string, reply: string])[] = [
    [
      'G14 unknown method',
      '{"jsonrpc":"2.0","id":1,"method":"web3_sha4","params":[]}',
      missing('1', 'web3_sha4'),
    ],
    [
      'G15a empty batch',
      '[]',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}',
    ],
    ['G15b one number', '[1]', `[${invalid('null')}]`],
    ['G15b three numbers', '[1,2,3]', `[${[1, 2, 3].map(() => invalid('null')).join(',')}]`],
    ['G15c id only', '{"id":1}', invalid('1')],
    ['G15c no method', '{"jsonrpc":"2.0","id":1}', invalid('1')],
    ['G15c no version', '{"id":1,"method":"eth_chainId"}', invalid('1')],
    ['G15c version 2.1', '{"jsonrpc":"2.1","id":1,"method":"eth_chainId"}', invalid('1')],
    ['G15d a number', '1', invalid('null')],
    ['G15d null', 'null', invalid('null')],
    ['G15d array id', call('[]'), invalid('null')],
    ['G15d object id', call('{}'), invalid('null')],
    [
      'G15f mixed batch',
      `[${call('1')},55,{"jsonrpc":"2.0","id":2,"method":"nope_x"},{"foo":"bar"}]`,
      `[${result('1')},${invalid('null')},${missing('2', 'nope_x')},${invalid('null')}]`,
    ],
    ['G15g notification', '{"jsonrpc":"2.0","method":"eth_chainId"}', ''],
    ['G15g batch of notifications', '[{"jsonrpc":"2.0","method":"eth_chainId"}]', ''],
    [
      'a notification among calls',
      `[{"jsonrpc":"2.0","method":"eth_chainId"},${call('7')}]`,
      `[${result('7')}]`,
    ],
    ['params null', call('1', ',"params":null'), result('1')],
    [
      'params an object',
      call('1', ',"params":{}'),
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"non-array args"}}',
    ],
    ['unknown members', call('1', ',"extra":{"id":2}'), result('1')],
    [
      'the last of two ids',
      '{"jsonrpc":"2.0","id":1,"id":2.0,"method":"eth_chainId"}',
      result('2.0'),
    ],
    ['blanks around', `\r\n\t ${call('1')} \n`, result('1')],
    ['duplicate ids', `[${call('1')},${call('1')}]`, `[${result('1')},${result('1')}]`],
    [
      'method name too long',
      `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(2049)}"}`,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"method name too long: 2049 > 2048"}}',
    ],
    ...echoedIds.map((id) => [`G16 id ${id}`, call(id), result(id)] as const),
    [
      'G16 ids in a batch',
      `[${echoedIds.map((id) => call(id)).join(',')}]`,
      `[${echoedIds.map(result).join(',')}]`,
    ],
  ]
  const broken = [
    ['G15e text', `'f`],
    ['G15e empty body', ''],
    ['cut short', '{"jsonrpc":"2.0","id":1'],
    ['depth 65', '['.repeat(65) + ']'.repeat(65)],
  ] as const
  return [
    ...same.map(([name, request, reply]) => ({ name, request, status: 200, reply })),
    ...broken.map(([name, request]) => ({ name, request, status: 400, reply: unreadable })),
  ]
}
