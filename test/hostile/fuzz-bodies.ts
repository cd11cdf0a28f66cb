// Generated bodies: valid ones with some changed bytes, and arbitrary JSON in the structure of calls. A seed determines them.
import fc from 'fast-check'
import { call } from './rpc-bombs.ts'
import { seeded } from '../fakes/seeded.ts'
import { file, form, part } from './files-bombs.ts'

const hash = `0x${'ab'.repeat(32)}`
const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

const goodCalls: readonly string[] = [
  call('eth_chainId'),
  call('eth_blockNumber', []),
  call('eth_getStorageAt', [address, '0x0', 'latest']),
  call('eth_getStorageAt', [address, hash, { blockHash: hash, requireCanonical: true }], 'id'),
  call('eth_getTransactionByBlockHashAndIndex', [hash, '0x0'], -1),
  call('eth_getBalance', [address, '0x1'], null),
  call('eth_getBlockByNumber', ['finalized', true], 9_007_199_254_740_991),
  call('eth_call', [{ from: address, to: address, data: '0x70a08231', value: '0x1' }, 'latest']),
  call('eth_estimateGas', [{ to: address, accessList: [{ address, storageKeys: [hash] }] }]),
  call('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: [address], topics: [null, [hash]] },
  ]),
  call('eth_feeHistory', ['0x4', 'latest', [25, 75.5]]),
  call('eth_sendRawTransaction', [`0x02f8${'7b'.repeat(110)}`]),
  call('eth_getProof', [address, ['0x0'], 'latest']),
  call('web3_sha3', ['0x68656c6c6f']),
  '{"jsonrpc":"2.0","method":"eth_chainId"}',
  `[${call('eth_chainId', [], 1)},${call('eth_getCode', [address, 'latest'], 1.5)},{"jsonrpc":"2.0","method":"x"}]`,
  `[${call('a', {}, '\ud83d\ude00')},1,[],null,${call('eth_syncing', null, 0)}]`,
  ' { "jsonrpc" : "2.0" , "id" : 1e0 , "method" : "net_version" , "params" : [ ] } ',
]

const goodForms: readonly string[] = [
  form(file('a.txt', 'hello\n')),
  form(
    file('dir/a', 'one'),
    file('dir/b', 'two'),
    part(
      'Content-Disposition: form-data; name="file"; filename="dir/c"\r\nContent-Type: application/x-directory',
      '',
    ),
  ),
  form(
    part(
      'Content-Disposition: form-data; name="file?mode=0644&mtime=1&mtime-nsecs=2"; filename="%2Fx%20y"\r\nAbspath: /x\r\nContent-Type: application/octet-stream',
      '\r\n--edg\r\n--edge-',
    ),
  ),
  form(
    part(
      'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%e2%82%ac\r\nContent-Type: application/symlink',
      '../target',
    ),
  ),
  'before\r\n' + form(file('', ''), file('\u00e9', 'x'.repeat(300))) + 'behind',
]

const goodLines: readonly string[] = [
  'add?pin=true&cid-version=1&chunker=size-1024&raw-leaves=false&wrap-with-directory=1',
  'add?chunker=rabin-64-128-256&hash=sha2-512&inline=true&inline-limit=32&progress=false',
  'cat?arg=QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn&offset=0x10&length=1_0&timeout=1m30.5s',
  'cat/bafkqaaa?offline=true&encoding=json',
  'pin/add?arg=bafkqaaa&arg=/ipfs/bafkqaaa/a%2Fb&recursive=t&name=n%00m',
  'pin/ls?type=recursive&stream=true&quiet=0&stream-channels=true',
  'pin/rm?arg=bafkqaaa&r=false',
  'block/put?cid-codec=dag-pb&mhtype=sha2-256&mhlen=32&pin=true',
  'version?enc=json&L=true',
]

