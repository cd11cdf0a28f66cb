// Malformed, ambiguous and smuggling requests as bytes, with the permitted results. After each, the test sends a valid call on the
// same connection: it gets its own reply, or the connection is closed before.

export type RawRequest = {
  readonly name: string
  readonly bytes: string
  /**
   * Statuses of the replies in order, separated by spaces; `after` stands for the reply to the valid call. Several alternatives if
   * the result depends on the timing of the socket.
   */
  readonly direct: readonly string[]
  /** The sender closes after its bytes, and sends no valid call. */
  readonly hangUp?: true
  /** Indexes of HEAD requests, from 0. */
  readonly heads?: readonly number[]
}

/** An ID that only a request hidden in another's body contains. */
export const hiddenId = 'hidden'

/** A valid call as bytes. */
export function goodCall(path: string, id: string, headers = ''): string {
  const body = `{"jsonrpc":"2.0","id":"${id}","method":"eth_chainId"}`
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
}

export function rawRequests(path: string): readonly RawRequest[] {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const hidden = goodCall(path, hiddenId)
  const post = (lines: string, content = body, target = path, version = 'HTTP/1.1'): string =>
    `POST ${target} ${version}\r\n${lines}\r\n${content}`
  const length = `Content-Length: ${body.length}\r\n`
  const host = 'Host: a\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const chunks = (content: string): string =>
    `${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`
  const refused = ['400']
  const cutShort = ['400']
  const closed = ['']
  const answered = ['200 after']

  const table: readonly (readonly [
    name: string,
    bytes: string,
    direct: readonly string[],
    more?: Pick<RawRequest, 'hangUp' | 'heads'>,
  ])[] = [
    // Two declarations of the body length.
    ['a length and chunks', post(`${host}Content-Length: 6\r\n${chunked}`, `0\r\n\r\nG`), refused],
    [
      'chunks and a length that covers a hidden call',
      post(`${host}${chunked}Content-Length: ${hidden.length + 5}\r\n`, `0\r\n\r\n${hidden}`),
      refused,
    ],
    ['an encoding xchunked', post(`${host}${length}Transfer-Encoding: xchunked\r\n`), refused],
    ['chunked that is not last', post(`${host}Transfer-Encoding: chunked, x\r\n`, hidden), refused],
    [
      'a vertical tab before chunked',
      post(`${host}Transfer-Encoding: \x0bchunked\r\n`, chunks(body)),
      refused,
    ],
    [
      'a blank before the colon of an encoding',
      post(`${host}Transfer-Encoding : chunked\r\n`, chunks(body)),
      refused,
    ],
    [
      'chunked twice in two headers',
      post(`${host}${chunked}Transfer-Encoding: identity\r\n`, `0\r\n\r\n${hidden}`),
      refused,
    ],
    ['encoding identity', post(`${host}Transfer-Encoding: identity\r\n${length}`), refused],
    ['chunks in HTTP/1.0', post(`${host}${chunked}`, chunks(body), path, 'HTTP/1.0'), refused],
    ['two equal lengths', post(`${host}${length}${length}`), refused],
    ['two lengths', post(`${host}${length}Content-Length: 0\r\n`), refused],
    ['a list of lengths', post(`${host}Content-Length: 4, 4\r\n`, 'null'), refused],
    ['a signed length', post(`${host}Content-Length: +4\r\n`, 'null'), refused],
    ['a negative length', post(`${host}Content-Length: -4\r\n`, 'null'), refused],
    ['a length in hex', post(`${host}Content-Length: 0x4\r\n`, 'null'), refused],
    ['a length with a blank inside', post(`${host}Content-Length: 4 4\r\n`, 'null'), refused],
    ['a length over 2^64', post(`${host}Content-Length: 18446744073709551620\r\n`), refused],
    ['an empty length', post(`${host}Content-Length:\r\n`, hidden), refused],
    // Line endings and spaces.
    ['bare line feeds', post(`${host}${length}`).replaceAll('\r\n', '\n'), refused],
    ['a bare line feed behind one header', post(`Host: a\nX: y\r\n${length}`), refused],
    ['a bare carriage return in a header', post(`${host}X: y\rZ: z\r\n${length}`), refused],
    ['a blank before a colon', post(`Host : a\r\n${length}`), refused],
    ['a folded header', post(`${host}X: y\r\n z\r\n${length}`), refused],
    ['a folded encoding', post(`${host}Transfer-Encoding:\r\n chunked\r\n`, chunks(body)), refused],
    ['a header without a colon', post(`${host}nocolon\r\n${length}`), refused],
    ['a bracket in a header name', post(`${host}x(y): 1\r\n${length}`), refused],
    ['NUL in a header', post(`${host}X: a\0b\r\n${length}`), refused],
    ['NUL in the target', post(`${host}${length}`, body, `${path}\0`), refused],
    ['two blanks behind the method', post(`${host}${length}`, body, ` ${path}`), answered],
    // Chunks.
    ['a chunk size that overflows', post(host + chunked, 'fffffffffffffffff\r\nx'), refused],
    ['a negative chunk size', post(host + chunked, '-4\r\nnull\r\n0\r\n\r\n'), refused],
    ['a chunk size with 0x', post(host + chunked, '0x4\r\nnull\r\n0\r\n\r\n'), refused],
    ['line feeds alone in chunks', post(host + chunked, '4\nnull\n0\n\n'), refused],
    ['more bytes than the chunk has', post(host + chunked, '3\r\nnull\r\n0\r\n\r\n'), refused],
    ['a line feed in a chunk extension', post(host + chunked, '4;x\nnull\r\n0\r\n\r\n'), refused],
    ['a chunk extension of 20 kB', post(host + chunked, `4;${'x'.repeat(20_000)}\r\n`), ['413']],
    ['trailers of 20 kB', post(host + chunked, `0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`), ['431']],
    [
      'a length in the trailers',
      post(host + chunked, `${body.length.toString(16)}\r\n${body}\r\n0\r\n${length}\r\n`),
      refused,
    ],
    ['a chunk that ends early', post(host + chunked, '40\r\nnu'), cutShort, { hangUp: true }],
    ['a body that ends early', post(host + length, '{"json'), cutShort, { hangUp: true }],
    ['a head that ends early', 'POST / HTTP/1.1\r\nHos', cutShort, { hangUp: true }],
    // Request targets.
    ['no Host', post(length), refused],
    ['two Hosts', post(`${host}${length}Host: b\r\n`), refused],
    [
      'a second Host behind 2,500 headers',
      post(`${host}${length}${'a:\r\n'.repeat(2_500)}Host: b\r\n`),
      ['431'],
    ],
    [
      'two Authorizations',
      post(`${host}${length}${'Authorization: Basic Og==\r\n'.repeat(2)}`),
      refused,
    ],
    ['an absolute target', post(host + length, body, `http://a${path}`), answered],
    ['an absolute target elsewhere', post(host + length, body, `http://b${path}`), refused],
    ['a fragment', post(host + length, body, `${path}#x`), ['401 after', '400']],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, refused],
    ['CONNECT', `CONNECT b:443 HTTP/1.1\r\n${host}\r\n`, closed],
    ['20 kB of header', post(`${host}X: ${'x'.repeat(20_000)}\r\n${length}`), ['431']],
    ['a target of 20 kB', post(host + length, body, `/${'x'.repeat(20_000)}`), ['431']],
    // Methods and versions.
    ['a method in lower case', post(host + length).replace('POST', 'post'), refused],
    ['an unknown method', post(host + length).replace('POST', 'FOO'), refused],
    ['TRACE', `TRACE /livez HTTP/1.1\r\n${host}\r\n`, ['405 after']],
    ['HTTP/0.9', 'GET /livez\r\n', refused],
    ['HTTP/1.0', `GET /livez HTTP/1.0\r\n\r\n`, ['200']],
    ['HTTP/1.0 with keep-alive', `GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`, answered],
    ['HTTP/1.2', `GET /livez HTTP/1.2\r\n${host}\r\n`, refused],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', refused],
    ['a greeting of TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', refused],
    ['an upgrade to h2c', post(`${host}${length}Connection: Upgrade\r\nUpgrade: h2c\r\n`), ['200']],
    [
      'an upgrade to a WebSocket',
      `GET ${path} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      ['405'],
    ],
    // Expectations.
    [
      'a body with Expect that is sent immediately',
      post(`${host}${length}Expect: 100-continue\r\n`),
      answered,
    ],
    ['another expectation', post(`${host}${length}Expect: 200-ok\r\n`), ['417 after', '417']],
    [
      'a refused body with Expect that is sent immediately and hides a call',
      post(
        `${host}Content-Length: ${hidden.length}\r\nExpect: 100-continue\r\n`,
        hidden,
        '/v3/unknown_key',
      ),
      ['401'],
    ],
    // Several requests in sequence.
    [
      'three calls in one write',
      goodCall(path, '1') + goodCall(path, '2') + goodCall(path, '3'),
      ['200 200 200 after'],
    ],
    ['an empty line between calls', `${goodCall(path, '1')}\r\n\r\n`, answered],
    ['garbage behind a call', `${goodCall(path, '1')}\0\0\0\r\n`, ['400', '200 400', '200']],
    ['HEAD, then a call', `HEAD /livez HTTP/1.1\r\n${host}\r\n`, answered, { heads: [0] }],
    [
      'GET with a call hidden in its body',
      `GET /livez HTTP/1.1\r\n${host}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
      answered,
    ],
    [
      'an unknown path with a call hidden in its body',
      post(`${host}Content-Length: ${hidden.length}\r\n`, hidden, '/nowhere'),
      ['404 after'],
    ],
    [
      'a wrong key with a call hidden in its body',
      post(`${host}Content-Length: ${hidden.length}\r\n`, hidden, '/v3/unknown_key'),
      ['401 after'],
    ],
    [
      'a file command without credentials and a call hidden in its body',
      post(`${host}Content-Length: ${hidden.length}\r\n`, hidden, '/api/v0/add'),
      ['401 after', '401'],
    ],
    ['a body declared too long', post(`${host}Content-Length: 99999999\r\n`, hidden), ['413']],
  ]
  return table.map(([name, bytes, direct, more]) => ({ name, bytes, direct, ...more }))
}
