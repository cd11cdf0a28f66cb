// Creates a key that requires JWTs, signs one as the backend of a web page would, and calls with it.
//   CAIRN_DATA_DIR=<data folder> npm run -s example examples/call-with-jwt.ts
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const program = fileURLToPath(new URL('../bin/cairn.js', import.meta.url))

function cairn<Shape>(input: string, ...args: readonly string[]): Shape {
  const text = execFileSync(process.execPath, [program, ...args, '--json'], { input })
  return JSON.parse(text.toString()) as Shape
}

// Once: a key, and the public key that verifies its JWTs.
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const create = ['keys', 'create', '--name', 'page', '--jwt-required']
const { id, apiKey } = cairn<{ id: string; apiKey: string }>('', ...create)
const added = cairn<{ publicKey: { id: string } }>(pem, 'keys', 'public-key', 'add', id)

// For each user: a token that expires in five minutes and allows one method.
const base64 = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const header = { alg: 'ES256', typ: 'JWT', kid: added.publicKey.id }
const claims = {
  exp: Math.floor(Date.now() / 1000) + 300,
  aud: 'infura.io',
  methods: ['eth_chainId'],
}
const signed = `${base64(header)}.${base64(claims)}`
const signature = sign('sha256', Buffer.from(signed), {
  key: privateKey,
  dsaEncoding: 'ieee-p1363',
})
const token = `${signed}.${signature.toString('base64url')}`

async function call(method: string, authorization?: string): Promise<string> {
  const reply = await fetch(`${url}/v3/${apiKey}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
  const { result, error } = (await reply.json()) as {
    result?: string
    error?: { message: string; data: { reason: string } }
  }
  return result ?? `${reply.status} ${error?.message} (${error?.data.reason})`
}

console.log(`without a token   ${await call('eth_chainId')}`)
console.log(`with it           ${await call('eth_chainId', `Bearer ${token}`)}`)
console.log(`another method    ${await call('eth_blockNumber', `Bearer ${token}`)}`)
