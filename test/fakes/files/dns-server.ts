// A DNS server for TXT records on loopback, over UDP and over HTTP (DNS over HTTPS). Encodes messages by hand, independently of the
// server's codec.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type DnsRecord = { readonly texts: readonly string[]; readonly ttl: number }

/** `records`: by name, read at each query. A name without a record: NXDOMAIN. `queriedNames`: queried names, in order. */
export async function startDnsServer(t: TestContext, records: ReadonlyMap<string, DnsRecord>) {
  const queriedNames: string[] = []
  const answer = (query: Buffer): Buffer => {
    const name = nameIn(query)
    queriedNames.push(name)
    return dnsReply(query, records.get(name) ?? null)
  }
  const udp = createSocket('udp4')
  udp.on('message', (query, { port, address }) => udp.send(answer(query), port, address))
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  t.after(() => udp.close())
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isQuery =
        request.method === 'POST' &&
        request.url === '/dns-query' &&
        request.headers['content-type'] === 'application/dns-message'
      if (!isQuery) {
        response.writeHead(415).end()
        return
      }
      response.writeHead(200, { 'Content-Type': 'application/dns-message' })
      response.end(answer(Buffer.concat(chunks)))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => http.close())
  return {
    queriedNames,
    udp: `127.0.0.1:${udp.address().port}`,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/dns-query`,
  }
}

/** A reply with a CNAME before the TXT records, whose names are compression pointers. Null: NXDOMAIN. */
export function dnsReply(query: Buffer, record: DnsRecord | null): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(record === null ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(record === null ? 0 : record.texts.length + 1, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  const question = query.subarray(12, 12 + questionBytes(query))
  const pointer = Buffer.of(0xc0, 12)
  const answers =
    record === null
      ? []
      : [
          resource(pointer, 5, record.ttl + 100, pointer),
          ...record.texts.map((text) =>
            resource(pointer, 16, record.ttl, strings(Buffer.from(text))),
          ),
        ]
  return Buffer.concat([head, question, ...answers])
}

function resource(name: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10)
  middle.writeUInt16BE(type, 0)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt32BE(ttl, 4)
  middle.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, middle, data])
}

/** Encodes as character strings of at most 100 bytes. */
function strings(text: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < text.length; at += 100) {
    const part = text.subarray(at, at + 100)
    parts.push(Buffer.of(part.length), part)
  }
  return Buffer.concat(parts)
}

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; (query[at] ?? 0) > 0; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  }
  return labels.join('.')
}

function questionBytes(query: Buffer): number {
  return query.indexOf(0, 12) - 12 + 5
}
