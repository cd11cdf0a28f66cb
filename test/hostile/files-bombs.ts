// Requests that cost the IPFS API more than they cost to send, or that exceed its limits, each with the expected reply.

export type FilesBomb = {
  readonly name: string
  /** Below `/api/v0/`, including the query. */
  readonly target: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly reply: RegExp
}

/** Settings of the server under test. */
export const bombLimits = {
  CAIRN_FILES_BLOCKS_MAX: '2000',
  CAIRN_FILES_UPLOAD_BYTES_MAX: String(64 * 1024 * 1024),
}

export const multipart = { 'content-type': 'multipart/form-data; boundary=edge' }

export function part(head: string, content: string): string {
  return `--edge\r\n${head}\r\n\r\n${content}\r\n`
}

export function form(...parts: readonly string[]): string {
  return `${parts.join('')}--edge--\r\n`
}

export function file(name: string, content = 'x'): string {
  return part(`Content-Disposition: form-data; name="file"; filename="${name}"`, content)
}

const mib = 1024 * 1024
const badPart = /^\{"Message":"[^]{1,600}","Code":1,"Type":"error"\}\n$/
const badText = /^[^{][^]*\n$/
const failed = /^\{"Message":"[^]{1,17000}","Code":0,"Type":"error"\}\n$/
const added = /^\{"Name":"(?:[^"\\]|\\.)*","Hash":"[^"]+","Size":"\d+"\}\n/
const identity = `bafkqa${'a'.repeat(5_000)}`

const uploads: readonly FilesBomb[] = [
  ['ten thousand parts', form(file('').repeat(10_000)), 413, /more than 2000 blocks/],
  [
    'fifteen hundred files',
    form(...Array.from({ length: 1_500 }, (_, n) => file(`f${n}`))),
    200,
    added,
  ],
  ['a part header of a megabyte', form(part(`X: ${'x'.repeat(mib)}`, '')), 400, badPart],
  ['a part header of 33 lines', form(part('X: y\r\n'.repeat(32) + 'X: y', '')), 400, badPart],
  ['a part header without a colon', form(part('nothing', '')), 400, badPart],
  [
    'a part header that is not UTF-8',
    Buffer.from(form(part('X: \xff', '')), 'latin1'),
    400,
    badPart,
  ],
  [
    'a disposition of semicolons',
    form(part(`Content-Disposition: form-data${'; '.repeat(8_000)}`, 'x')),
    200,
    added,
  ],
  [
    'a disposition of quotes',
    form(part(`Content-Disposition: form-data; filename="${'\\"'.repeat(500)}"`, 'x')),
    200,
    added,
  ],
  [
    'a disposition of one open quote',
    form(part(`Content-Disposition: form-data; filename="${'\\\\'.repeat(7_000)}`, 'x')),
    400,
    badPart,
  ],
  [
    'a disposition of blanks',
    form(part(`Content-Disposition: form-data;${' '.repeat(16_000)}`, 'x')),
    200,
    added,
  ],
  ['a name of percent signs', form(file('%'.repeat(1_000))), 200, added],
  ['a name that climbs out', form(file('../../../../etc/passwd')), 200, /"Name":"etc(\/passwd)?"/],
  ['a name that climbs out, escaped', form(file('%2e%2e%2f%2e%2e%2fetc')), 200, /"Name":"etc"/],
  ['a name with NUL', form(file('a%00b')), 400, badPart],
  ['a name of 9 kB', form(file('ab/'.repeat(3_000))), 400, badPart],
  ['a segment of 1,025 bytes', form(file('a'.repeat(1_025))), 400, badPart],
  ['a path 1,500 deep', form(file('a/'.repeat(1_500))), 500, /deeper than 1024 segments/],
  ['a name of line ends and quotes', form(file('a%0d%0a%22level%22:%22error%22')), 200, added],
  [
    'a name __proto__ in a directory __proto__',
    form(file('__proto__/__proto__')),
    200,
    /"Name":"__proto__\/__proto__"/,
  ],
  [
    'a symlink to 4,097 bytes',
    form(
      part(
        'Content-Disposition: form-data; filename="s"\r\nContent-Type: application/symlink',
        'x'.repeat(4_097),
      ),
    ),
    400,
    badPart,
  ],
  ['no closing boundary', file('a'), 400, badPart],
  ['no part', '--edge--\r\n', 500, failed],
  ['nothing', '', 400, badPart],
  [
    'a megabyte and more before the first part',
    `${'x'.repeat(mib + 1)}\r\n${form(file('a'))}`,
    400,
    badPart,
  ],
  [
    'a megabyte and more behind the last part',
    `${form(file('a'))}${'x'.repeat(mib + 1)}`,
    400,
    badPart,
  ],
  [
    'a form within a part',
    form(
      part('Content-Type: multipart/mixed; boundary=inner', '--inner\r\n\r\nx\r\n--inner--\r\n'),
    ),
    200,
    added,
  ],
  ['four megabytes of almost boundaries', form(file('a', '\r\n--edg'.repeat(600_000))), 200, added],
  ['four megabytes of carriage returns', form(file('a', '\r'.repeat(4 * mib))), 200, added],
  ['sixteen megabytes of half a boundary', form(file('a', '\r\n--'.repeat(4 * mib))), 200, added],
].map(
  ([name, body, status, reply]) =>
    ({ name, body, status, reply, target: 'add', headers: multipart }) as FilesBomb,
)