/** Values that break parsers. */
const tokens: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u',
  '\\ud800',
  '\0',
  '\r\n',
  '\n',
  '\r',
  '\t',
  ' ',
  '-',
  '.',
  'e',
  'E',
  'null',
  'true',
  '-0',
  '1e999',
  '1E5',
  '9007199254740993',
  '0.1',
  '1.0',
  '0x',
  '0x0',
  '0x00',
  '0xg',
  '0X1',
  '"id"',
  '"id":',
  '"jsonrpc"',
  '"2.0"',
  '"method"',
  '"params"',
  '"__proto__":',
  '"constructor"',
  '"toString"',
  'latest',
  'pending',
  'earliest',
  'blockHash',
  hash,
  address,
  'f'.repeat(70),
  '9'.repeat(400),
  '--edge',
  '--edge--',
  '\r\n--edge\r\n',
  '\r\n\r\n',
  'filename="',
  "filename*=utf-8''",
  '%',
  '%00',
  '%zz',
  '..',
  '/../',
  ';',
  '&',
  '=',
  '?',
  '&arg=',
  'size-',
  'rabin-',
  '1h',
  '_',
  '+',
  '\u00e9',
  '\u2028',
  '\ufeff',
  '\xff',
  '\xc0\xaf',
  '['.repeat(70),
  '{"a":'.repeat(70),
  '[]'.repeat(70),
  ',{}'.repeat(200),
]

export type FuzzBody = {
  readonly face: 'rpc' | 'files'
  readonly bytes: Buffer<ArrayBuffer>
  /** Path below `/api/v0/`, for the IPFS API. */
  readonly line: string
}

const identifier = fc.oneof(
  fc.json(),
  fc.constantFrom('1', '"a"', '1.0', '-0', '12345678901234567890'),
)
const member = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      id: identifier,
      method: fc.constantFrom(
        'eth_call',
        'eth_getLogs',
        'eth_getProof',
        'eth_getBalance',
        '__proto__',
      ),
      params: fc.json({ maxDepth: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      id: identifier,
      method: fc.string({ unit: 'binary', maxLength: 40 }),
      params: fc.json(),
    }),
  },
)
const arbitraryBody = fc.array(member, { minLength: 1, maxLength: 4 }).map((items) => {
  const texts = items.map(({ id, method, params }) => {
    const wrapped = params.startsWith('[') ? params : `[${params}]`
    return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${wrapped}}`
  })
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(',')}]`
})

const sampleSize = 500

/** Yields without end. One in eight is arbitrary JSON, the others are valid bodies with one to six changes. */
export function* fuzzBodies(seed: number): Generator<FuzzBody> {
  const dice = seeded(seed)
  const pick = <T>(from: readonly T[]): T => from[dice(from.length)] as T
  for (let round = 0; ; round++) {
    for (const body of fc.sample(arbitraryBody, { numRuns: sampleSize, seed: seed + round })) {
      yield { face: 'rpc', bytes: Buffer.from(body), line: '' }
      for (let n = 0; n < 7; n++) {
        const bytes = (good: string) => change(Buffer.from(good), dice, pick)
        if (n % 2 === 0) yield { face: 'rpc', bytes: bytes(pick(goodCalls)), line: '' }
        else {
          const line = n === 1 ? pick(goodLines) : bytes(pick(goodLines)).toString('latin1')
          const sent = n === 3 ? Buffer.from(pick(goodForms)) : bytes(pick(goodForms))
          yield { face: 'files', bytes: sent, line }
        }
      }
    }
  }
}

function change(
  good: Buffer<ArrayBuffer>,
  dice: (sides: number) => number,
  pick: <T>(from: readonly T[]) => T,
): Buffer<ArrayBuffer> {
  let bytes = good
  for (let left = 1 + dice(6); left > 0; left--) {
    const at = dice(bytes.length + 1)
    const to = Math.min(bytes.length, at + dice(12))
    const [front, cut, back] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
    switch (dice(7)) {
      case 0:
        bytes = Buffer.concat([front, back])
        break
      case 1:
        bytes = Buffer.concat([
          front,
          Buffer.from(pick(tokens), dice(2) === 0 ? 'utf8' : 'latin1'),
          cut,
          back,
        ])
        break
      case 2:
        bytes = Buffer.concat([front, Buffer.from(pick(tokens)), back])
        break
      case 3:
        bytes = Buffer.concat([front, cut, cut, back])
        break
      case 4:
        bytes = Buffer.concat([front, Buffer.of(dice(256)), back])
        break
      case 5:
        bytes = Buffer.concat([front, Buffer.from(front.subarray(-20)).reverse(), cut, back])
        break
      default:
        bytes = Buffer.from(bytes)
        if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << dice(8))
    }
  }
  return bytes
}
