// Generated gateway requests with arbitrary path, query and headers: each gets a documented answer with the requested
// content. A failure prints its seed: CAIRN_SEED repeats it.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { fileEntry, never } from '../fakes/files/files-fixture.ts'
import { absentCid, startPathReader } from '../fakes/gateway-client.ts'
import { RawConnection } from '../fakes/raw-http.ts'
import { seeded } from '../fakes/seeded.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const rounds = 2000
const oddSegments = ['a.txt', 's', 'b', '.', '..', '', '%2e%2e', '%2F', '%00', '%ff', '%C3%A9', '~']
const livePage = '{"status":"live"}\n'
const expected = new Set([200, 206, 301, 304, 400, 401, 403, 404, 405, 412, 416])

test('each generated request gets a documented answer, and ranges contain the requested bytes', async (t) => {
  t.diagnostic(`CAIRN_SEED=${seed}`)
  const chance = seeded(seed)
  const reader = await startPathReader(t, { pathSettings: { deserialized: true } })
  const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => 97 + (index % 26)))
  const file = await reader.add([fileEntry('', content)], { cidVersion: 1, rawLeaves: true })
  const folder = await reader.add([fileEntry('d/a.txt', content), fileEntry('d/s/b', 'x')])
  const blockOf = async (cid: string): Promise<Buffer> =>
    Buffer.from(
      await reader.server.files.block(CID.parse(cid), { offline: true, timeoutMs: null }, never),
    )
  const pick = <T>(values: readonly T[]): T => values[chance(values.length)] as T
  const some = (values: readonly string[], most: number): string[] =>
    Array.from({ length: chance(most + 1) }, () => pick(values))
  const number = () =>
    pick(['', '0', '1', '999', '1000', '1001', '-1', '-1000', '*', '9'.repeat(25)])

  const connection = new RawConnection(reader.server.port)
  t.after(() => connection.socket.destroy())
  for (let round = 0; round < rounds; round++) {
    const root =
      chance(8) === 0
        ? pick(['x', '', '%zz', 'Qm'.repeat(23), absentCid])
        : pick([file, folder, folder, 'bafkqaaa'])
    const way = chance(3) === 0 ? some(oddSegments, 4) : pick([[], ['a.txt'], ['s', ''], ['']])
    const path = ['', 'ipfs', root, ...way].join('/')
    const query = some(
      [
        'format=raw',
        'format=car',
        'format=tar',
        'format',
        `dag-scope=${pick(['block', 'entity', 'all', 'x'])}`,
        `entity-bytes=${number()}:${number()}`,
        `car-dups=${pick(['y', 'n', 'x'])}`,
        `car-version=${pick(['1', '2'])}`,
        'download=true',
        'filename=%0d%0ax:y',
        '%',
        '&&=',
      ],
      chance(3),
    ).join('&')
    const range = `${number()}-${number()}`
    const headers = some(
      [
        `range: bytes=${range}`,
        `if-none-match: ${pick(['*', `"${file}"`, `"${file}.raw"`, '""', '"', 'W/'])}`,
        `if-range: ${pick([`"${file}"`, '"x"', 'W/"x"'])}`,
        `accept: ${pick(['application/vnd.ipld.raw', 'application/vnd.ipld.car; dups=y', '*/*', ';;,"'])}`,
        'cache-control: only-if-cached',
        `sec-fetch-mode: ${pick(['navigate', 'cors'])}`,
      ],
      3,
    )
    const method = chance(8) === 0 ? pick(['HEAD', 'POST', 'DELETE']) : 'GET'
    const lines = [
      `${method} ${path}?${query} HTTP/1.1`,
      'host: x',
      'content-length: 0',
      ...headers,
      ...(chance(10) === 0 ? [] : [`authorization: ${reader.basic}`]),
    ]
    connection.socket.write(`${lines.join('\r\n')}\r\n\r\nGET /livez HTTP/1.1\r\nhost: x\r\n\r\n`)
    // The reply to a second, valid request marks the end of the first.
    const text = await connection.until(livePage)
    const status = Number(text.slice(9, 12))
    const context = `round ${round}, seed ${seed}: ${lines.join(' | ')}\n${text.slice(0, 600)}`
    assert.ok(expected.has(status), context)
    assert.ok(!connection.closed, context)
    if (status === 206) {
      const [, first = '', last = ''] = /content-range: bytes (\d+)-(\d+)\//i.exec(text) ?? []
      const [, raw] = /etag: "(\w+)\.raw"/i.exec(text) ?? []
      const whole = raw === undefined ? content : await blockOf(raw)
      const wanted = whole.toString('latin1', Number(first), Number(last) + 1)
      assert.ok(text.includes(`\r\n\r\n${wanted}HTTP/1.1 200`), context)
    }
    connection.received = ''
  }
})