const options: readonly FilesBomb[] = [
  ['chunks of one byte', 'add?chunker=size-1', 'x'.repeat(mib), /^\{"Message":/],
  ['the smallest rabin chunks', 'add?chunker=rabin-16-17-18', 'x'.repeat(mib), /^\{"Message":/],
  ['chunks of no bytes', 'add?chunker=size-0', 'x', /./],
  ['chunks of 2^64 bytes', 'add?chunker=size-18446744073709551616', 'x', /./],
  ['a chunker of digits', `add?chunker=size-${'9'.repeat(10_000)}`, 'x', /./],
  ['one link a node', 'add?max-file-links=1', 'x', /./],
  ['a negative inline limit', 'add?inline=true&inline-limit=-1', 'x', /./],
  ['an inline limit over what identity may hold', 'add?inline=true&inline-limit=1048576', 'x', /./],
  ['CID version 99', 'add?cid-version=99', 'x', /./],
  ['a fanout of 2^31', 'add?max-hamt-fanout=2147483648', 'x', /./],
  ['an unknown hash function', 'add?hash=__proto__', 'x', /./],
].map(
  ([name, target, content, reply]) =>
    ({
      name,
      target,
      body: form(file('a', content as string)),
      headers: multipart,
      status: 0,
      reply,
    }) as FilesBomb,
)

const commandLines: readonly FilesBomb[] = [
  ['1,001 arguments', `pin/rm?${'arg=a&'.repeat(1_001)}`, 400, badText],
  ['one option a thousand times', `cat?arg=a&${'offset=1&'.repeat(1_000)}`, 400, badText],
  ['long name and alias together', 'cat?arg=a&offset=1&o=1', 400, badText],
  ['a length of a thousand digits', `cat?arg=a&length=${'9'.repeat(1_000)}`, 400, badText],
  ['an offset of underscores', `cat?arg=a&offset=${'1_'.repeat(2_000)}`, 400, badText],
  ['a timeout of a thousand parts', `cat?arg=a&timeout=${'1h'.repeat(2_000)}x`, 400, badText],
  ['a timeout of dots', `cat?arg=a&timeout=${'.'.repeat(4_000)}`, 400, badText],
  ['a timeout of ages', `cat?arg=bafkqaaa&timeout=${'9'.repeat(300)}h`, 400, badText],
  [
    'an option __proto__',
    'version?__proto__=1&constructor=2&hasOwnProperty=3',
    200,
    /^\{"Version"/,
  ],
  ['a command __proto__', '__proto__', 404, badText],
  ['a command constructor', 'constructor', 404, badText],
  ['a command that climbs, escaped', '%2e%2e%2f%2e%2e%2fetc/passwd', 404, badText],
  ['a path of a thousand segments', `cat/${'a/'.repeat(1_000)}`, 404, badText],
  ['a query that is no text', 'cat?arg=%ff%fe&%', 500, failed],
  ['an argument of slashes', `cat?arg=${'/'.repeat(8_000)}`, 500, failed],
  ['an argument with a thousand segments', `cat?arg=bafkqaaa${'/a'.repeat(4_000)}`, 500, failed],
  ['an argument with line ends', 'cat?arg=a%0a%7b%22level%22%3a%22error%22%7d', 500, failed],
  ['an identity CID of 5,000 letters', `cat?arg=${identity}`, 500, failed],
  ['base58 of 8,000 letters', `cat?arg=Qm${'z'.repeat(8_000)}`, 500, failed],
  ['base36 of 8,000 letters', `cat?arg=k${'z'.repeat(8_000)}`, 500, failed],
  ['an unknown multibase', `cat?arg=!${'z'.repeat(100)}`, 500, failed],
].map(([name, target, status, reply]) => ({ name, target, status, reply }) as FilesBomb)

const bodies: readonly FilesBomb[] = [
  ['1,001 arguments in a body', form(file('a', 'a\n'.repeat(1_001))), 400, badText],
  ['an argument line of 8,193 bytes', form(file('a', 'x'.repeat(8_193))), 400, badText],
  ['more than a megabyte of arguments', form(file('a', 'x'.repeat(mib + 1))), 400, /./],
  ['a megabyte of line ends as arguments', form(file('a', '\n'.repeat(mib - 1))), 400, badText],
].map(
  ([name, body, status, reply]) =>
    ({ name, body, status, reply, target: 'pin/rm', headers: multipart }) as FilesBomb,
)

const heads: readonly FilesBomb[] = [
  {
    name: 'an upload without a form',
    target: 'add',
    body: 'x',
    headers: { 'content-type': 'application/json' },
    status: 400,
    reply: badText,
  },
  {
    name: 'a form without a boundary',
    target: 'add',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data' },
    status: 400,
    reply: badText,
  },
  {
    name: 'a boundary of 71 letters',
    target: 'add',
    body: 'x',
    headers: { 'content-type': `multipart/form-data; boundary=${'x'.repeat(71)}` },
    status: 400,
    reply: badText,
  },
  {
    name: 'a boundary of open quotes',
    target: 'add',
    body: 'x',
    headers: { 'content-type': `multipart/form-data; boundary="${'\\\\'.repeat(3_000)}` },
    status: 400,
    reply: badText,
  },
  {
    name: 'a packed body',
    target: 'add',
    body: 'x',
    headers: { ...multipart, 'content-encoding': 'br' },
    status: 415,
    reply: badPart,
  },
  {
    name: 'no Basic at all',
    target: 'version',
    headers: { authorization: 'Bearer x' },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic over 8 KiB',
    target: 'version',
    headers: { authorization: `Basic ${btoa(`${'x'.repeat(7_000)}:y`)}` },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic with NUL',
    target: 'version',
    headers: { authorization: `Basic ${btoa('a\0b:c')}` },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic without a colon',
    target: 'version',
    headers: { authorization: `Basic ${btoa('abc')}` },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic that is no base64',
    target: 'version',
    headers: { authorization: 'Basic %%%' },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic with an empty secret',
    target: 'version',
    headers: { authorization: `Basic ${btoa('abcdefgh:')}` },
    status: 401,
    reply: failed,
  },
  {
    name: 'Basic of blanks',
    target: 'version',
    headers: { authorization: `Basic${' '.repeat(8_000)}x` },
    status: 401,
    reply: failed,
  },
]

/** `status` 0: any error (4xx or 500). */
export const filesBombs: readonly FilesBomb[] = [
  ...uploads,
  ...options,
  ...commandLines,
  ...bodies,
  ...heads,
]
