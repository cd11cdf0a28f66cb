import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAllowlistFile } from './allowlist-file.ts'

const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const key = '0123456789abcdef0123456789abcdef'

function parsed(text: string) {
  const { entries, refused } = parseAllowlistFile(text)
  return {
    entries: entries.map((one) => [one.place, one.key, one.list, one.entry]),
    refused: refused.map(({ place, reason }) => [place, reason]),
  }
}

test('a line has key, list and entry, and a header row is recognised', () => {
  const text = `Key,List,Entry\napp,Contract Address,${address}\napp,method,eth_call\n"app",origins,*.example.com\n`
  assert.deepEqual(parsed(text), {
    entries: [
      ['line 2', 'app', 'allowAddresses', address],
      ['line 3', 'app', 'allowMethods', 'eth_call'],
      ['line 4', 'app', 'allowOrigins', '*.example.com'],
    ],
    refused: [],
  })
})

test('JSON has an object for each key', () => {
  const text = JSON.stringify({
    [key]: { addresses: [address], user_agents: ['MyApp/1.0'] },
    app: { methods: ['eth_call', 'eth_chainId'], ips: ['192.0.2.0/24'] },
  })
  assert.deepEqual(
    parsed(text).entries.map(([, , list, entry]) => [list, entry]),
    [
      ['allowAddresses', address],
      ['allowUserAgents', 'MyApp/1.0'],
      ['allowMethods', 'eth_call'],
      ['allowMethods', 'eth_chainId'],
      ['allowIps', '192.0.2.0/24'],
    ],
  )
})

test('a wrong entry is refused with its place and without its text, and the others are read', () => {
  const text = `app,address,${key}\napp,colour,red\napp,method\napp,ip,192.0.2.7\n`
  const { entries, refused } = parsed(text)
  assert.deepEqual(entries, [['line 4', 'app', 'allowIps', '192.0.2.7']])
  assert.deepEqual(
    refused.map(([place]) => place),
    ['line 1', 'line 2', 'line 3'],
  )
  assert.match(String(refused[0]?.[1]), /not a contract address/)
  assert.match(String(refused[1]?.[1]), /unknown list "colour", expected one of address, method/)
  assert.ok(!JSON.stringify(refused).includes(key))
  const json = parsed(JSON.stringify({ [key]: { methods: ['eth_call', 7], origins: 'no' } }))
  assert.deepEqual(
    json.refused.map(([place]) => place),
    ['member 1, methods, entry 2', 'member 1, origins'],
  )
})

test('other JSON is refused as a whole', () => {
  assert.throws(() => parseAllowlistFile('[1]'), /must be \{"<key>"/)
  assert.throws(() => parseAllowlistFile('{broken'), /not valid JSON/)
})
