import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEndpoints, maskKeys, replaceEndpoints } from './hosted-endpoints.ts'

const key = '0123456789abcdef0123456789abcdef'
const to = { url: 'https://rpc.example.com' }

test('URLs of Infura become those of Cairn, and the key stays', () => {
  const cases = {
    [`RPC=https://mainnet.infura.io/v3/${key}`]: `RPC=https://rpc.example.com/mainnet/v3/${key}`,
    [`WS="wss://sepolia.infura.io/ws/v3/${key}"`]: `WS="wss://rpc.example.com/sepolia/ws/v3/${key}"`,
    ['url: `https://mainnet.infura.io/v3/${process.env.INFURA_KEY}`,']:
      'url: `https://rpc.example.com/mainnet/v3/${process.env.INFURA_KEY}`,',
    [`"https://mainnet.infura.io/v3/" + key`]: `"https://rpc.example.com/mainnet/v3/" + key`,
    [`mainnet = "https://mainnet.infura.io/v3/\${INFURA_KEY}"`]: `mainnet = "https://rpc.example.com/mainnet/v3/\${INFURA_KEY}"`,
    [`curl https://:s3cret@mainnet.infura.io/v3/${key}`]: `curl https://:s3cret@rpc.example.com/mainnet/v3/${key}`,
    [`https://ipfs.infura.io:5001/api/v0/add?pin=true`]: `https://rpc.example.com/api/v0/add?pin=true`,
    [`https://my-site.infura-ipfs.io/ipfs/QmTest`]: `https://rpc.example.com/ipfs/QmTest`,
  }
  for (const [before, after] of Object.entries(cases)) {
    assert.equal(replaceEndpoints(before, to), after)
  }
  const plain = { url: 'http://127.0.0.1:8545' }
  assert.equal(
    replaceEndpoints('wss://mainnet.infura.io/ws/v3/x', plain),
    'ws://127.0.0.1:8545/mainnet/ws/v3/x',
  )
})

test('several URLs of a line are replaced, other text and line ends stay', () => {
  const text = `a https://mainnet.infura.io/v3/${key} b https://sepolia.infura.io/v3/${key}\r\nc\n`
  assert.equal(
    replaceEndpoints(text, to),
    `a https://rpc.example.com/mainnet/v3/${key} b https://rpc.example.com/sepolia/v3/${key}\r\nc\n`,
  )
  assert.deepEqual(
    findEndpoints(text, to).map(({ line }) => line),
    [1, 1],
  )
})

test('what must be changed by hand is found with advice and stays as it is', () => {
  const text = [
    `new ethers.providers.InfuraProvider('mainnet', KEY)`,
    `create({ host: 'ipfs.infura.io', port: 5001 })`,
    `https://eth-mainnet.g.alchemy.com/v2/${key}`,
    `https://a.b.quiknode.pro/${key}/`,
    `https://rpc.ankr.com/eth/${key}`,
  ].join('\n')
  const found = findEndpoints(text, to)
  assert.deepEqual(
    found.map(({ line, after }) => [line, after]),
    [1, 2, 3, 4, 5].map((line) => [line, null]),
  )
  assert.ok(found.every(({ advice }) => advice !== null && advice.includes('rpc.example.com')))
  assert.equal(replaceEndpoints(text, to), text)
})

test('replaced text has nothing more to replace', () => {
  const text = `https://mainnet.infura.io/v3/${key}`
  const once = replaceEndpoints(text, to)
  assert.equal(replaceEndpoints(once, to), once)
  assert.deepEqual(findEndpoints(once, to), [])
})

test('keys are shortened, names and variables are not', () => {
  assert.equal(
    maskKeys(`https://mainnet.infura.io/v3/${key}`),
    'https://mainnet.infura.io/v3/0123…',
  )
  assert.equal(maskKeys('https://:pw@mainnet.infura.io/v3/x'), 'https://…@mainnet.infura.io/v3/x')
  assert.equal(
    maskKeys('https://mainnet.infura.io/v3/${INFURA_KEY}'),
    'https://mainnet.infura.io/v3/${INFURA_KEY}',
  )
})
